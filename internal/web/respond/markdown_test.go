package respond

import (
	"regexp"
	"strings"
	"testing"
)

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
	for _, text := range []string{"a", "<b>", "[a](b)", "![a](b)", "```x\ny\n```", "1) a\n2) b", "> a\n\n---\n", "<!-- a -->", "a  \nb", "&lt;script&gt;", "|a|b|\n|-|:-:|\n|<b>|[a](b)|\n|x|", "[a]: <javascript:x>\n[a]"} {
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
