package endtoend

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An apiSpec generates HTTP requests for fuzzing an API. It reads the OpenAPI document of the API and builds
// requests for every operation that are valid except for deliberate faults: in types, numbers, strings, files,
// tokens, headers, or the framing of the body. All choices come from bytes, so a failure can be reproduced and a
// fuzzer can search for more.
type apiSpec struct {
	prefix     string // of all paths
	operations []operation
	schemas    map[string]*schema
}

type operation struct {
	ID         string            `json:"operationId"`
	Security   []json.RawMessage `json:"security"`
	Parameters []parameter       `json:"parameters"`
	Body       struct {
		Content map[string]struct {
			Schema   *schema `json:"schema"`
			Encoding map[string]struct {
				ContentType string `json:"contentType"`
			} `json:"encoding"`
		} `json:"content"`
	} `json:"requestBody"`

	method, path string
}

type parameter struct {
	Name   string  `json:"name"`
	In     string  `json:"in"`
	Schema *schema `json:"schema"`
}

type schema struct {
	Ref        string             `json:"$ref"`
	Type       string             `json:"type"`
	Format     string             `json:"format"`
	Enum       []string           `json:"enum"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *schema            `json:"items"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
	MinItems   int                `json:"minItems"`
	MaxLength  int                `json:"maxLength"`
}

// parseSpec reads an OpenAPI document in JSON.
func parseSpec(document []byte) (*apiSpec, error) {
	var read struct {
		Servers []struct {
			URL string `json:"url"`
		} `json:"servers"`
		Paths      map[string]map[string]operation `json:"paths"`
		Components struct {
			Schemas map[string]*schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &read); err != nil {
		return nil, err
	}
	if len(read.Servers) != 1 || len(read.Paths) == 0 {
		return nil, fmt.Errorf("the document must have one server and at least one path, got %d and %d", len(read.Servers),
			len(read.Paths))
	}
	s := &apiSpec{prefix: read.Servers[0].URL, schemas: read.Components.Schemas}
	for _, path := range slices.Sorted(maps.Keys(read.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(read.Paths[path])) {
			o := read.Paths[path][method]
			o.method, o.path = strings.ToUpper(method), path
			s.operations = append(s.operations, o)
		}
	}
	return s, nil
}

// Operations returns the IDs of all operations.
func (s *apiSpec) Operations() []string {
	ids := make([]string, len(s.operations))
	for i, o := range s.operations {
		ids[i] = o.ID
	}
	return ids
}

// resolve follows a reference to a component.
func (s *apiSpec) resolve(v *schema) *schema {
	if name, refers := strings.CutPrefix(v.Ref, "#/components/schemas/"); refers {
		return s.schemas[name]
	}
	return v
}

// oddStrings are hard to store, to quote or to parse.
var oddStrings = []string{
	"", " ", "a\x00b", "\xff\xfe", "\xed\xa0\x80", "\ufeff", "\u202e\u2066", "e\u0301", "\r\nX-Odd: 1", "../../etc/passwd",
	"%00", "%s%d%n",
	"<script>alert(1)</script>", "' or 1=1 --", "=1+1", "null", `"`, `\`, ";", strings.Repeat("é", 1001),
	strings.Repeat("\"", 70_000), strings.Repeat("z", 1<<20),
}

// oddNumbers are at the ends of common types, or not numbers in JSON.
var oddNumbers = []string{
	"0", "-0", "-1", "2.5", "1e0", "1e400", "1e-400", "5e-324", "1.7976931348623157e308", "1e-7", "9007199254740993", "2147483648",
	"9223372036854775808", "-9223372036854775809", "1000000000000", strings.Repeat("9", 400), "1e" + strings.Repeat("9", 30), "NaN",
	"-Infinity", ".5", "+1", "0x10",
}

// oddValues are JSON values of unexpected types and sizes, or invalid JSON.
var oddValues = []string{
	"null", "true", "{}", "[]", `""`, "[null]", `{"":1}`, `"\ud800"`, `"\u0000"`, "\"\xff\"", "[1,]", "undefined",
	strings.Repeat("[", 100_000),
	strings.Repeat("[", 9000) + strings.Repeat("]", 9000), strings.Repeat(`{"settings":`, 9000) + "1" + strings.Repeat("}", 9000),
	"[" + strings.Repeat("0,", 100_000) + "0]", "{" + strings.Repeat(`"a":1,`, 50_000) + `"a":1}`,
}

// mutate damages a JSON text or a file.
func (g *generator) mutate(text string) string {
	const many = 20_000
	at := g.choices.below(len(text) + 1)
	line, _, _ := strings.Cut(text, "\n")
	switch g.choices.below(12) {
	case 0:
		return text[:at]
	case 1:
		return text[at:] + text[:at]
	case 2:
		return text[:at] + choose(g.choices, oddStrings) + text[at:]
	case 3:
		return g.replaceWord(text)
	case 4:
		return text + text
	case 5:
		return "\ufeff" + text
	case 6:
		const longest = 1000 // bytes of a repeated line: JSON may be one long line
		return text + strings.Repeat(choose(g.choices, []string{" ", "\n", ",", "\"quoted\n", line[:min(len(line), longest)] + "\n"}),
			many)
	case 7:
		return line + strings.Repeat(",again", many) + strings.TrimPrefix(text, line)
	case 8:
		return strings.Repeat(choose(g.choices, []string{"[", "- "}), many) + text
	case 9:
		return "a: &a [x, y]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: [*c, *c, *c, *c]\n" + text
	case 10:
		return choose(g.choices, []string{packed(text), packed(packed(text)), packed(text)[:20], bomb(text, 1<<28)})
	}
	damaged := []byte(text)
	for range min(len(damaged), 1+g.choices.below(8)) {
		damaged[g.choices.below(len(damaged))] = byte(g.choices.below(256))
	}
	return string(damaged)
}

// replaceWord replaces a word by an odd one.
func (g *generator) replaceWord(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;\n\t[]{}:\" ", r) })
	if len(words) == 0 {
		return text
	}
	return strings.Replace(text, choose(g.choices, words), choose(g.choices, slices.Concat(oddStrings, oddNumbers)),
		1+g.choices.below(3))
}

// packed compresses a text with gzip.
func packed(text string) string {
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	_, _ = writer.Write([]byte(text)) // a buffer does not fail
	_ = writer.Close()                // nor here
	return out.String()
}

// bomb returns a small gzip file that decompresses to text, followed by at least size bytes of copies of its last
// line.
func bomb(text string, size int) string {
	line := text[strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n')+1:]
	if line == "" {
		line = "\n"
	}
	block := strings.Repeat(line, 1+(1<<20)/len(line))
	return packed(text) + strings.Repeat(packed(block), size/len(block)+1)
}
