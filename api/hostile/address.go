package hostile

import (
	"net/url"
	"slices"
	"strings"
)

// address is where an operation is, with a query.
func (m *maker) address(o operation) string {
	study := m.scene.Study
	if m.odd(20) {
		study = choose(m.dice, m.or("none", ".", "..", m.world.Owner, m.question.Token))
	}
	path := m.prefix + strings.ReplaceAll(o.path, "{study}", escaped(study))
	var query []string
	for _, p := range o.Parameters {
		if p.In != "query" || !m.dice.oneIn(2) {
			continue
		}
		one := p.Name + "=" + url.QueryEscape(m.parameter(p))
		query = append(query, one)
		if m.odd(10) {
			query = append(query, one)
		}
	}
	if m.odd(20) {
		query = append(query, choose(m.dice, []string{"page=2", "%zz", "%ff=1", "limit", "=", ";", "a=%00", "cursor[]=1", "limit=1;limit=2", strings.Repeat("a=1&", 2000), "access_token=" + m.world.Owner}))
	}
	if m.odd(30) {
		path = choose(m.dice, []string{path + "/", "/" + path, strings.ToUpper(path), path + "/..", path + "%2f", path + "/%2e%2e/x", strings.Replace(path, "/v1", "/v2", 1), path + ".json", path + strings.Repeat("/x", 1000), "*", "http://elsewhere" + path})
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	return path
}

// escaped is a text as part of an address, as short as that must be.
func escaped(text string) string {
	const longest = 5000
	return url.PathEscape(text[:min(len(text), longest)])
}

// parameter is the value of a parameter.
func (m *maker) parameter(p parameter) string {
	switch {
	case m.odd(4):
		text := choose(m.dice, slices.Concat(m.texts, m.numbers, beyond(p.Schema)))
		return text[:min(len(text), 5000)]
	case p.Name == "cursor":
		return choose(m.dice, []string{m.scene.Study, "1", "3", "0"})
	case len(p.Schema.Enum) > 0:
		return choose(m.dice, p.Schema.Enum)
	}
	return m.number(p.Schema)
}
