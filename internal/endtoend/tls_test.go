package endtoend

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bestpick/internal/testsupport"
)

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
	for path, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		testsupport.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public}))
	return certificate, key, roots
}
