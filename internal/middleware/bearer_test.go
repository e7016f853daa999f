package middleware

import "testing"

func TestBearer(t *testing.T) {
	for header, want := range map[string]string{
		"Bearer abc": "abc", "bearer abc": "abc", "BEARER a b": "a b",
		"": "", "Bearer": "", "Bearer ": "", "abc": "", "Basic abc": "", "Bearerabc": "", " Bearer abc": "",
	} {
		if got := Bearer(header); got != want {
			t.Errorf("%q shows %q, want %q", header, got, want)
		}
	}
}
