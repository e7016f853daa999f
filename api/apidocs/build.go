package apidocs

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A page is what the template shows.
type page struct {
	CSS     string
	Title   string
	Version string
	Intro   []paragraph
	Schemes []scheme
	Groups  []group
}

// A scheme is a way to say who one is.
type scheme struct {
	Anchor, Name, How string
	Description       []paragraph
}

// A group is the operations with a tag.
type group struct {
	Anchor, Name string
	Description  []paragraph
	Operations   []operation
}

// An operation is a method of a path.
type operation struct {
	Anchor, Method, Path, Summary string
	Description                   []paragraph
	Deprecated                    bool
	Access                        [][]need // any of these, each of which is all of them; none where everybody may
	Parameters                    []field
	Body                          *body
	Responses                     []answer
	Curl                          string
}

// A need is a scheme that is needed, with scopes.
type need struct{ Anchor, Name, Scopes string }

// A body is what is sent.
type body struct {
	Required    bool
	Description []paragraph
	Contents    []content
}

// An answer is a response.
type answer struct {
	Status, Meaning string
	Success         bool
	Headers         []field
	Contents        []content
}

// A content is a body in one form.
type content struct {
	MediaType, Type string
	Rules           []string
	Description     []paragraph
	Fields          []field
}

// Name returns the operation's name in the table of contents.
func (o operation) Name() string {
	if o.Summary != "" {
		return o.Summary
	}
	return o.Method + " " + o.Path
}

// A builder makes a page. Anchors are given out once.
type builder struct {
	document *document
	anchors  map[string]int
	schemes  map[string]string // anchors, by name
}

func newPage(d *document, css string) page {
	b := &builder{document: d, anchors: map[string]int{}, schemes: map[string]string{}}
	p := page{CSS: css, Title: d.Info.Title, Version: d.Info.Version, Intro: paragraphs(d.Info.Description)}
	for _, name := range sortedKeys(d.Components.SecuritySchemes) {
		s := d.Components.SecuritySchemes[name]
		b.schemes[name] = b.anchor("access", name)
		p.Schemes = append(p.Schemes, scheme{b.schemes[name], name, how(s), paragraphs(s.Description)})
	}
	p.Groups = b.groups()
	return p
}

// apiKey is the type of schemes in which a secret is sent under a name.
const apiKey = "apiKey"

// how says how one uses a scheme.
func how(s securityScheme) string {
	switch s.Type {
	case "http":
		return "header Authorization, scheme " + s.Scheme
	case apiKey:
		return s.In + " " + s.Name
	default:
		return s.Type
	}
}

// notInAnchors matches what makes addresses hard to read.
var notInAnchors = regexp.MustCompile(`[^a-z0-9]+`)

// anchor returns a name for a place on the page, another one each time.
func (b *builder) anchor(kind, name string) string {
	a := kind + "-" + strings.Trim(notInAnchors.ReplaceAllString(strings.ToLower(name), "-"), "-")
	b.anchors[a]++
	if n := b.anchors[a]; n > 1 {
		return b.anchor(a, strconv.Itoa(n))
	}
	return a
}

// groups returns the operations by their first tag: tags that the document describes first, in
// its order, the others by name, and last operations without one.
func (b *builder) groups() []group {
	const others = "Other operations"
	byTag := map[string][]operation{}
	for _, path := range sortedKeys(b.document.Paths) {
		item := b.document.Paths[path]
		for _, m := range []struct {
			method string
			m      *documentedMethod
		}{
			{http.MethodGet, item.Get},
			{http.MethodHead, item.Head},
			{http.MethodPost, item.Post},
			{http.MethodPut, item.Put},
			{http.MethodPatch, item.Patch},
			{http.MethodDelete, item.Delete},
			{http.MethodOptions, item.Options},
			{http.MethodTrace, item.Trace},
		} {
			if m.m == nil {
				continue
			}
			tag := ""
			if len(m.m.Tags) > 0 {
				tag = m.m.Tags[0]
			}
			byTag[tag] = append(byTag[tag], b.operation(m.method, path, m.m, item.Parameters))
		}
	}
	var groups []group
	add := func(tag, name, description string) {
		if operations := byTag[tag]; len(operations) > 0 {
			groups = append(groups, group{b.anchor("tag", name), name, paragraphs(description), operations})
		}
		delete(byTag, tag)
	}
	for _, tag := range b.document.Tags {
		add(tag.Name, tag.Name, tag.Description)
	}
	rest := byTag[""]
	delete(byTag, "")
	for _, tag := range sortedKeys(byTag) {
		add(tag, tag, "")
	}
	byTag[""] = rest
	add("", others, "")
	return groups
}

