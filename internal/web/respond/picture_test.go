package respond

import (
	"html/template"
	"math/rand/v2"
	"regexp"
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

// TestAccent: every accent colour is readable as text and as the background of a button, in light and dark mode.
func TestAccent(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		c := colour{random.Float64(), random.Float64(), random.Float64()}
		day, night := c.readable(light, black), c.readable(dark, white)
		for _, pair := range [][2]colour{{day, light}, {day, white}, {night, dark}, {night, black}} {
			if got := contrast(pair[0], pair[1]); !(got >= 4.5) {
				t.Errorf("%v has contrast %.2f on %v", pair[0], got, pair[1])
			}
		}
	}
	yellow, _ := parseColour("ffd400")
	if style := accentStyle(yellow); !strings.Contains(style, "--accent-fill:#ffd400;--on-accent:#000000}") {
		t.Errorf("buttons do not keep a pale colour: %s", style)
	}
	if got := contrast(black, white); !(got > 20.9 && got < 21.1) {
		t.Errorf("the contrast of black and white is %v", got)
	}
	if blue, ok := parseColour("2a56cf"); !ok || blue.readable(light, black).String() != "#2a56cf" {
		t.Error("a readable colour is changed")
	}
	for _, wrong := range []string{"", "fff", "2a56cg", "2a56cf00"} {
		if _, ok := parseColour(wrong); ok {
			t.Errorf("%q is accepted", wrong)
		}
	}
}

func TestMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                               "<p>plain</p>\n",
		"**a** *b* `c<d`":                     "<p><strong>a</strong> <em>b</em> <code>c&lt;d</code></p>\n",
		"- x\n- y":                            "<ul>\n<li>x</li>\n<li>y</li>\n</ul>\n",
		"# Title":                             "<h1>Title</h1>\n",
		"```js\"onload=x\n<b>&\n```":          "<pre><code>&lt;b&gt;&amp;\n</code></pre>\n",
		"a <b onclick=x()>c</b>":              "<p>a &lt;b onclick=x()&gt;c&lt;/b&gt;</p>\n",
		"<script>alert(1)</script>":           "<pre>&lt;script&gt;alert(1)&lt;/script&gt;</pre>\n",
		"[words](javascript:alert(1) 'x')":    "<p>words</p>\n",
		"![alt](https://track.example/a.png)": "<p>alt</p>\n",
		"<https://a.example/?<b>":             "<p>&lt;https://a.example/?&lt;b&gt;</p>\n",
		"<https://a.example/>":                "<p>https://a.example/</p>\n",
		"~~gone~~":                            "<p><del>gone</del></p>\n",
		"|a|b|\n|:-|-:|\n|*1*|<b onclick=x()>[w](javascript:x)\\|`c|d`|": "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n" +
			"<tbody>\n<tr>\n<td><em>1</em></td>\n<td>&lt;b onclick=x()&gt;w|`c</td>\n</tr>\n</tbody>\n</table>\n",
		"": "",
	} {
		if got := string(markdownHTML(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// tag matches the tags that the output may have. Lists may have the number of their first element.
var tag = regexp.MustCompile(`^</?(p|strong|em|code|pre|ul|ol( start="[0-9]+")?|li|h[1-6]|blockquote|hr|br|del|table|thead|tbody|tr|th|td)>`)

// FuzzHTML checks that no input leads to other tags, or to attributes with text of the input.
func FuzzHTML(f *testing.F) {
	for _, text := range []string{
		"a", "<b>", "[a](b)", "![a](b)", "```x\ny\n```", "1) a\n2) b", "> a\n\n---\n", "<!-- a -->",
		"a  \nb", "&lt;script&gt;", "|a|b|\n|-|:-:|\n|<b>|[a](b)|\n|x|", "[a]: <javascript:x>\n[a]",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out := string(markdownHTML(text))
		for at := strings.IndexByte(out, '<'); at >= 0; at = strings.IndexByte(out, '<') {
			found := tag.FindString(out[at:])
			if found == "" {
				t.Fatalf("%q leads to %q", text, out[at:])
			}
			out = out[at+len(found):]
		}
	})
}
