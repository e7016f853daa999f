package main

import "testing"

// TestPublicURL: --public-url must be the address of a server.
func TestPublicURL(t *testing.T) {
	for text, valid := range map[string]bool{
		"": true, "https://studies.example.com": true, "http://10.0.0.1:8080/": true,
		"studies.example.com": false, "ftp://example.com": false, "https://": false, "https://example.com/a": false,
		"https://example.com?a=b": false,
	} {
		if _, err := parsePublic(text); (err == nil) != valid {
			t.Errorf("%q: %v", text, err)
		}
	}
}