func (b *builder) operation(method, path string, m *documentedMethod, shared []*parameter) operation {
	name := m.ID
	if name == "" {
		name = method + path
	}
	o := operation{
		Anchor: b.anchor("do", name), Method: method, Path: path, Summary: m.Summary, Description: paragraphs(m.Description), Deprecated: m.Deprecated, Access: b.access(m),
	}
	parameters := b.parameters(shared, m.Parameters)
	for _, p := range parameters {
		o.Parameters = append(o.Parameters, b.parameter(p.Name, p, request))
	}
	if m.RequestBody != nil {
		r := b.document.bodyOf(m.RequestBody)
		o.Body = &body{r.Required, paragraphs(r.Description), b.contents(r.Content, request)}
	}
	for _, status := range sortedKeys(m.Responses) {
		o.Responses = append(o.Responses, b.answer(status, b.document.responseOf(m.Responses[status])))
	}
	o.Curl = b.curl(&o, m, parameters)
	return o
}

// parameters returns those of a path and of an operation, which goes where both have one.
func (b *builder) parameters(shared, own []*parameter) (all []*parameter) {
	for _, p := range slices.Concat(shared, own) {
		p = b.document.parameterOf(p)
		same := func(other *parameter) bool { return other.Name == p.Name && other.In == p.In }
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i] = p
			continue
		}
		all = append(all, p)
	}
	return all
}

// parameter describes a parameter, or a header of a response.
func (b *builder) parameter(name string, p *parameter, way direction) field {
	s := p.Schema
	if s == nil {
		s = &schema{}
	}
	f := (&describer{document: b.document, direction: way}).field(name, s, p.Required)
	if p.Description != "" {
		f.Description = paragraphs(p.Description)
	}
	f.In, f.Deprecated = p.In, f.Deprecated || p.Deprecated
	return f
}

// needed returns the requirements of an operation, any of which will do.
func (b *builder) needed(m *documentedMethod) []requirement {
	if m.Security != nil {
		return *m.Security
	}
	return b.document.Security
}

// access returns who may call an operation. One that needs nothing by some way is everybody's.
func (b *builder) access(m *documentedMethod) (ways [][]need) {
	for _, r := range b.needed(m) {
		if len(r) == 0 {
			return nil
		}
		var all []need
		for _, name := range sortedKeys(r) {
			all = append(all, need{b.schemes[name], name, strings.Join(r[name], ", ")})
		}
		ways = append(ways, all)
	}
	return ways
}

func (b *builder) answer(status string, r *response) answer {
	code, _ := strconv.Atoi(status)
	a := answer{Status: status, Meaning: r.Description, Success: status[0] == '1' || status[0] == '2' || status[0] == '3', Contents: b.contents(r.Content, reply)}
	if a.Meaning == "" {
		a.Meaning = http.StatusText(code)
	}
	for _, name := range sortedKeys(r.Headers) {
		a.Headers = append(a.Headers, b.parameter(name, b.document.parameterOf(r.Headers[name]), reply))
	}
	return a
}

func (b *builder) contents(types map[string]mediaType, way direction) (all []content) {
	for _, name := range sortedKeys(types) {
		m := types[name]
		if m.Schema == nil {
			all = append(all, content{MediaType: name})
			continue
		}
		d := &describer{document: b.document, direction: way}
		f := d.field("", m.Schema, false)
		for i := range f.Fields {
			if encoding := m.Encoding[f.Fields[i].Name].ContentType; encoding != "" {
				f.Fields[i].Rules = append(f.Fields[i].Rules, "content type "+encoding)
			}
		}
		all = append(all, content{name, f.Type, f.Rules, f.Description, f.Fields})
	}
	return all
}
