package respond

import (
	"html/template"
	"strings"
	"testing"

	"bestpick/internal/testsupport"
)

func TestPicture(t *testing.T) {
	for address, want := range map[string]string{
		"":                                "",
		"https://example.com/a b.png?x=1": "https://example.com/a%20b.png?x=1",
		"HTTPS://example.com/a.png":       "https://example.com/a.png",
		"https://user@example.com/a.png":  "",
		"https:///a.png":                  "",
		"http://example.com/a.png":        "", // the content security policy does not allow it
		"//example.com/a.png":             "",
		"/etc/passwd":                     "",
		"pictures/a.png":                  "",
		"javascript:alert(1)":             "",
		"JaVaScRiPt:alert(1)":             "",
		" javascript:alert(1)":            "",
		"java\nscript:alert(1)":           "",
		"vbscript:x":                      "",
		"file:///a.png":                   "",
		"blob:https://example.com/1":      "",
		"data:text/html,x":                "",
		"data:image/png;base64,iVBORw0=":  "data:image/png;base64,iVBORw0=",
		"data:image/svg+xml,%3Csvg/%3E":   "data:image/svg+xml,%3Csvg/%3E",
		`data:image/png,"onerror="x`:      "",
		"data:image/svg+xml,<svg>":        "",
		"data:image/x-icon,a":             "",
	} {
		if got := pictureURL(address); string(got) != want {
			t.Errorf("%q became %q", address, got)
		}
	}
}

// FuzzPicture: whatever the input, a browser loads a picture over https, from a data URL, or none,
// and the attribute is escaped.
func FuzzPicture(f *testing.F) {
	for _, seed := range []string{
		"https://example.com/a.png", "data:image/png;base64,AAAA", "data:image/png,\x00",
		"javascript:alert(1)", "https://x\" onerror=\"y",
	} {
		f.Add(seed)
	}
	page := template.Must(template.New("").Parse(`<img src="{{.}}" alt="">`))
	f.Fuzz(func(t *testing.T, address string) {
		got := pictureURL(address)
		if got == "" {
			return
		}
		if !strings.HasPrefix(string(got), "https://") && !strings.HasPrefix(string(got), "data:image/") {
			t.Errorf("%q became %q", address, got)
		}
		var text strings.Builder
		testsupport.NoError(t, page.Execute(&text, got))
		if strings.Count(text.String(), `"`) != 4 || strings.ContainsAny(text.String()[1:text.Len()-1], "<>") {
			t.Errorf("%q became %s", address, text.String())
		}
	})
}
