package replay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

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
