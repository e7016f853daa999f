package endtoend

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
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
		files: map[string]string{
			"/etc/ssl/bestpick.crt": "cert.pem", "/etc/ssl/bestpick.key": "key.pem",
			"/var/log/nginx/bestpick.log": "access.log",
		},
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
		wrapper: func(string) string { return "global\n    maxconn 4096\n    log stdout format raw local0 info\n" },
	}
}

// start runs the balancer in front of replicas at two addresses, and returns a client that uses it.
func (b balancer) start(t *testing.T, replicas [2]string) *client.Client {
	t.Helper()
	c, _ := b.startLogged(t, replicas)
	return c
}

// startLogged also returns a function that returns the log of requests.
func (b balancer) startLogged(t *testing.T, replicas [2]string) (c *client.Client, log func() string) {
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
		"cert.pem": contents(t, certificate), "key.pem": contents(t, key), "both.pem": both, "deployed": []byte(text),
		"wrapper": []byte(b.wrapper(folder)),
	} {
		testsupport.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	said := b.run(t, b.arguments(folder))
	return through(t, plain, secure, roots), func() string {
		file, _ := os.ReadFile(filepath.Join(folder, "access.log")) // HAProxy has none
		return said.String() + string(file)
	}
}

// run runs the program until the test ends, and returns its output.
func (b balancer) run(t *testing.T, arguments []string) *testsupport.Log {
	t.Helper()
	command := exec.CommandContext(context.WithoutCancel(t.Context()), b.path(t), arguments...) //nolint:gosec // one of two programs
	said := &testsupport.Log{}
	command.Stdout, command.Stderr = said, said
	testsupport.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = command.Wait()                          // reports the signal
		if t.Failed() {
			t.Logf("%s: %s", b.program, said)
		}
	})
	return said
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
	if redirected.StatusCode != http.StatusMovedPermanently ||
		!strings.HasPrefix(redirected.Header.Get("Location"), "https://127.0.0.1") {
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

func TestThroughNginx(t *testing.T)   { throughBalancer(t, nginx()) }
func TestThroughHAProxy(t *testing.T) { throughBalancer(t, haproxy()) }

// throughBalancer checks that a load balancer forwards large uploads, unbuffered events, the Host
// header and the client's address, and logs no secrets.
func throughBalancer(t *testing.T, front balancer) {
	t.Helper()
	front.path(t)
	p := start(t, sqliteFile(t), "", "--secure")
	address := strings.TrimPrefix(p.URL, "http://")
	c, log := front.startLogged(t, [2]string{address, address})
	c.Token = p.Token
	var file strings.Builder
	file.WriteString("id,x\n")
	for i := range 4000 {
		fmt.Fprintf(&file, "a%d,%d.%0300d\n", i, i%7, 0)
	}
	created, err := c.Create(t.Context(), client.NewStudy{
		Name: "Arms", Settings: wire.Settings{K: 3},
		Catalogue: client.File{Name: "arms.csv", Contents: strings.NewReader(file.String())},
	})
	if err != nil {
		t.Fatalf("uploading %d kB: %v", file.Len()>>10, err)
	}
	if _, err := events(t, c, created.Study.ID).Read(make([]byte, 1)); err != nil {
		t.Errorf("the first event: %v", err)
	}
	for origin, want := range map[string]int{c.URL: http.StatusUnauthorized, "https://elsewhere.example": http.StatusForbidden} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.URL+"/sign-in",
			strings.NewReader(url.Values{"token": {"wrong"}}.Encode()))
		testsupport.NoError(t, err)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", origin)
		reply, err := c.HTTP.Do(request)
		testsupport.NoError(t, err)
		_ = reply.Body.Close()
		if reply.StatusCode != want || reply.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("signing in from a page of %s: %s %v", origin, reply.Status, reply.Header)
		}
	}
	for _, path := range []string{"/sign-in/link/SECRET", "/results/x/SECRET", "/s/x?key=SECRET", "/join/SECRET"} {
		reply, err := c.HTTP.Get(c.URL + path) //nolint:noctx // the client has a timeout
		testsupport.NoError(t, err)
		_ = reply.Body.Close()
	}
	eventually(t, "requests are logged", 5*time.Second,
		func() bool { return strings.Contains(log(), "/join/") && strings.Contains(log(), "/s/x") })
	if text := log(); strings.Contains(text, "SECRET") {
		t.Errorf("the log of the balancer has secrets:\n%s", text)
	}
	if log := p.log.String(); !strings.Contains(log, "X-Forwarded-For from 127.0.0.1, which --trust does not name") {
		t.Errorf("the balancer does not forward the client's address:\n%s", log)
	}
}

func TestRepeatedByNginx(t *testing.T)   { repeatedByBalancer(t, nginx()) }
func TestRepeatedByHAProxy(t *testing.T) { repeatedByBalancer(t, haproxy()) }

