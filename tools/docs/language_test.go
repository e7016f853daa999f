package main

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bestpick/internal/testsupport"
)

// TestLanguage: comments, messages and documents have none of the words that the table of docs/language.md rejects, also
// across lines.
func TestLanguage(t *testing.T) {
	const guide = "docs/language.md"
	tree := os.DirFS("../..")
	text, err := fs.ReadFile(tree, guide)
	testsupport.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "\n## Words that the check rejects\n")
	_, table, found := strings.Cut(table, "\n|---|---|\n")
	if !found {
		t.Fatal("the guide has no table of words")
	}
	var phrases []string
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			break
		}
		for phrase := range strings.SplitSeq(cells[1], ",") {
			phrases = append(phrases, strings.Join(strings.Fields(phrase), `[\s/*#]+`))
		}
	}
	words := regexp.MustCompile(`(?i)\b(` + strings.Join(phrases, "|") + `)\b`)
	if !words.MatchString("It is"+"\n// told.") || words.MatchString("The owner is notified.") {
		t.Fatalf("the pattern is %v", words)
	}
	extensions := []string{
		".go", ".md", ".html", ".json", ".js", ".css", ".py", ".sh", ".yml", ".yaml", ".svg", ".cfg", ".conf",
		".service",
	}
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{".git", "testdata", "__pycache__"}, entry.Name()) {
			return fs.SkipDir
		}
		base := entry.Name() // the guide names the words; German has others
		if entry.IsDir() || name == guide || base == "de.json" ||
			!slices.Contains(extensions, path.Ext(base)) && base != "Makefile" && base != "Dockerfile" {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		if path.Ext(base) == ".go" {
			text = prose(text)
		}
		for _, at := range words.FindAllIndex(text, -1) {
			t.Errorf("../../%s:%d: %q; see %s", name, 1+bytes.Count(text[:at[0]], []byte("\n")), text[at[0]:at[1]], guide)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// prose returns the comments and the texts of several words of a Go file, in their places, and spaces instead of the rest.
func prose(source []byte) []byte {
	kept := bytes.Repeat([]byte(" "), len(source))
	for i, c := range source {
		if c == '\n' {
			kept[i] = c
		}
	}
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	var s scanner.Scanner
	for s.Init(file, source, nil, scanner.ScanComments); ; {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			return kept
		}
		if kind == token.COMMENT || kind == token.STRING && strings.Contains(literal, " ") {
			copy(kept[file.Offset(at):], literal)
		}
	}
}
