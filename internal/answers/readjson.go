package answers

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"bestpick/internal/table"
)

// jsonRows are answers as objects, one a line or in one list.
type jsonRows struct {
	name   string
	text   *table.Text
	limits table.Limits
	line   int // of the current row
}

func openJSON(source io.Reader, name string, limits table.Limits) (*jsonRows, error) {
	text, err := table.OpenText(source, name)
	if err != nil {
		return nil, err
	}
	return &jsonRows{name: name, text: text, limits: limits}, nil
}

func (j *jsonRows) each(take func(Row) error) error {
	err := table.EachObject(j.text.Reader, j.name, j.limits, func(object []byte, line int) error {
		j.line = line
		row, err := j.row(object)
		if err != nil {
			return err
		}
		return take(row)
	})
	if err == nil && j.line == 0 {
		err = j.errorf("", 0, "there are no objects in the file")
	}
	return err
}

// row decodes an object.
func (j *jsonRows) row(object []byte) (Row, error) {
	if problem := j.limits.RowProblem(len(object)); problem.Exists() {
		return Row{}, j.errorf("", 0, "%s", problem)
	}
	if object[0] != '{' {
		return Row{}, j.errorf("", 0, "an answer is an object in braces, not %s", table.Excerpt(object))
	}
	if !utf8.Valid(object) {
		return Row{}, j.errorf("", 0, "%s", table.NotUTF8())
	}
	members, problem := table.Members(object)
	if problem.Exists() {
		return Row{}, j.errorf("", 0, "%s", problem)
	}
	var row Row
	known := map[string]bool{}
	for _, m := range members {
		if known[m.Name] {
			return Row{}, j.errorf(m.Name, 0, "the name is there twice")
		}
		known[m.Name] = true
		if problem := set(&row, m.Name, m.Value); problem != "" {
			return Row{}, j.errorf(m.Name, 0, "%s", problem)
		}
	}
	return row, nil
}

// set sets the field of a row from a member of an object, or returns its problem.
func set(row *Row, name string, value []byte) (problem string) {
	switch name {
	case shownColumn:
		row.Shown, problem = idsOf(value)
	case picksColumn:
		row.Picks, problem = idsOf(value)
	case kindColumn:
		row.Kind, problem = textOf(value)
	case respondentColumn:
		row.Respondent, problem = textOf(value)
	case segmentColumn:
		row.Segment, problem = textOf(value)
	case judgeColumn:
		row.Judge, problem = textOf(value)
	case rationaleColumn:
		row.Rationale, problem = textOf(value)
	case metadataColumn:
		row.Metadata, problem = readMetadata(value)
	case askedColumn, atColumn:
		text, problem := textOf(value)
		if problem != "" {
			return problem
		}
		t, problem := parseTime(text)
		if name == askedColumn {
			row.Asked = t
		} else {
			row.At = t
		}
		return problem
	case numberColumn, questionColumn, planColumn, contextColumn:
	default:
		return noColumn
	}
	return problem
}

// idsOf returns the ids of a list.
func idsOf(value []byte) (ids []string, problem string) {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		return nil, "a list of ids is needed, not " + table.Excerpt(value)
	}
	if len(list) > maxArms {
		return nil, fmt.Sprintf("a row has at most %d arms", maxArms)
	}
	for _, element := range list {
		id, problem := textOf(element)
		if problem != "" {
			return nil, problem
		}
		ids = append(ids, strings.TrimSpace(id))
	}
	return ids, ""
}

// integer matches ids that are numbers.
var integer = regexp.MustCompile(`^-?[0-9]+$`)

// textOf decodes a text. An integer becomes its digits, and null becomes "".
func textOf(value []byte) (text, problem string) {
	switch {
	case string(value) == "null":
		return "", ""
	case integer.Match(value):
		return string(value), ""
	case json.Unmarshal(value, &text) != nil:
		return "", "a text is needed, not " + table.Excerpt(value)
	}
	return text, ""
}

func (j *jsonRows) errorf(column string, _ int, format string, arguments ...any) error {
	return &table.Error{File: j.name, Line: j.line, Column: column, Problem: table.Problemf("", format, arguments...)}
}

func (j *jsonRows) currentLine() int { return j.line }
