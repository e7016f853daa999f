package answers

import (
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"bestpick/internal/table"
)

// jsonRows are answers as objects, one a line or in one list.
type jsonRows struct {
	name   string
	line   int // of the current row
	text   *table.Text
	limits table.Limits
}

func (j *jsonRows) place(column string, _ int, problem table.Problem) error {
	return &table.Error{File: j.name, Line: j.line, Column: column, Problem: problem}
}

func (j *jsonRows) currentLine() int { return j.line }

func openJSON(source io.Reader, name string, limits table.Limits) (*jsonRows, error) {
	text, err := table.OpenText(source, name)
	if err != nil {
		return nil, err
	}
	return &jsonRows{name: name, text: text, limits: limits}, nil
}

func (j *jsonRows) each(take func([]field) error) error {
	err := table.EachObject(j.text.Reader, j.name, j.limits, func(object []byte, line int) error {
		j.line = line
		fields, problem := j.fields(object)
		if problem.Exists() {
			return j.place("", 0, problem)
		}
		return take(fields)
	})
	if err == nil && j.line == 0 {
		err = j.place("", 0, table.Problemf("no-objects", "there are no objects in the file"))
	}
	return err
}

// fields decodes an object.
func (j *jsonRows) fields(object []byte) (fields []field, problem table.Problem) {
	switch tooLong := j.limits.RowProblem(len(object)); {
	case tooLong.Exists():
		return nil, tooLong
	case object[0] != '{':
		return nil, table.Problemf("answer-object", "an answer is an object in braces, not %s", table.Excerpt(object))
	case !utf8.Valid(object):
		return nil, table.NotUTF8()
	}
	members, problem := table.Members(object)
	known := map[string]bool{}
	for _, m := range members {
		f := field{column: m.Name}
		switch {
		case known[m.Name]:
			f.problem = table.Problemf("two-names", "the name is there twice")
		case m.Name == shownColumn || m.Name == picksColumn:
			f.ids, f.problem = idsOf(m.Value)
		case m.Name == metadataColumn:
			f.text = string(m.Value)
		case m.Name == numberColumn || m.Name == questionColumn || m.Name == planColumn || m.Name == contextColumn:
		default:
			f.text, f.problem = textOf(m.Value)
			if unknown := new(Row).set(m.Name, ""); unknown.Exists() {
				f.problem = unknown
			}
		}
		known[m.Name] = true
		fields = append(fields, f)
	}
	return fields, problem
}

// idsOf returns the ids of a list.
func idsOf(value []byte) (ids []string, problem table.Problem) {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		return nil, table.Problemf("no-ids", "a list of ids is needed, not %s", table.Excerpt(value))
	}
	for _, element := range list[:min(len(list), maxArms+1)] {
		id, problem := textOf(element)
		if problem.Exists() {
			return nil, problem
		}
		ids = append(ids, strings.TrimSpace(id))
	}
	return ids, table.Problem{}
}

// integer matches ids that are numbers.
var integer = regexp.MustCompile(`^-?[0-9]+$`)

// textOf decodes a text. An integer becomes its digits, and null becomes "".
func textOf(value []byte) (text string, problem table.Problem) {
	switch {
	case string(value) == "null":
	case integer.Match(value):
		return string(value), table.Problem{}
	case json.Unmarshal(value, &text) != nil:
		return "", table.Problemf("no-text-value", "a text is needed, not %s", table.Excerpt(value))
	}
	return text, table.Problem{}
}
