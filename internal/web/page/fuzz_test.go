package page

import (
	"net/url"
	"testing"
	"time"
)

// FuzzSession: only signed cookies are accepted as sessions.
func FuzzSession(f *testing.F) {
	now := time.Unix(1_000_000, 0)
	good := signSession([]byte("key"), "hash", "nonce", now.Add(time.Hour))
	for _, seed := range []string{good, "", ".", "..", "1.2.3", good[:len(good)-1], good + "="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if s, ok := openSession([]byte("key"), value, now); ok && (value != good || s.token != "hash") {
			t.Errorf("%q is accepted as %q", value, s.token)
		}
	})
}

// FuzzOwnPath: redirects after signing in lead to pages of this server only.
func FuzzOwnPath(f *testing.F) {
	for _, seed := range []string{"/", "/new?a=b#c", "//x", `/\x`, "https://x", "/a//b", "/\t/x", "javascript:x", "/..//x"} {
		f.Add(seed)
	}
	here := &url.URL{Scheme: "https", Host: "here.example", Path: "/sign-in"}
	f.Fuzz(func(t *testing.T, path string) {
		got := ownPath(path)
		to, err := here.Parse(got)
		if err != nil || to.Host != here.Host || to.Scheme != here.Scheme || to.User != nil || got[0] != '/' {
			t.Errorf("%q leads to %v, %v", path, to, err)
		}
		if len(got) > 1 && (got[1] == '/' || got[1] == '\\') {
			t.Errorf("%q leads to %q", path, got)
		}
	})
}
