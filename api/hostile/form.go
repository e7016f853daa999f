package hostile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// form returns a form with the fields of a schema, and what kind of body it is.
func (m *maker) form(s *schema, asJSON func(field string) bool) (kind, body string) {
	const boundary = "b0undary"
	var parts []string
	var beside *File
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		field := m.resolved(s.Properties[name])
		needed := slices.Contains(s.Required, name)
		switch {
		case name == "ids" && beside != nil:
			parts = append(parts, m.part(name, *beside))
			continue
		case !needed && !m.dice.oneIn(3), needed && m.odd(30):
			continue
		}
		part := File{}
		switch {
		case field.Format == "binary":
			part = m.file(name)
			beside = part.Beside
		case asJSON(name):
			part.Contents = m.body(field)
		default:
			part.Contents = m.plain(field, name)
		}
		text := m.part(name, part)
		parts = append(parts, text)
		if m.odd(30) {
			parts = append(parts, text)
		}
	}
	if m.odd(20) {
		parts = append(parts, m.part(choose(m.dice, m.texts), File{Contents: choose(m.dice, m.texts)}))
	}
	return m.assembled(parts, boundary)
}

// plain is the value of a field that is neither a file nor JSON.
func (m *maker) plain(s *schema, name string) string {
	switch {
	case m.odd(6):
		return choose(m.dice, slices.Concat(m.texts, m.numbers))
	case s.Type == "string":
		return m.text(s, name)
	}
	return m.number(s)
}

// part is a field of a form. It is a file if it has a name for that.
func (m *maker) part(name string, f File) string {
	header := fmt.Sprintf("Content-Disposition: form-data; name=\"%s\"", name)
	if f.Name != "" {
		header += fmt.Sprintf("; filename=\"%s\"\r\nContent-Type: application/octet-stream", f.Name)
	}
	if m.odd(20) {
		header = choose(m.dice, []string{
			"", "Content-Disposition: form-data", "Content-Disposition: attachment; filename=x.csv", header + "; name=again",
			"Content-Disposition: form-data; name*=utf-8''%ff; filename*=utf-8''%00.csv", header + "\r\nContent-Transfer-Encoding: base64",
			header + "\r\nContent-Transfer-Encoding: quoted-printable", header + "\r\nContent-Type: multipart/mixed; boundary=b0undary",
			header + "\r\nX: " + strings.Repeat("y", 1<<16), header + strings.Repeat("\r\nX: y", 20_000), "no header", ": x", header + "\r\n folded",
			strings.Replace(header, "filename=", "file=", 1), header + "\r\nContent-Type: application/json; charset=utf-16",
		})
	}
	return header + "\r\n\r\n" + f.Contents
}

// assembled is a form of parts.
func (m *maker) assembled(parts []string, boundary string) (kind, body string) {
	var text strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&text, "--%s\r\n%s\r\n", boundary, part)
	}
	kind, body, end := formType+"; boundary="+boundary, text.String(), "--"+boundary+"--\r\n"
	if !m.odd(15) {
		return kind, body + end
	}
	switch m.dice.below(7) {
	case 0:
		return kind, body
	case 1:
		return kind + "x", body + end
	case 2:
		return formType, body + end
	case 3:
		return formType + "; boundary=" + strings.Repeat("b", 100), body + end
	case 4:
		return kind, body + strings.Repeat("--"+boundary+"\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n\r\n", 2000) + end
	case 5:
		return kind, "preamble" + body + end + "epilogue"
	}
	return kind, strings.ReplaceAll(body, "\r\n", "\n") + end
}
