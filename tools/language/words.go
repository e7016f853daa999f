package main

import (
	"errors"
	"regexp"
	"strings"
)

// readWords returns a pattern of the words that the table at the end of the guide lists.
func readWords(guide string) (*regexp.Regexp, error) {
	_, section, _ := strings.Cut(guide, "\n## Words that the check rejects\n")
	_, table, found := strings.Cut(section, "\n|---|---|\n")
	if !found {
		return nil, errors.New("language: the guide has no table of words")
	}
	var patterns []string
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			break
		}
		for phrase := range strings.SplitSeq(cells[1], ",") {
			patterns = append(patterns, strings.Join(strings.Fields(regexp.QuoteMeta(phrase)), " "))
		}
	}
	return regexp.Compile(`(?i)\b(` + strings.Join(patterns, "|") + `)\b`)
}

// A passage is text that is read in one go, such as a comment or a paragraph, with the line of each part.
type passage struct {
	parts []part
}

type part struct {
	line int
	text string
}

// A violation is an occurrence of rejected words.
type violation struct {
	line  int
	words string
}

// check returns the violations of a passage, also where the words are on two lines.
func (p passage) check(words *regexp.Regexp) []violation {
	var text strings.Builder
	var starts []int
	for _, part := range p.parts {
		starts = append(starts, text.Len())
		text.WriteString(strings.Join(strings.Fields(part.text), " ") + " ")
	}
	var found []violation
	for _, at := range words.FindAllStringIndex(text.String(), -1) {
		line := 0
		for i, start := range starts {
			if start <= at[0] {
				line = p.parts[i].line
			}
		}
		found = append(found, violation{line, text.String()[at[0]:at[1]]})
	}
	return found
}
