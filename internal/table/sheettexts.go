package table

import (
	"math"
	"strconv"
	"strings"
)

// sharedTexts are the texts that cells refer to by number, one after the other.
type sharedTexts struct {
	all  strings.Builder
	ends []uint32
}

// at returns a text, "" if there is none with this number.
func (t *sharedTexts) at(number string) (string, bool) {
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(t.ends) {
		return "", false
	}
	start := uint32(0)
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.all.String()[start:t.ends[i]], true
}

// readTexts reads the shared texts.
func (b *Book) readTexts(name string) error {
	most := int64(math.MaxUint32) // which an end can be
	if b.limits.Bytes > 0 {
		most = maxTextBytes
	}
	var runs runs
	return b.each(name, most, func(e element) error {
		runs.read(e)
		if e.name == "si" && !e.start {
			b.texts.all.Write(runs.text)
			b.texts.ends = append(b.texts.ends, uint32(b.texts.all.Len()))
			runs.text = runs.text[:0]
			if problem := b.limits.ValuesProblem(len(b.texts.ends), 1); problem.Exists() {
				return problem
			}
		}
		return nil
	})
}

// runs collects the text of a cell, which is in one or more runs. How to pronounce it is left out.
type runs struct {
	text     []byte
	inText   bool // inside <t> or <v>
	phonetic int  // depth of <rPh>
}

func (r *runs) read(e element) {
	switch e.name {
	case "":
		if r.inText && r.phonetic == 0 {
			r.text = append(r.text, e.text...)
		}
	case "rPh":
		r.phonetic = 0
		if e.start {
			r.phonetic = 1
		}
	case "t", "v":
		r.inText = e.start
	}
}

// oneLine returns a text in one line, so that rows of a sheet are lines of a
func oneLine(text string) string {
	text = strings.ReplaceAll(text, "_x000D_", "")
	if !strings.ContainsAny(text, "\r\n") {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, func(c rune) bool { return c == '\r' || c == '\n' }), " ")
}
