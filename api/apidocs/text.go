package apidocs

import "strings"

// A paragraph is text in which some is code.
type paragraph []span

type span struct {
	Text string
	Code bool
}

// paragraphs splits a description at its empty lines, and takes what is between backticks for
// code. Other marks stay as they are.
func paragraphs(text string) (all []paragraph) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for part := range strings.SplitSeq(text, "\n\n") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		pieces := strings.Split(part, "`")
		if len(pieces)%2 == 0 { // the last backtick is one of its own
			last := len(pieces) - 1
			pieces = append(pieces[:last-1], pieces[last-1]+"`"+pieces[last])
		}
		var p paragraph
		for i, piece := range pieces {
			if piece != "" {
				p = append(p, span{piece, i%2 == 1})
			}
		}
		all = append(all, p)
	}
	return all
}
