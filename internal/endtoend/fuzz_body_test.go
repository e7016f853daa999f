package endtoend

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// json returns a JSON text for a schema.
func (g *generator) json(s *schema) string {
	text := g.value(s, "")
	if g.fault(6) {
		return g.mutate(text)
	}
	return text
}

// value returns a JSON value for the field name.
func (g *generator) value(s *schema, name string) string {
	s = g.resolve(s)
	if g.fault(10) {
		text, values := choose(g.choices, oddStrings), slices.Concat(oddValues, g.outside(s))
		if at := g.choices.below(len(values) + 1); at < len(values) {
			return values[at]
		}
		return quote(text)
	}
	switch s.Type {
	case "object":
		if name == "answers" {
			return `{"age":"42"}` // which one of the studies asks for
		}
		return g.object(s)
	case "array":
		return g.array(s, name)
	case "boolean":
		return strconv.FormatBool(g.choices.oneIn(2))
	case "integer", "number":
		return g.number(s)
	}
	return quote(g.text(s, name))
}

// outside returns odd numbers, and numbers at and beyond the limits of a schema.
func (g *generator) outside(s *schema) []string {
	numbers := slices.Clone(oddNumbers)
	for _, limit := range []*float64{s.Minimum, s.Maximum} {
		if limit != nil {
			for _, step := range []float64{-1, -1e-9, 0, 1e-9, 1} {
				numbers = append(numbers, strconv.FormatFloat(*limit+step, 'g', -1, 64))
			}
		}
	}
	return numbers
}

// includes reports whether an object gets a property: always where it is required and for picks, which most answers need,
// else one time in three.
func (g *generator) includes(s *schema, name string) bool {
	if name == "picks" || slices.Contains(s.Required, name) {
		return !g.fault(30)
	}
	return g.choices.oneIn(3)
}

