package endtoend

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
)

// A balancer is a load balancer in front of two replicas, run with its configuration from deploy.
type balancer struct {
	program   string
	deployed  string            // the path of its configuration in deploy
	listens   [2]string         // the listen addresses of HTTP and HTTPS in the configuration
	files     map[string]string // paths of the certificate in the configuration, and ours
	arguments func(folder string) []string
	wrapper   func(folder string) string // a configuration around the deployed one
}

func nginx() balancer {
	return balancer{
		program: "nginx", deployed: "nginx.conf", listens: [2]string{"listen 80;", "listen 443 "},
		files:     map[string]string{"/etc/ssl/bestpick.crt": "cert.pem", "/etc/ssl/bestpick.key": "key.pem"},
		arguments: func(folder string) []string { return []string{"-p", folder, "-e", "stderr", "-c", "wrapper"} },
		wrapper: func(folder string) string {
			var text strings.Builder
			if os.Geteuid() == 0 {
				text.WriteString("user root;\n") // other users cannot read the directory
			}
			text.WriteString("daemon off;\npid pid;\nevents { worker_connections 4096; }\nhttp {\n    access_log off;\n    include deployed;\n")
			for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
				fmt.Fprintf(&text, "    %s_temp_path %s;\n", kind, filepath.Join(folder, kind))
			}
			text.WriteString("}\n")
			return text.String()
		},
	}
}

func haproxy() balancer {
	return balancer{
		program: "haproxy", deployed: "haproxy.cfg", listens: [2]string{"bind :80\n", "bind :443 "},
		files: map[string]string{"/etc/haproxy/bestpick.pem": "both.pem"},
		arguments: func(folder string) []string {
			return []string{"-db", "-f", filepath.Join(folder, "wrapper"), "-f", filepath.Join(folder, "deployed")}
		},
		wrapper: func(string) string { return "global\n    maxconn 4096\n    log stdout format raw local0 notice\n" },
	}
}

// start runs the balancer in front of replicas at two addresses, and returns a client that uses it.
func (b balancer) start(t *testing.T, replicas [2]string) *client.Client {
	t.Helper()
	folder := t.TempDir()
	certificate, key, roots := selfSigned(t)
	both := slices.Concat(contents(t, certificate), contents(t, key))
	plain, secure := freeAddress(t), freeAddress(t)
	text := string(contents(t, filepath.Join("..", "..", "deploy", b.deployed)))
	replace := func(old, with string) {
		if !strings.Contains(text, old) {
			t.Fatalf("deploy/%s does not contain %q", b.deployed, old)
		}
		text = strings.ReplaceAll(text, old, with)
	}
	replace("10.0.0.11:8080", replicas[0])
	replace("10.0.0.12:8080", replicas[1])
	replace(b.listens[0], strings.NewReplacer(":80", plain, "80", plain).Replace(b.listens[0]))
	replace(b.listens[1], strings.NewReplacer(":443", secure, "443", secure).Replace(b.listens[1]))
	for said, ours := range b.files {
		replace(said, filepath.Join(folder, ours))
	}
	for name, text := range map[string][]byte{
		"cert.pem": contents(t, certificate), "key.pem": contents(t, key), "both.pem": both, "deployed": []byte(text), "wrapper": []byte(b.wrapper(folder)),
	} {
		testsupport.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	b.run(t, b.arguments(folder))
	return through(t, plain, secure, roots)
}

// run runs the program until the test ends.
func (b balancer) run(t *testing.T, arguments []string) {
	t.Helper()
	command := exec.CommandContext(context.WithoutCancel(t.Context()), b.path(t), arguments...) //nolint:gosec // one of two programs
	said := &lockedBuffer{}
	command.Stdout, command.Stderr = said, said
	testsupport.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = command.Wait()                          // reports the signal
		if t.Failed() {
			t.Logf("%s: %s", b.program, said)
		}
	})
}

// path returns the path of the program. If it is not installed, the test is skipped, or fails under
// CI.
func (b balancer) path(t *testing.T) string {
	t.Helper()
	for _, name := range []string{b.program, "/usr/sbin/" + b.program} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed; run make setup", b.program)
	}
	t.Skipf("%s is not installed; run make setup", b.program)
	return ""
}

// through returns a client that uses a balancer, as soon as one of its replicas is ready. Plain
// HTTP must be redirected.
func through(t *testing.T, plain, secure string, roots *x509.CertPool) *client.Client {
	t.Helper()
	const patience, connections = 20 * time.Second, 1000
	c := &client.Client{URL: "https://" + secure, HTTP: &http.Client{Timeout: patience, Transport: &http.Transport{
		MaxIdleConnsPerHost: connections, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}}}
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		reply, err := c.HTTP.Get(c.URL + "/readyz") //nolint:noctx // the client has a timeout
		if err == nil {
			_ = reply.Body.Close()
			if reply.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("the balancer is not ready: %v", err)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+plain+"/docs", nil)
	testsupport.NoError(t, err)
	redirected, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	testsupport.NoError(t, err)
	_ = redirected.Body.Close()
	if redirected.StatusCode != http.StatusMovedPermanently || !strings.HasPrefix(redirected.Header.Get("Location"), "https://127.0.0.1") {
		t.Errorf("plain HTTP: %s %v", redirected.Status, redirected.Header)
	}
	return c
}

// freeAddress returns a local address on which no program listens, with a port outside the range of
// outgoing connections.
func freeAddress(t *testing.T) string {
	t.Helper()
	const lowest, ports = 20_000, 12_000
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", lowest+rand.IntN(ports))
		listener, err := net.Listen("tcp", address) //nolint:noctx // opening a port does not block
		if err != nil {
			continue
		}
		testsupport.NoError(t, listener.Close())
		return address
	}
	t.Fatal("no port is free")
	return ""
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	text := testsupport.Value(os.ReadFile(path)).OrFail(t)
	return text
}
