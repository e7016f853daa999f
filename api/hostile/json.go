package hostile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// body returns JSON of a schema as text, in which something may be wrong.
func (m *maker) body(s *schema) string {
	text := m.value(s, "")
	if m.odd(6) {
		text = m.damagedText(text)
	}
	return text
}

// value returns a value of a schema, as JSON. name is that of the field, where it is one.
func (m *maker) value(s *schema, name string) string {
	s = m.resolved(s)
	if m.odd(10) {
		return m.oddValue(s)
	}
	switch s.Type {
	case "object":
		return m.object(s)
	case "array":
		return m.array(s, name)
	case "boolean":
		return strconv.FormatBool(m.dice.oneIn(2))
	case "integer", "number":
		return m.number(s)
	}
	return quoted(m.text(s, name))
}

// oddValue is one that does not fit.
func (m *maker) oddValue(s *schema) string {
	switch m.dice.below(4) {
	case 0:
		return choose(m.dice, m.values)
	case 1:
		return choose(m.dice, slices.Concat(m.numbers, beyond(s)))
	case 2:
		return quoted(choose(m.dice, m.texts))
	}
	return `"` + choose(m.dice, m.texts) + `"` // where it is not escaped it may not even be JSON
}

// object has the fields that it must have, and some of the others.
func (m *maker) object(s *schema) string {
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		const often = 3
		needed := slices.Contains(s.Required, name)
		if !needed && !m.dice.oneIn(often) || needed && m.odd(30) {
			continue
		}
		field := quoted(name) + ":" + m.value(s.Properties[name], name)
		if m.odd(40) {
			field = strings.ToUpper(field[:2]) + field[2:]
		}
		fields = append(fields, field)
		if m.odd(40) {
			fields = append(fields, field)
		}
	}
	if m.odd(20) {
		fields = append(fields, quoted(choose(m.dice, m.or("id", "__proto__", "$schema")))+":"+choose(m.dice, m.values))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

func (m *maker) array(s *schema, name string) string {
	if name == "picks" {
		picks := m.picks()
		for i := range picks {
			picks[i] = quoted(picks[i])
		}
		return "[" + strings.Join(picks, ",") + "]"
	}
	n := s.MinItems + m.dice.below(3)
	if m.odd(10) {
		n = m.dice.below(1000)
	}
	items := make([]string, n)
	for i := range items {
		items[i] = m.value(s.Items, "")
	}
	return "[" + strings.Join(items, ",") + "]"
}

// number is a small one, most of the time, that a schema allows.
func (m *maker) number(s *schema) string {
	x := float64(2 + m.dice.below(4))
	if s.Type == "number" && m.dice.oneIn(2) {
		x /= 16
	}
	switch m.dice.below(8) {
	case 6:
		if s.Minimum != nil {
			return fmt.Sprint(*s.Minimum)
		}
	case 7:
		if s.Maximum != nil {
			return strconv.FormatFloat(*s.Maximum, 'f', -1, 64)
		}
	}
	if s.Maximum != nil {
		x = min(x, *s.Maximum)
	}
	return fmt.Sprint(x)
}

// text is one that a field may have.
func (m *maker) text(s *schema, name string) string {
	switch {
	case name == "token":
		return m.question.Token
	case name == "arm":
		return choose(m.dice, m.scene.Arms)
	case name == "segment" && len(m.scene.Segments) > 0:
		return choose(m.dice, m.scene.Segments)
	case name == "key" && len(m.scene.Keys) > 0:
		return choose(m.dice, m.scene.Keys)
	case name == "url":
		return choose(m.dice, []string{"https://example.com/hook?a=b", "https://example.org:8443", "https://127.0.0.1/", "http://example.com", "//x", "https://a@b"})
	case len(s.Enum) > 0:
		return choose(m.dice, s.Enum)
	}
	words := []string{"anna", "bert", "cleo", "Ünïcode 🍒", "person " + strconv.Itoa(m.dice.below(50))}
	if s.MaxLength > 0 {
		words = append(words, strings.Repeat("l", s.MaxLength))
	}
	return choose(m.dice, words)
}

// picks are arms of the question, of which there may be none in this world.
func (m *maker) picks() []string {
	arms := slices.Clone(m.question.Arms)
	n := min(m.question.Picks, len(arms))
	if m.odd(10) {
		n = m.dice.below(len(arms) + 1)
	}
	if len(arms) > 0 {
		first := m.dice.below(len(arms))
		arms[0], arms[first] = arms[first], arms[0]
	}
	picks := arms[:n]
	if m.odd(10) {
		picks = append(picks, choose(m.dice, slices.Concat(m.texts, m.scene.Arms)))
	}
	return picks
}

// quoted is a text in JSON. Bytes that are not UTF-8 stay.
func quoted(text string) string {
	if strings.ToValidUTF8(text, "") != text {
		return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\n", `\n`, "\r", `\r`, "\x00", `\u0000`).Replace(text) + `"`
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		panic("hostile: " + err.Error())
	}
	return string(quoted)
}
