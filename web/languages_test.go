package web

import (
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestLanguagesSayTheSame: all languages have the same messages, with the same in braces.
func TestLanguagesSayTheSame(t *testing.T) {
	braces := regexp.MustCompile(`\{[^}]*\}`)
	l := newLanguages()
	if len(l.names) < 2 {
		t.Fatal("there is one language only")
	}
	english := l.messages[0]
	for i, messages := range l.messages {
		if got, want := slices.Sorted(maps.Keys(messages)), slices.Sorted(maps.Keys(english)); !slices.Equal(got, want) {
			t.Errorf("%s has\n%v, English has\n%v", l.names[i], got, want)
		}
		for key, message := range messages {
			got, want := braces.FindAllString(message, -1), braces.FindAllString(english[key], -1)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s of %s has %v, that of English %v", key, l.names[i], got, want)
			}
			if strings.TrimSpace(message) != message || message == "" {
				t.Errorf("%s of %s is %q", key, l.names[i], message)
			}
		}
	}
}

// TestMessagesAreUsed: what templates say by its name is there, and all that is there is said by its name in a
// template or in the code, but for those whose names are made.
func TestMessagesAreUsed(t *testing.T) {
	named := regexp.MustCompile(`\.Say "([^"]+)"`)
	english := newLanguages().messages[0]
	used := map[string]bool{}
	err := fs.WalkDir(templateFiles, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := templateFiles.ReadFile(name)
		for _, found := range named.FindAllSubmatch(text, -1) {
			used[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for key := range english {
			used[key] = used[key] || !strings.HasSuffix(name, "_test.go") && strings.Contains(string(text), strconv.Quote(key))
		}
	}
	for key := range used {
		if english[key] == "" {
			t.Errorf("there is no message %s", key)
		}
	}
	for key := range english {
		made := regexp.MustCompile(`^(notice|state|kind|field)\.`).MatchString(key) || strings.HasSuffix(key, ".title") || strings.HasSuffix(key, ".text") // from a state or notice
		if !used[key] && !made {
			t.Errorf("nobody says %s", key)
		}
	}
}

// TestLanguageIsChosen by the link, and otherwise by what the browser says.
func TestLanguageIsChosen(t *testing.T) {
	l := newLanguages()
	for _, test := range []struct{ accept, chosen, want string }{
		{"", "", "en"},
		{"de-AT,de;q=0.9,en;q=0.5", "", "de"},
		{"fr,de;q=0.3", "", "de"},
		{"fr", "", "en"},
		{"de", "en", "en"},
		{"en", "de-CH", "de"},
		{"de", "xx", "de"},
		{"de", "<script>", "de"},
		{strings.Repeat("-", 3000), strings.Repeat("-de", 3000), "en"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Accept-Language", test.accept)
		if got := l.of(r, test.chosen).Language; got != test.want {
			t.Errorf("Accept-Language %.20q and lang %.20q: %s, want %s", test.accept, test.chosen, got, test.want)
		}
	}
}

// TestSay fills in what is in braces, and knows what it does not know.
func TestSay(t *testing.T) {
	w := words{"xx", map[string]string{"greeting": "{a} and {b}, {a}"}}
	if got, err := w.Say("greeting", "a", 1, "b", "{a}"); err != nil || got != "1 and {a}, 1" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := w.Say("farewell"); err == nil {
		t.Error("a message that is not there is said")
	}
}
