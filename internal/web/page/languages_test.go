package page

import (
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bestpick/internal/testsupport"
)

// TestLanguagesSayTheSame: all languages have the same messages, with the same placeholders.
func TestLanguagesSayTheSame(t *testing.T) {
	braces := regexp.MustCompile(`\{[^}]*\}`)
	l := newLanguages()
	if len(l.words) < 2 {
		t.Fatal("only one language was found")
	}
	english := l.words[0].Messages()
	for _, w := range l.words {
		messages := w.Messages()
		if got, want := slices.Sorted(maps.Keys(messages)), slices.Sorted(maps.Keys(english)); !slices.Equal(got, want) {
			t.Errorf("%s has\n%v, English has\n%v", w.Language, got, want)
		}
		for key, message := range messages {
			got, want := braces.FindAllString(message, -1), braces.FindAllString(english[key], -1)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s of %s has %v, that of English %v", key, w.Language, got, want)
			}
			if strings.TrimSpace(message) != message || message == "" {
				t.Errorf("%s of %s is %q", key, w.Language, message)
			}
		}
	}
}

// TestMessagesAreUsed: all messages that templates and code use exist, and all messages are used.
// Some keys are concatenated from a prefix or a suffix.
func TestMessagesAreUsed(t *testing.T) {
	sources := map[string]string{}
	err := fs.WalkDir(templateFiles, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := templateFiles.ReadFile(name)
		sources[name] = string(text)
		return err
	})
	testsupport.NoError(t, err)
	var files []string
	for _, pattern := range []string{"*.go", "../*/*.go", "../../statement/*.go"} {
		found := testsupport.Value(filepath.Glob(pattern)).OrFail(t)
		files = append(files, found...)
	}
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil && !strings.HasSuffix(name, "_test.go") {
			sources[name] = string(text)
		}
	}
	english := newLanguages().words[0].Messages()
	quoted := regexp.MustCompile(`"([a-z][a-z.-]*)"`)
	named := regexp.MustCompile(`(?:\.Say|\.Must\(|\.add\() ?"([^"]+)"[^ +]`)
	begun := regexp.MustCompile(`print "([a-z.]+\.)"|"([a-z.]+\.)" ?\+`)
	ended := regexp.MustCompile(`print [.$A-Za-z]+ "(\.[a-z]+)"`)
	used, prefixes, suffixes := map[string]bool{}, []string{"notice."}, []string{}
	for name, text := range sources {
		for _, found := range quoted.FindAllStringSubmatch(text, -1) {
			used[found[1]] = true
		}
		for _, found := range named.FindAllStringSubmatch(text, -1) {
			if english[found[1]] == "" && !strings.HasSuffix(found[1], ".") {
				t.Errorf("%s: message %s does not exist", name, found[1])
			}
		}
		for _, found := range begun.FindAllStringSubmatch(text, -1) {
			prefixes = append(prefixes, found[1]+found[2])
		}
		for _, found := range ended.FindAllStringSubmatch(text, -1) {
			suffixes = append(suffixes, found[1])
		}
	}
	for key := range english {
		made := slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(key, p) }) ||
			slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(key, s) })
		if !used[key] && !made {
			t.Errorf("message %s is not used", key)
		}
	}
}

// TestLanguageIsChosen: the link chooses the language, or else the browser.
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
		if got := l.in(r, test.chosen).Language; got != test.want {
			t.Errorf("Accept-Language %.20q and lang %.20q: %s, want %s", test.accept, test.chosen, got, test.want)
		}
	}
}

// TestLocalLinks: every attribute of a template that refers to a path of this server gets the base.
func TestLocalLinks(t *testing.T) {
	link := regexp.MustCompile(`([\w-]+)="(?:/[^/]|\{\{asset|\{\{\$?\.(?:Address|Events|Action|Export|Withdrawal|File|Again)\b)`)
	found := 0
	err := fs.WalkDir(templateFiles, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := templateFiles.ReadFile(name)
		for _, each := range link.FindAllSubmatch(text, -1) {
			if found++; string(each[1]) != "value" && !localLink.MatchString(" "+string(each[1])+`="/`) {
				t.Errorf("%s: links in %s get no base", name, each[1])
			}
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("%d links, %v", found, err)
	}
}
