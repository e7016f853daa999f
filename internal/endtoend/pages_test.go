package endtoend

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestPages: the server serves the page of a study, which the configured origins may embed. Rate
// limits reply with a page to browsers, and with a problem to programs.
func TestPages(t *testing.T) {
	p := start(t, sqliteFile(t), "", "--frame", "https://shop.example", "--trust", "127.0.0.1", "--rate", "1")
	id := someArms(t, 6, 0.3, 2).newStudy(t, p.Client, wire.Settings{K: 3})
	from := func(address, path string) (int, http.Header) {
		t.Helper()
		r := testsupport.Value(http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+path, nil)).OrFail(t)
		r.Header.Set("X-Forwarded-For", address)
		reply, err := p.HTTP.Do(r)
		testsupport.NoError(t, err)
		testsupport.NoError(t, reply.Body.Close())
		return reply.StatusCode, reply.Header
	}
	status, header := from("192.0.2.7", "/s/"+id)
	if policy := header.Get("Content-Security-Policy"); status != http.StatusOK ||
		!strings.Contains(policy, "frame-ancestors https://shop.example") {
		t.Errorf("%d %s", status, policy)
	}
	for path, kind := range map[string]string{"/s/" + id: "text/html", "/api/v1/studies": "application/problem+json"} {
		for range 20 {
			status, header = from("192.0.2.8", path)
		}
		if got := header.Get("Content-Type"); status != http.StatusTooManyRequests || !strings.HasPrefix(got, kind) ||
			header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", path, status, got)
		}
	}
}

// get fetches a path from a server.
func get(t *testing.T, c *client.Client, path, token string) (int, http.Header, string) {
	t.Helper()
	r := testsupport.Value(http.NewRequestWithContext(t.Context(), http.MethodGet, c.URL+path, nil)).OrFail(t)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	reply, err := c.HTTP.Do(r)
	testsupport.NoError(t, err)
	defer reply.Body.Close()
	text := testsupport.Value(io.ReadAll(reply.Body)).OrFail(t)
	return reply.StatusCode, reply.Header, string(text)
}

// TestInside: operators can check liveness, readiness and metrics, which do not contain the IDs of
// studies. Replies have security headers and a request ID.
func TestInside(t *testing.T) {
	p := start(t, sqliteFile(t), "")
	world := someArms(t, 6, 0.3, 2)
	id := world.newStudy(t, p.Client, wire.Settings{K: 3, Grace: -1, Budget: new(40), Delta: 1e-9})
	crowd := &people{
		studies: map[string]truth{id: world}, reach: func(int) *client.Client { return p.Client },
		acknowledged: map[string]said{},
	}
	open := world.newStudy(t, p.Client, wire.Settings{K: 3})
	crowd.answer(t.Context(), 2, "r")
	for path, want := range map[string]string{"/healthz": "alive\n", "/readyz": "ready\n"} {
		if status, header, text := get(t, p.Client, path, ""); status != 200 || text != want || header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %d %q", path, status, text)
		}
	}
	if status, _, text := get(t, p.Client, "/metrics", ""); status != 401 || strings.Contains(text, "bestpick_") {
		t.Errorf("without a token: %d %s", status, text)
	}
	var text string
	eventually(t, "the metrics have the decks of studies", 10*time.Second, func() bool {
		_, _, text = get(t, p.Client, "/metrics", p.Token)
		return strings.Contains(text, "bestpick_study_deck{")
	})
	printed := testsupport.Value(exec.CommandContext(testsupport.Limited(t), program, "--version").Output()).OrFail(t)
	version := strings.TrimSpace(strings.TrimPrefix(string(printed), "bestpick "))
	for _, want := range []string{
		`,version="` + version + `"} 1`,
		`bestpick_outcomes_total{kind="answered"} `,
		`bestpick_request_seconds_count{method="POST",route="/api/v1/studies/{study}/answers",status="200"} `,
		"bestpick_plan_seconds_count ", `bestpick_store_seconds_count{operation="record"} `, "bestpick_study_deck{",
		"bestpick_study_answers{", "go_goroutines ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if strings.Contains(text, id) || strings.Contains(text, open) || strings.Contains(text, p.Token) {
		t.Error("the metrics contain the ID of a study")
	}
	_, header, _ := get(t, p.Client, "/docs", "")
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") ||
		header.Get("Strict-Transport-Security") != "" {
		t.Errorf("%v", header)
	}
	p.stop(t)
	if log := p.log.String(); strings.Contains(log, id) || strings.Contains(log, p.Token) {
		t.Error(log)
	}
}

// TestTLS: with a certificate the server uses TLS and sends Strict-Transport-Security.
func TestTLS(t *testing.T) {
	certificate, key, roots := selfSigned(t)
	p := start(t, sqliteFile(t), "", "--tls-cert", certificate, "--tls-key", key)
	if !strings.HasPrefix(p.URL, "https://") {
		t.Fatalf("the address is %s", p.URL)
	}
	p.HTTP = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	status, header, _ := get(t, p.Client, "/healthz", "")
	if status != 200 || header.Get("Strict-Transport-Security") == "" {
		t.Errorf("%d %v", status, header)
	}
	if _, err := p.Studies(t.Context(), ""); err != nil {
		t.Error(err)
	}
	p.stop(t)
}

// selfSigned returns a certificate for this machine.
func selfSigned(t *testing.T) (certificate, key string, roots *x509.CertPool) {
	t.Helper()
	private := testsupport.Value(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)).OrFail(t)
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	public := testsupport.Value(x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)).OrFail(t)
	secret := testsupport.Value(x509.MarshalPKCS8PrivateKey(private)).OrFail(t)
	folder := t.TempDir()
	certificate, key = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	for path, block := range map[string]*pem.Block{
		certificate: {Type: "CERTIFICATE", Bytes: public},
		key:         {Type: "PRIVATE KEY", Bytes: secret},
	} {
		testsupport.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public}))
	return certificate, key, roots
}
