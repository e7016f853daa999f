package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"
)

// longest is how many bytes an address may have.
const longest = 2000

// CheckURL returns an error unless a study may be told there. private allows addresses that are not public, and
// plain HTTP.
func CheckURL(text string, private bool) error {
	parsed, err := url.Parse(text)
	switch {
	case err != nil || parsed.Hostname() == "" || parsed.Opaque != "":
		return errors.New("webhook: this is not an address such as https://example.com/hook")
	case len(text) > longest:
		return fmt.Errorf("webhook: the address has more than %d bytes", longest)
	case parsed.Scheme != "https" && (parsed.Scheme != "http" || !private):
		return errors.New("webhook: the address must begin with https://")
	case parsed.User != nil:
		return errors.New("webhook: the address must not have a name and a password in it")
	case parsed.Fragment != "" || strings.HasSuffix(text, "#"):
		return errors.New("webhook: the address must not have a # in it")
	}
	if address, err := netip.ParseAddr(parsed.Hostname()); err == nil && !private && !public(address) {
		return errors.New("webhook: " + notPublic)
	}
	return nil
}

// Check returns an error unless every store can keep the hook.
func (h Hook) Check() error {
	const most = 10_000 // bytes
	for _, text := range []string{h.URL, h.Secret, h.Delivery, string(h.State), h.Problem} {
		if len(text) > most || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return errors.New("webhook: something of it is no text, or too long")
		}
	}
	if h.URL == "" || h.Secret == "" || h.Delivery == "" {
		return errors.New("webhook: it needs an address, a secret and an id")
	}
	if h.State != Waiting && h.State != Delivered && h.State != GivenUp {
		return fmt.Errorf("webhook: %.100q is no state", h.State)
	}
	return nil
}
