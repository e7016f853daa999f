package table

import "strings"

// delimiters are the characters that may separate fields.
const delimiters = ",;\t|"

// delimiterCounts has the number of each delimiter in a line, outside quotes.
type delimiterCounts struct {
	all    [len(delimiters)]int
	spaced [len(delimiters)]int // those with a space behind them
}

func (c *delimiterCounts) total() (sum int) {
	for _, count := range c.all {
		sum += count
	}
	return sum
}

// countDelimiters counts the delimiters in every complete line that is not blank.
func countDelimiters(text []byte) (lines []delimiterCounts) {
	var line delimiterCounts
	quoted, blank := false, true
	for at, c := range text {
		if c == '"' {
			quoted = !quoted
		}
		if c == '\n' && !quoted {
			if !blank {
				lines = append(lines, line)
			}
			line, blank = delimiterCounts{}, true
			continue
		}
		blank = blank && (c == ' ' || c == '\r')
		if i := strings.IndexByte(delimiters, c); i >= 0 && !quoted {
			line.all[i]++
			if at+1 < len(text) && text[at+1] == ' ' {
				line.spaced[i]++
			}
		}
	}
	return lines
}

// isList reports whether the lines below one without delimiters are texts in which a delimiter is
// punctuation: their numbers of it differ, or a space follows all of them.
func isList(lines []delimiterCounts, delimiter int) bool {
	punctuation := true
	for _, line := range lines {
		if line.all[delimiter] != lines[0].all[delimiter] {
			return true
		}
		punctuation = punctuation && line.spaced[delimiter] == line.all[delimiter]
	}
	return punctuation
}