func (g *generator) object(s *schema) string {
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !g.includes(s, name) {
			continue
		}
		field := quote(name) + ":" + g.value(s.Properties[name], name)
		fields = append(fields, field)
		if g.fault(40) {
			fields = append(fields, strings.ToUpper(field[:2])+field[2:])
		}
	}
	if g.fault(20) {
		fields = append(fields, quote(choose(g.choices,
			append([]string{"id", "__proto__", "$schema"}, oddStrings...)))+":"+choose(g.choices, oddValues))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

func (g *generator) array(s *schema, name string) string {
	var items []string
	if name == "picks" {
		for _, arm := range g.picks() {
			items = append(items, quote(arm))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	if name == "arms" && g.choices.oneIn(2) {
		return choose(g.choices, []string{
			`[{"id":"a","x":1},{"id":"b","x":2},{"id":"c","x":3}]`,
			`[{"name":"a","price":1.5,"Größe (cm)":null},{"name":"b","price":2,"Größe (cm)":"x"}]`,
			`[{"id":"a","e":[1,2]},{"id":"b","e":[2,1]}]`,
		})
	}
	n := s.MinItems + g.choices.below(3)
	if g.fault(10) {
		n = g.choices.below(1000)
	}
	const most = 2 << 20 // bytes, more than a body may have
	for size := 0; len(items) < n && size < most; size += len(items[len(items)-1]) {
		items = append(items, g.value(s.Items, ""))
	}
	return "[" + strings.Join(items, ",") + "]"
}

// number returns a number that the schema allows, usually a small one.
func (g *generator) number(s *schema) string {
	x := float64(2 + g.choices.below(4))
	if s.Type == "number" && g.choices.oneIn(2) {
		x /= 16
	}
	if s.Maximum != nil {
		x = min(x, *s.Maximum)
	}
	switch end := g.choices.below(8); {
	case end == 6 && s.Minimum != nil:
		x = *s.Minimum
	case end == 7 && s.Maximum != nil:
		x = *s.Maximum
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// text returns a string that the field name may have.
func (g *generator) text(s *schema, name string) string {
	switch {
	case name == "token":
		return g.question.Token
	case name == "arm":
		return choose(g.choices, g.study.Arms)
	case name == "segment" && len(g.study.Segments) > 0:
		return choose(g.choices, g.study.Segments)
	case name == "key" && len(g.study.Keys) > 0:
		return choose(g.choices, g.study.Keys)
	case name == "url":
		return choose(g.choices, []string{
			"https://example.com/hook?a=b", "https://127.0.0.1/", "http://example.com", "//x",
			"https://a@b",
		})
	case len(s.Enum) > 0:
		return choose(g.choices, s.Enum)
	}
	return choose(g.choices, []string{
		"anna", "bert", "cleo", "Ünïcode 🍒", "person " + strconv.Itoa(g.choices.below(50)),
		strings.Repeat("l", max(1, s.MaxLength)),
	})
}

// picks returns arms of the question; none if the study has no question.
func (g *generator) picks() []string {
	arms := slices.Clone(g.question.Arms)
	n := min(g.question.Picks, len(arms))
	if g.fault(10) {
		n = g.choices.below(len(arms) + 1)
	}
	if len(arms) > 0 {
		first := g.choices.below(len(arms))
		arms[0], arms[first] = arms[first], arms[0]
	}
	if g.fault(10) {
		return append(arms[:n], choose(g.choices, slices.Concat(oddStrings, g.study.Arms)))
	}
	return arms[:n]
}

// quote returns a JSON string. Invalid UTF-8 stays invalid.
func quote(text string) string {
	if strings.ToValidUTF8(text, "") != text {
		return `"` + text + `"`
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		panic("apifuzz: " + err.Error())
	}
	return string(quoted)
}

// form returns a multipart form and its media type.
func (g *generator) form(s *schema, isJSON func(field string) bool) (mediaType, body string) {
	const boundary = "b0undary"
	var form strings.Builder
	add := func(name string, f fuzzFile) {
		fmt.Fprintf(&form, "--%s\r\n%s\r\n\r\n%s\r\n", boundary, g.partHeader(name, f.Name), f.Contents)
	}
	var ids *fuzzFile
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		field := g.resolve(s.Properties[name])
		switch {
		case name == "ids" && ids != nil:
			add(name, *ids)
		case !g.includes(s, name):
		case field.Format == "binary":
			file := g.file(name)
			ids = file.IDs
			add(name, file)
		case isJSON(name):
			add(name, fuzzFile{Contents: g.json(field)})
		default:
			add(name, fuzzFile{Contents: g.field(field, name)})
		}
	}
	end := "--" + boundary + "--\r\n"
	if g.fault(10) {
		mediaType = choose(g.choices, []string{
			formType, formType + "; boundary=x", formType + "; boundary=" + strings.Repeat("b", 100),
			formType + "; boundary=" + boundary,
		})
		end = choose(g.choices, []string{
			"", "epilogue",
			strings.Repeat("--"+boundary+"\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n\r\n", 2000) + end,
		})
		return mediaType, form.String() + end
	}
	return formType + "; boundary=" + boundary, form.String() + end
}

// field returns the value of a form field that is neither a file nor JSON.
func (g *generator) field(s *schema, name string) string {
	switch {
	case g.fault(6):
		return choose(g.choices, slices.Concat(oddStrings, oddNumbers))
	case s.Type == "string":
		return g.text(s, name)
	}
	return g.number(s)
}

// partHeader returns the header of a form field, or of a file if it has a filename.
func (g *generator) partHeader(name, filename string) string {
	header := fmt.Sprintf("Content-Disposition: form-data; name=\"%s\"", name)
	if filename != "" {
		header += fmt.Sprintf("; filename=\"%s\"\r\nContent-Type: application/octet-stream", filename)
	}
	if g.fault(20) {
		return choose(g.choices, []string{
			"", "no header", "Content-Disposition: form-data; name*=utf-8''%ff; filename*=utf-8''%00.csv", header + "; name=again",
			header + "\r\nContent-Transfer-Encoding: base64",
			header + "\r\nContent-Type: multipart/mixed; boundary=b0undary", header + "\r\nX: " + strings.Repeat("y", 1<<16),
			header + strings.Repeat("\r\nX: y", 20_000), header + "\r\n folded",
		})
	}
	return header
}

// file returns an upload for a form field.
func (g *generator) file(field string) fuzzFile {
	f := choose(g.choices, g.fixtures.Files[field])
	if g.fault(3) {
		f.Contents = g.mutate(f.Contents)
	}
	if g.fault(8) {
		f.Name = choose(g.choices, append([]string{
			f.Name + ".gz", "a.parquet", "a.npz", "a.npy", "a.yaml", "a.jsonl", "a.csv", "a",
			"/etc/passwd", "a.csv\x00.npz",
		}, oddStrings...))
	}
	return f
}
