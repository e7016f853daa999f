package answers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"bestpick/internal/table"
)

// jsonRows are answers as objects, one after the other or in one list.
type jsonRows struct {
	name    string
	text    *bufio.Reader
	values  *table.ValueLimit
	limits  table.Limits
	decoder *json.Decoder
	line    int // of the current row
}

func openJSON(text *bufio.Reader, name string, limits table.Limits) *jsonRows {
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		_, _ = text.Discard(len(mark))
	}
	values := table.NewValueLimit(text, limits)
	return &jsonRows{name: name, text: text, values: values, limits: limits, decoder: json.NewDecoder(values)}
}

func (j *jsonRows) each(take func(Row) error) error {
	start, _ := j.text.Peek(j.text.Size())
	isList := bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte{'['})
	if isList {
		if _, err := j.decoder.Token(); err != nil {
			return j.malformed(err)
		}
	}
	count := 0
	for ; j.more(isList); count++ {
		object, err := j.next()
		if errors.Is(err, io.EOF) && !isList {
			break
		}
		if err != nil {
			return j.malformed(err)
		}
		row, err := j.row(object)
		if err != nil {
			return err
		}
		if err := take(row); err != nil {
			return err
		}
	}
	if isList {
		if err := j.endList(); err != nil {
			return err
		}
	}
	if count == 0 {
		return &table.Error{File: j.name, Problem: table.Problemf("", "there are no objects in the file")}
	}
	return nil
}

// more reports whether another value may follow. In a list, another value does follow.
func (j *jsonRows) more(isList bool) bool {
	j.values.Next()
	return !isList || j.decoder.More()
}

// next returns the next value.
func (j *jsonRows) next() (json.RawMessage, error) {
	var value json.RawMessage
	if err := j.decoder.Decode(&value); err != nil {
		return nil, err
	}
	j.line = j.values.LineAt(j.decoder.InputOffset() - int64(len(value)))
	return value, nil
}

// endList reads the end of the list, which must be the end of the file.
func (j *jsonRows) endList() error {
	j.values.Next()
	if _, err := j.decoder.Token(); err != nil {
		return j.malformed(err)
	}
	if _, err := j.decoder.Token(); !errors.Is(err, io.EOF) {
		line := j.values.LineAt(j.decoder.InputOffset())
		return &table.Error{File: j.name, Line: line, Problem: table.Problemf("", "the file goes on behind the list")}
	}
	return nil
}

// malformed returns the error of text that cannot be decoded, with its place.
func (j *jsonRows) malformed(err error) error {
	rest, _ := io.ReadAll(j.decoder.Buffered())
	start := bytes.TrimLeft(rest, ", \t\r\n")
	problem := &table.Error{File: j.name, Line: j.values.LineAt(j.decoder.InputOffset() + int64(len(rest)-len(start)))}
	syntax, isSyntax := errors.AsType[*json.SyntaxError](err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		problem.Problem = table.Problemf("", "the JSON ends too early")
	case isSyntax:
		problem.Problem = table.Problemf("", "this is not JSON: %v", syntax)
	default:
		problem.Problem, problem.Cause = table.ReadProblem(err), err
	}
	return problem
}

// row decodes an object.
func (j *jsonRows) row(object []byte) (Row, error) {
	if problem := j.limits.RowProblem(len(object)); problem.Is() {
		return Row{}, j.errorf("", 0, "%s", problem)
	}
	if object[0] != '{' {
		return Row{}, j.errorf("", 0, "an answer is an object in braces, not %s", excerpt(object))
	}
	if !utf8.Valid(object) {
		return Row{}, j.errorf("", 0, "%s", table.NotUTF8())
	}
	var row Row
	known := map[string]bool{}
	members := json.NewDecoder(bytes.NewReader(object))
	_, _ = members.Token() // the brace; that all is JSON is known
	for members.More() {
		key, _ := members.Token()
		name, _ := key.(string)
		var value json.RawMessage
		if err := members.Decode(&value); err != nil {
			return Row{}, j.malformed(err)
		}
		if known[name] {
			return Row{}, j.errorf(name, 0, "the name is there twice")
		}
		known[name] = true
		if problem := set(&row, name, value); problem != "" {
			return Row{}, j.errorf(name, 0, "%s", problem)
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
		return nil, "a list of ids is needed, not " + excerpt(value)
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
		return "", "a text is needed, not " + excerpt(value)
	}
	return text, ""
}

// excerpt quotes the start of a text.
func excerpt(text []byte) string {
	const most = 20
	runes := []rune(string(text[:min(len(text), most*utf8.UTFMax)]))
	if len(runes) > most {
		return fmt.Sprintf("%q…", string(runes[:most]))
	}
	return fmt.Sprintf("%q", string(runes))
}

func (j *jsonRows) errorf(column string, _ int, format string, arguments ...any) error {
	return &table.Error{File: j.name, Line: j.line, Column: column, Problem: table.Problemf("", format, arguments...)}
}

func (j *jsonRows) currentLine() int { return j.line }
