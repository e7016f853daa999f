package owner

import (
	"errors"
	"strings"
	"testing"

	"bestpick/internal/study"
	"bestpick/internal/table"
	"bestpick/strategy/racing"
)

// FuzzReadMembers: members read from any file have unique, valid names and valid segments, and
// errors contain the file.
func FuzzReadMembers(f *testing.F) {
	for _, text := range []string{
		"name\nanna\nben\n", "name;segment\nanna;north\n", "segment\tname\nsouth\t\"Zo\"\"ë\"\n", "name,segment\na,west\n", "\ufeffname\n a \n\na\n", "name\n\xff\n", "name,name\n", "", "anna@example.com\nben\n", "E-mail\nanna\n", "anna", "segment\nnorth\n",
	} {
		f.Add(text)
	}
	model := racing.Model{Segments: []racing.Segment{{Name: "north", Share: 1}, {Name: "south", Share: 2}}}
	f.Fuzz(func(t *testing.T, text string) {
		const file = "people.csv"
		people, err := ReadMembers(strings.NewReader(text), int64(len(text)), file, model)
		if err != nil {
			if placed, ok := errors.AsType[*table.Error](err); !ok || placed.File != file {
				t.Errorf("the error has no location: %v", err)
			}
			return
		}
		known := map[string]bool{}
		for _, p := range people {
			if p.Name == "" || strings.TrimSpace(p.Name) != p.Name || study.CheckText(p.Name) != nil || known[p.Name] || len(p.Name) > 4*study.MaxRespondent {
				t.Errorf("invalid name %q", p.Name)
			}
			known[p.Name] = true
			if p.Segment != "" && p.Segment != "north" && p.Segment != "south" {
				t.Errorf("invalid segment %q", p.Segment)
			}
		}
		if len(people) == 0 {
			t.Error("no members, but no error")
		}
	})
}

// TestReadList: a table of one column needs no header.
func TestReadList(t *testing.T) {
	for text, want := range map[string]string{
		"anna@example.com\nben\n": "anna@example.com ben", "E-mail\nanna\nben\n": "anna ben", "anna": "anna", "name\nanna\n": "anna",
		"name\n": "", "segment\nnorth\n": "", "anna\nanna\n": "", "anna,ben\ncleo,dan\n": "",
	} {
		people, err := ReadMembers(strings.NewReader(text), int64(len(text)), "people.csv", racing.Model{})
		var names []string
		for _, p := range people {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); (err != nil) != (want == "") || err == nil && got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}
