package apidocs

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// curl returns a line that calls an operation from a shell. What is in capitals is to be filled in.
func (b *builder) curl(o *operation, m *documentedMethod, parameters []*parameter) string {
	words := []string{"curl"}
	if streams(m) {
		words = append(words, "-N")
	}
	if o.Method != http.MethodGet {
		words = append(words, "-X", o.Method)
	}
	address, headers := b.address(o.Path, parameters)
	address, credentials := b.credentials(m, address)
	words = append(words, quote(address))
	for _, header := range append(credentials, headers...) {
		words = append(words, "-H", quote(header))
	}
	if m.RequestBody != nil {
		words = append(words, b.data(b.document.bodyOf(m.RequestBody))...)
	}
	return strings.Join(words, " ")
}

// streams reports whether an operation answers with events for as long as one listens.
func streams(m *documentedMethod) bool {
	for _, r := range m.Responses {
		if _, events := r.Content["text/event-stream"]; events {
			return true
		}
	}
	return false
}

// address returns the address of an operation with the parameters that it needs, and headers.
func (b *builder) address(path string, parameters []*parameter) (address string, headers []string) {
	address = "https://HOST"
	if servers := b.document.Servers; len(servers) > 0 {
		address = strings.TrimSuffix(servers[0].URL, "/")
	}
	var query []string
	for _, p := range parameters {
		value := exampleOf(p)
		switch {
		case p.In == "path":
			path = strings.NewReplacer("{"+p.Name+"}", url.PathEscape(value), "{"+p.Name+"...}", url.PathEscape(value)).Replace(path)
		case p.In == "query" && p.Required:
			query = append(query, url.QueryEscape(p.Name)+"="+url.QueryEscape(value))
		case p.In == "header" && p.Required:
			headers = append(headers, p.Name+": "+value)
		}
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	return address + path, headers
}

// exampleOf returns a value for a parameter: its example, or its name in capitals.
func exampleOf(p *parameter) string {
	if p.Example != nil {
		return compact(p.Example)
	}
	if s := p.Schema; s != nil {
		for _, values := range [][]any{s.Examples, s.Enum} {
			if len(values) > 0 {
				return compact(values[0])
			}
		}
	}
	return strings.ToUpper(p.Name)
}

// credentials returns what says who one is, by the first way that there is.
func (b *builder) credentials(m *documentedMethod, address string) (with string, headers []string) {
	needed := b.needed(m)
	if len(needed) == 0 {
		return address, nil
	}
	for _, name := range sortedKeys(needed[0]) {
		scheme := b.document.Components.SecuritySchemes[name]
		switch {
		case scheme.Type == apiKey && scheme.In == "header":
			headers = append(headers, scheme.Name+": KEY")
		case scheme.Type == apiKey && scheme.In == "cookie":
			headers = append(headers, "Cookie: "+scheme.Name+"=KEY")
		case scheme.Type == apiKey:
			separator := "?"
			if strings.Contains(address, "?") {
				separator = "&"
			}
			address += separator + url.QueryEscape(scheme.Name) + "=KEY"
		case strings.EqualFold(scheme.Scheme, "basic"):
			headers = append(headers, "Authorization: Basic CREDENTIALS")
		default:
			headers = append(headers, "Authorization: Bearer TOKEN")
		}
	}
	return address, headers
}

// data returns the words that send a body.
func (b *builder) data(body *requestBody) []string {
	types := sortedKeys(body.Content)
	if len(types) == 0 {
		return nil
	}
	contentType := types[0]
	if slices.Contains(types, "application/json") {
		contentType = "application/json"
	}
	content := body.Content[contentType]
	s := content.Schema
	if s == nil {
		s = &schema{}
	}
	d := &describer{document: b.document}
	switch {
	case contentType == "multipart/form-data":
		return d.formData(s)
	case strings.HasSuffix(contentType, "json"):
		value := content.Example
		if value == nil {
			value = d.example(s)
		}
		return []string{"-H", quote("Content-Type: " + contentType), "-d", quote(jsonText(value))}
	default:
		return []string{"-H", quote("Content-Type: " + contentType), "--data-binary", "@FILE"}
	}
}

// formData returns the words that send a form with the fields that it needs.
func (d *describer) formData(s *schema) (words []string) {
	there, _, _ := d.resolve(s)
	for _, name := range sortedKeys(there.Properties) {
		if !slices.Contains(there.Required, name) {
			continue
		}
		p, _, _ := d.resolve(there.Properties[name])
		if p.Items != nil {
			p, _, _ = d.resolve(p.Items)
		}
		value := compact(d.example(p))
		if p.Format == binary {
			value = "@FILE"
		}
		words = append(words, "-F", quote(name+"="+value))
	}
	return words
}

// example returns a value for a schema: an example that it has, or one that is made of what it
// needs.
func (d *describer) example(s *schema) any {
	there, name, again := d.resolve(s)
	if again {
		return map[string]any{}
	}
	d.inside = append(d.inside, name)
	defer func() { d.inside = d.inside[:len(d.inside)-1] }()
	switch {
	case there.Example != nil:
		return there.Example
	case len(there.Examples) > 0:
		return there.Examples[0]
	case there.Const != nil:
		return there.Const
	case there.Default != nil:
		return there.Default
	case len(there.Enum) > 0:
		return there.Enum[0]
	}
	for _, forms := range [][]*schema{there.OneOf, there.AnyOf} {
		if len(forms) > 0 {
			return d.example(forms[0])
		}
	}
	return d.exampleOfType(there)
}

// exampleOfType returns a value of a type.
func (d *describer) exampleOfType(s *schema) any {
	first := ""
	if len(s.Type) > 0 {
		first = s.Type[0]
	}
	switch first {
	case huma.TypeArray:
		if s.Items == nil {
			return []any{}
		}
		return []any{d.example(s.Items)}
	case huma.TypeBoolean:
		return true
	case huma.TypeInteger, huma.TypeNumber:
		if s.Minimum != nil {
			return s.Minimum
		}
		return 1
	case huma.TypeString:
		if s.Format == "date-time" {
			return "2026-01-31T12:00:00Z"
		}
		return "…"
	}
	object := map[string]any{}
	for _, part := range s.AllOf {
		if members, isObject := d.example(part).(map[string]any); isObject {
			maps.Copy(object, members)
		}
	}
	for _, name := range s.Required {
		if p := s.Properties[name]; p != nil && !p.ReadOnly {
			object[name] = d.example(p)
		}
	}
	return object
}

// quote returns a text as one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
