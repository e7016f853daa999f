package cataloguetest

import (
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/product"
)

// ReadProfiles reads attributes and levels from YAML.
func ReadProfiles(tb testing.TB, text string) *product.Profiles {
	tb.Helper()
	p, err := product.Read(strings.NewReader(text), "cameras.yaml", catalogue.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// EncodeProfiles learns the encoding of profiles and applies it.
func EncodeProfiles(tb testing.TB, p *product.Profiles) (*encode.Encoding, *choice.Catalogue) {
	tb.Helper()
	e, err := product.NewEncoding(p)
	if err != nil {
		tb.Fatal(err)
	}
	c, err := p.Encode(e)
	if err != nil {
		tb.Fatal(err)
	}
	return e, c
}

// Cameras are three attributes, with forbidden combinations.
const Cameras = `
price: [10, 12, 15]
brand: [acme, zenith, "no name"]
wifi: [yes, no]
forbidden:
  - {brand: acme, price: [10, 12]}
`
