package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// checkTree returns the violations of all files, by path.
func checkTree(tree fs.FS, words *regexp.Regexp) (map[string][]violation, error) {
	found := map[string][]violation{}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if skipped := []string{".git", "testdata", "__pycache__"}; slices.Contains(skipped, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !isProse(name) {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		passages, err := passagesOf(name, text)
		if err != nil {
			return err
		}
		for _, p := range passages {
			if violations := p.check(words); len(violations) > 0 {
				found[name] = append(found[name], violations...)
			}
		}
		return nil
	})
	return found, err
}

// isProse reports whether a file has English text that people wrote for this program.
func isProse(name string) bool {
	base := path.Base(name)
	switch {
	case name == guide || base == "de.json": // the guide names the words; German has others
		return false
	case base == "Makefile" || base == "Dockerfile" || name == ".ci/run":
		return true
	}
	return slices.Contains([]string{".go", ".md", ".html", ".json", ".js", ".css", ".py", ".sh", ".yml", ".yaml", ".svg", ".cfg", ".conf", ".service"}, path.Ext(base))
}

// passagesOf returns the passages of a file: comments and texts of a Go file, and all of another one.
func passagesOf(name string, text []byte) ([]passage, error) {
	if path.Ext(name) == ".go" {
		return passagesOfGo(name, text)
	}
	var all passage
	line := 0
	for content := range bytes.Lines(text) {
		line++
		all.parts = append(all.parts, part{line, strings.TrimLeft(string(content), " \t#/*")})
	}
	return []passage{all}, nil
}

// passagesOfGo returns the comments of a Go file, and its string literals of several words.
func passagesOfGo(name string, text []byte) ([]passage, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var passages []passage
	for _, group := range file.Comments {
		var p passage
		for _, comment := range group.List {
			first := files.Position(comment.Pos()).Line
			for i, content := range strings.Split(comment.Text, "\n") {
				p.parts = append(p.parts, part{first + i, strings.Trim(content, " \t/*")})
			}
		}
		passages = append(passages, p)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if value, err := strconv.Unquote(literal.Value); err == nil && strings.Contains(strings.TrimSpace(value), " ") {
				passages = append(passages, passage{[]part{{files.Position(literal.Pos()).Line, value}}})
			}
		}
		return true
	})
	return passages, nil
}
