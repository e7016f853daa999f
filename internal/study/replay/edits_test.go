package replay_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"bestpick/internal/study"
)

// An edit is an altered line.
type edit struct{ name, field, text string }

// edits returns a line in which each value is altered in turn: every member, every element, and
// members that a line of this kind may have but this one lacks.
func edits(name string, root *tree) (all []edit) {
	was := root.String()
	add := func(what, path string) {
		if text := root.String(); text != was {
			all = append(all, edit{
				fmt.Sprintf("%s, %s %s", name, path, what),
				regexp.MustCompile(`\[\d+\]`).ReplaceAllString(path, ""), text,
			})
		}
	}
	var walk func(t *tree, path string)
	walk = func(t *tree, path string) {
		for what, alter := range changes(t) {
			before := *t
			before.names, before.parts = slices.Clone(t.names), slices.Clone(t.parts)
			alter(t)
			add(what, path)
			*t = before
		}
		for i, part := range t.parts {
			switch {
			case t.open == '{':
				walk(part, strings.TrimPrefix(path+"."+t.names[i], "."))
			case i == 0 || i == len(t.parts)-1:
				walk(part, fmt.Sprintf("%s[%d]", path, i))
			}
		}
	}
	walk(root, "")
	for i, part := range root.parts {
		for path, text := range additions(root.names[i], part.String()) {
			root.parts[i] = parseTree(text)
			add("added", path)
		}
		root.parts[i] = part
	}
	return all
}

// changes returns alterations of a value.
func changes(t *tree) map[string]func(*tree) {
	all := map[string]func(*tree){}
	set := func(what string, value any) { all[what] = func(t *tree) { *t = tree{literal: value} } }
	switch value := t.literal.(type) {
	case string:
		set("lengthened", value+"x")
		set("emptied", "")
		if value != "" {
			set("truncated", value[:len(value)-1])
			set("in other letters", strings.ToUpper(value))
		}
		if at, err := time.Parse(time.RFC3339Nano, value); err == nil {
			set("an hour later", at.Add(time.Hour).Format(time.RFC3339Nano))
			set("a nanosecond later", at.Add(time.Nanosecond).Format(time.RFC3339Nano))
			set("in another zone", at.In(time.FixedZone("", 3600)).Format(time.RFC3339Nano))
		}
		if data, err := base64.StdEncoding.DecodeString(value); err == nil && len(data) > 500 {
			for i := 0; i < len(data); i += 131 {
				changed := bytes.Clone(data)
				changed[i] ^= 1
				set(fmt.Sprintf("byte %d flipped", i), changed)
			}
		}
		for _, words := range [][]string{
			{"answered", "skipped", "undone", "lost", "imported", "erased"},
			{"draft", "open", "paused", "done"},
			{"asking", "decided", "certified", "cyclic"},
			{"certified", "refuted", "cyclic", "stopped", "spent", "lapsed"},
		} {
			if slices.Contains(words, value) {
				for _, other := range words {
					set("made "+other, other)
				}
			}
		}
	case json.Number:
		if n, err := strconv.ParseInt(value.String(), 10, 64); err == nil {
			set("plus one", n+1)
			set("minus one", n-1)
			set("made zero", 0)
			set("spelled otherwise", json.Number(value.String()+".0"))
		} else if x, err := value.Float64(); err == nil {
			set("a little larger", x*(1+1e-12))
			set("made zero", 0)
		}
	case bool:
		set("negated", !value)
	case nil:
		all["emptied"] = func(t *tree) {
			if t.open == 0 {
				*t = tree{open: '['}
			}
		}
	}
	if t.open == 0 {
		set("made null", nil)
		return all
	}
	all["with something unknown"] = func(t *tree) {
		if t.names = append(t.names, "unknown"); t.open == '[' {
			t.names = nil
		}
		t.parts = append(t.parts, &tree{literal: json.Number("1")})
	}
	for i := range t.parts {
		if t.open == '[' && i > 0 && i < len(t.parts)-1 {
			continue
		}
		all[fmt.Sprintf("part %d dropped", i)] = func(t *tree) {
			if t.parts = slices.Delete(t.parts, i, i+1); t.open == '{' {
				t.names = slices.Delete(t.names, i, i+1)
			}
		}
		all[fmt.Sprintf("part %d twice", i)] = func(t *tree) {
			if t.parts = slices.Insert(t.parts, i, t.parts[i]); t.open == '{' {
				t.names = slices.Insert(t.names, i, t.names[i])
			}
		}
		if t.open == '{' {
			all[fmt.Sprintf("part %d in capitals", i)] = func(t *tree) { t.names[i] = strings.ToUpper(t.names[i]) }
		}
		for j := i + 1; j < len(t.parts); j++ {
			if t.parts[i].kind() == t.parts[j].kind() {
				all[fmt.Sprintf("part %d swapped", i)] = func(t *tree) { t.parts[i], t.parts[j] = t.parts[j], t.parts[i] }
				break
			}
		}
	}
	return all
}

// additions returns the JSON of a part of a line with each zero field of its type set, by path.
func additions(name, text string) map[string]string {
	types := map[string]any{"study": &study.Study{}, "outcome": &study.Outcome{}, "plan": &study.Plan{}}
	value := types[name]
	if value == nil {
		return nil
	}
	if err := json.Unmarshal([]byte(text), value); err != nil {
		panic(err)
	}
	all := map[string]string{}
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		if v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]() {
			for i := range v.NumField() {
				tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
				if v.Type().Field(i).IsExported() && tag != "-" {
					walk(v.Field(i), path+"."+tag)
				}
			}
			return
		}
		if v.IsZero() && fill(v) {
			all[path] = literal(value)
			v.SetZero()
		}
	}
	walk(reflect.ValueOf(value).Elem(), name)
	return all
}

// fill sets a value to a nonzero one.
func fill(v reflect.Value) bool {
	switch v.Kind() { //nolint:exhaustive // an export has no others
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Struct:
		v.Set(reflect.ValueOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
	default:
		return false
	}
	return true
}

// A tree is a JSON value whose members keep their order, so that it is written as it was read.
type tree struct {
	open    json.Delim // { or [ or 0
	names   []string   // of members
	parts   []*tree    // members or elements
	literal any        // of anything else
}

// parseTree reads a JSON text.
func parseTree(text string) *tree {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	t, err := readTree(decoder)
	if err != nil {
		panic(fmt.Sprintf("%v in %.200q", err, text))
	}
	return t
}

func readTree(decoder *json.Decoder) (*tree, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	t := &tree{}
	delim, is := token.(json.Delim)
	if !is {
		t.literal = token
		return t, nil
	}
	t.open = delim
	for decoder.More() {
		if delim == '{' {
			member, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			name, _ := member.(string) // the decoder accepts nothing else
			t.names = append(t.names, name)
		}
		part, err := readTree(decoder)
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, part)
	}
	_, err = decoder.Token()
	return t, err
}

// String writes the value as encoding/json does.
func (t *tree) String() string {
	var b strings.Builder
	switch t.open {
	case '{':
		for i, part := range t.parts {
			fmt.Fprintf(&b, ",%s:%s", literal(t.names[i]), part)
		}
		return "{" + strings.TrimPrefix(b.String(), ",") + "}"
	case '[':
		for _, part := range t.parts {
			fmt.Fprintf(&b, ",%s", part)
		}
		return "[" + strings.TrimPrefix(b.String(), ",") + "]"
	}
	return literal(t.literal)
}

func literal(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(bytes.TrimSpace(text))
}

// kind tells values of different kinds apart.
func (t *tree) kind() string { return fmt.Sprintf("%c%T", t.open, t.literal) }
