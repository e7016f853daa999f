package boundaries

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link      = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInSlug = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	blocks    = regexp.MustCompile("(?ms)^```.*?^```$")
)

// TestLinks: links between the documents of the repository lead to files and headings that exist.
func TestLinks(t *testing.T) {
	checked := 0
	for _, path := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(document(t, path), -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, ":") {
				continue
			}
			checked++
			file := path
			if target != "" {
				file = filepath.Join(filepath.Dir(path), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %s does not exist", path, found[1])
			} else if anchor != "" && filepath.Ext(file) == ".md" && !slugs(document(t, file))[anchor] {
				t.Errorf("%s: %s has no such heading", path, found[1])
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d links were found", checked)
	}
}

// documents returns the paths of the documents of the repository.
func documents(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules" || entry.Name() == ".git") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// document returns the text of a document without its blocks of code.
func document(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return blocks.ReplaceAllString(string(text), "")
}

// slugs returns the anchors of a document's headings, as GitHub makes them.
func slugs(text string) map[string]bool {
	anchors := map[string]bool{}
	for _, found := range heading.FindAllStringSubmatch(text, -1) {
		slug := notInSlug.ReplaceAllString(strings.ToLower(found[1]), "")
		anchors[strings.ReplaceAll(slug, " ", "-")] = true
	}
	return anchors
}
