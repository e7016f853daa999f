package owner

import (
	"errors"
	"strings"
	"testing"
	"time"

	"bestpick/internal/catalogue/read"
	"bestpick/internal/study"
	"bestpick/internal/table"
	"bestpick/strategy/racing"
)

// TestDraft: a draft has the problems of all its fields, and its guarantee depends on its arms.
func TestDraft(t *testing.T) {
	text := strings.NewReader("id,price\na,1\nb,2\nc,3\n")
	arms, _, err := File{Upload: read.Upload{Name: "arms.csv", Contents: text, Size: text.Size()}}.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	good := Draft{Name: "Lamps", Arms: arms}
	settings, problems := good.Study(now)
	if problems != nil || settings.Strategy.Assume != "majority" || settings.Strategy.Epsilon != racing.DefaultEpsilon ||
		settings.Picks != 2 {
		t.Errorf("%+v, %v", settings, problems)
	}
	bad := Draft{
		Prompt:   strings.Repeat("x", study.MaxPrompt+1),
		Settings: study.Settings{PerRespondent: -1, Deadline: now}, Arms: arms,
	}
	bad.Settings.Strategy.K = 4
	_, problems = bad.Study(now)
	var got []string
	for _, p := range problems {
		got = append(got, p.Field+" "+string(p.Kind))
	}
	const want = "name missing, prompt long, settings.k range, settings.each range, settings.deadline past"
	if strings.Join(got, ", ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	if _, problems = (Draft{Name: "Lamps"}).Study(now); len(problems) != 1 || problems[0].Field != "catalogue" {
		t.Errorf("without arms: %v", problems)
	}
}

// TestReadSettings: texts of a form change settings, and a setting with a problem stays the same.
func TestReadSettings(t *testing.T) {
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	before := study.Settings{}.WithDefaults()
	texts := map[string]string{"k": "2000", "picks": "2", "delta": "x", "ties": "true", "deadline": "2001-01-01T00:00", "each": ""}
	got, problems := ReadSettings(before, texts, nil, now)
	if got.Strategy.K != before.Strategy.K || got.Picks != 2 || got.Strategy.Delta != before.Strategy.Delta ||
		!got.Strategy.Offer.Ties {
		t.Errorf("%+v", got)
	}
	var fields []string
	for _, p := range problems {
		fields = append(fields, p.Field+" "+string(p.Kind))
	}
	if text := strings.Join(fields, ", "); text != "settings.delta unreadable, settings.k range, settings.deadline past" {
		t.Errorf("%s", text)
	}
}

// FuzzReadMembers: members read from any file have unique, valid names and valid segments, and
// errors contain the file.
func FuzzReadMembers(f *testing.F) {
	for _, text := range []string{
		"name\nanna\nben\n", "name;segment\nanna;north\n", "segment\tname\nsouth\t\"Zo\"\"ë\"\n", "name,segment\na,west\n",
		"\ufeffname\n a \n\na\n", "name\n\xff\n", "name,name\n", "", "anna@example.com\nben\n", "E-mail\nanna\n", "anna",
		"segment\nnorth\n",
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
			if p.Name == "" || strings.TrimSpace(p.Name) != p.Name || study.CheckText(p.Name) != nil || known[p.Name] ||
				len(p.Name) > 4*study.MaxRespondent {
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
