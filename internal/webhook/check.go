package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"bestpick/internal/outbound"
)

// MaxURL is the largest length of a URL in bytes.
const MaxURL = 2000

// CheckURL returns an error unless a webhook may have this URL. private allows addresses that are not public, and
// plain HTTP.
func CheckURL(text string, private bool) error {
	parsed, err := url.Parse(text)
	switch {
	case err != nil || parsed.Hostname() == "" || parsed.Opaque != "":
		return errors.New("the address must have the form https://example.com/hook")
	case len(text) > MaxURL:
		return fmt.Errorf("the address must have at most %d bytes, got %d", MaxURL, len(text))
	case parsed.Scheme != "https" && (parsed.Scheme != "http" || !private):
		return errors.New("the address must begin with https://")
	case parsed.User != nil:
		return errors.New("the address must not contain a user name or password")
	case parsed.Fragment != "" || strings.HasSuffix(text, "#"):
		return errors.New("the address must not contain #")
	}
	if address, err := netip.ParseAddr(parsed.Hostname()); err == nil && !private && !outbound.Public(address) {
		return outbound.ErrNotPublic
	}
	return nil
}

// Check returns an error unless every store can store the hook.
func (h Hook) Check() error {
	const most = 10_000 // bytes
	for _, field := range []struct{ name, text string }{
		{"URL", h.URL}, {"secret", h.Secret}, {"delivery ID", h.Delivery}, {"state", string(h.State)}, {"problem", h.Problem},
	} {
		if len(field.text) > most || !utf8.ValidString(field.text) || strings.ContainsRune(field.text, 0) {
			return fmt.Errorf("webhook: %s is not valid UTF-8 or exceeds %d bytes", field.name, most)
		}
	}
	if h.URL == "" || h.Secret == "" || h.Delivery == "" {
		return errors.New("webhook: a hook needs a URL, a secret and a delivery ID")
	}
	if h.State != Waiting && h.State != Delivered && h.State != GivenUp {
		return fmt.Errorf("webhook: unknown state %.100q", h.State)
	}
	return nil
}