// repeatedByBalancer breaks the connection of each first request. The balancer must retry
// idempotent requests, and no others.
func repeatedByBalancer(t *testing.T, front balancer) {
	t.Helper()
	front.path(t)
	var mutex sync.Mutex
	seen := map[string]int{}
	replica := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // the body does not matter
		mutex.Lock()
		seen[r.Method+" "+r.URL.Path]++
		first := seen[r.Method+" "+r.URL.Path] == 1
		mutex.Unlock()
		if first {
			panic(http.ErrAbortHandler)
		}
	}))
	defer replica.Close()
	address := strings.TrimPrefix(replica.URL, "http://")
	c := front.start(t, [2]string{address, address})
	const study = "/api/v1/studies/abc"
	for request, repeated := range map[string]bool{
		"GET /": true, "GET " + study: true, "POST " + study + "/questions": true, "POST " + study + "/answers": true,
		"POST " + study + "/skips": true,
		"POST " + study + "/undos": true, "POST " + study + "/profiles": true, "POST /s/abc/answer": true, "POST /s/abc/question": true,
		"POST /api/v1/studies": false, "POST " + study + "/import": false, "POST " + study + "/erasures": false, "POST /new": false,
		"POST /sign-in":  false,
		"PATCH " + study: false,
	} {
		method, path, _ := strings.Cut(request, " ")
		sent, err := http.NewRequestWithContext(t.Context(), method, c.URL+path, strings.NewReader("{}"))
		testsupport.NoError(t, err)
		sent.GetBody = nil // so that the client does not retry
		succeeded := false
		if reply, err := c.HTTP.Do(sent); err == nil {
			succeeded = reply.StatusCode == http.StatusOK
			_ = reply.Body.Close()
		}
		mutex.Lock()
		times := seen[request]
		mutex.Unlock()
		if succeeded != repeated || (times > 1) != repeated {
			t.Errorf("%s: replicas received it %d times, success is %v", request, times, succeeded)
		}
	}
}

// A proxy forwards connections, and simulates network faults.
type proxy struct {
	listener net.Listener
	to       func(ctx context.Context) (net.Conn, error)

	mutex   sync.Mutex
	manners manners
	random  *rand.Rand
	open    map[net.Conn]bool
	serving sync.WaitGroup
}

// Manners are the faults of a proxy.
type manners struct {
	cut   int           // connections end after at most this number of bytes; 0 for never
	delay time.Duration // maximum delay of each piece
	piece int           // maximum size of a piece; 0 for any
	hole  bool          // all data is silently dropped
}

// newProxy starts a proxy to an address, without faults.
func newProxy(t *testing.T, network, address string) *proxy {
	t.Helper()
	listener := testsupport.Value(net.Listen("tcp", "127.0.0.1:0")).OrFail(t) //nolint:noctx // opening a port does not block
	dialer := net.Dialer{Timeout: 10 * time.Second}
	p := &proxy{
		listener: listener, random: rand.New(rand.NewPCG(9, 9)), open: map[net.Conn]bool{},
		to: func(ctx context.Context) (net.Conn, error) { return dialer.DialContext(ctx, network, address) },
	}
	ctx := context.WithoutCancel(t.Context())
	p.serving.Go(func() { p.serve(ctx) })
	t.Cleanup(func() { p.close(t) })
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// close closes all connections.
func (p *proxy) close(t *testing.T) {
	t.Helper()
	_ = p.listener.Close() // it may be closed already
	p.cutAll()
	testsupport.Wait(t, "the connections of a proxy", p.serving.Wait)
}

// behave sets the faults of existing and new connections.
func (p *proxy) behave(m manners) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.manners = m
}

// cutAll closes all existing connections, whatever their state.
func (p *proxy) cutAll() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for connection := range p.open {
		reset(connection)
	}
}

// reset closes a connection so that its peer notices at once.
func reset(connection net.Conn) {
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // it may be closed already
	}
	_ = connection.Close()
}

func (p *proxy) serve(ctx context.Context) {
	for {
		from, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.serving.Go(func() { p.connect(ctx, from) })
	}
}

// connect forwards data between a connection and the address.
func (p *proxy) connect(ctx context.Context, from net.Conn) {
	defer reset(from)
	to, err := p.to(ctx)
	if err != nil {
		return
	}
	defer reset(to)
	p.mutex.Lock()
	p.open[from], p.open[to] = true, true
	p.mutex.Unlock()
	var passing sync.WaitGroup
	passing.Go(func() { p.pass(from, to) })
	passing.Go(func() { p.pass(to, from) })
	passing.Wait()
	p.mutex.Lock()
	delete(p.open, from)
	delete(p.open, to)
	p.mutex.Unlock()
}

// pass forwards data in one direction, with the faults of the proxy.
func (p *proxy) pass(from, to net.Conn) {
	defer reset(from)
	defer reset(to)
	left := -1
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer[:p.piece()])
		if n > 0 {
			m, wait := p.treatment()
			if left < 0 && m.cut > 0 {
				left = p.upTo(m.cut)
			}
			time.Sleep(wait)
			last := m.cut > 0 && n >= left
			if last {
				n = left
			}
			left -= n
			if m.hole {
				_, _ = io.Copy(io.Discard, from) // until a peer closes the connection
				return
			}
			if _, failed := to.Write(buffer[:n]); failed != nil || last {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *proxy) piece() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.manners.piece > 0 {
		return p.manners.piece
	}
	return 32 << 10
}

func (p *proxy) treatment() (m manners, wait time.Duration) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.manners.delay > 0 {
		wait = time.Duration(p.random.Int64N(int64(p.manners.delay)))
	}
	return p.manners, wait
}

func (p *proxy) upTo(most int) int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.random.IntN(most)
}
