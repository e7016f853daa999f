package answers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/table"
)

// numbered rows have the names of their columns, and one line or number for a row.
type numbered struct {
	name string
	line int // of the current row
}

func (n *numbered) place(column string, _ int, problem table.Problem) error { //nolint:unparam // other callers use the interface
	return &table.Error{File: n.name, Line: n.line, Column: column, Problem: problem}
}

func (n *numbered) currentLine() int { return n.line }

// jsonRows are answers as objects, one a line or in one list.
type jsonRows struct {
	numbered

	text   *table.Text
	limits table.Limits
}

func openJSON(source io.Reader, name string, limits table.Limits) (*jsonRows, error) {
	text, err := table.OpenText(source, name)
	if err != nil {
		return nil, err
	}
	return &jsonRows{numbered: numbered{name: name}, text: text, limits: limits}, nil
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

// parquetRows are answers in a Parquet file that a [Writer] wrote.
type parquetRows struct {
	numbered

	file *parquet.GenericReader[parquetRow]
}

// A parquetRow has the columns that are read.
type parquetRow struct {
	Kind       string    `parquet:"kind"`
	Respondent string    `parquet:"respondent"`
	Segment    string    `parquet:"segment"`
	Asked      time.Time `parquet:"asked,optional,timestamp(microsecond)"`
	At         time.Time `parquet:"at,optional,timestamp(microsecond)"`
	Shown      []string  `parquet:"shown,list"`
	Picks      []string  `parquet:"picks,list"`
	Judge      string    `parquet:"judge"`
	Rationale  string    `parquet:"rationale"`
	Metadata   string    `parquet:"metadata"`
}

// openParquet opens a Parquet file, which is held in memory.
func openParquet(source io.Reader, name string) (rows *parquetRows, err error) {
	all, err := io.ReadAll(source)
	if err != nil {
		return nil, table.ReadError(name, err)
	}
	p := &parquetRows{numbered: numbered{name: name}}
	return p, p.guard(func() error {
		file, err := parquet.OpenFile(bytes.NewReader(all), int64(len(all)))
		if err == nil {
			p.file = parquet.NewGenericReader[parquetRow](file)
		}
		return err
	})
}

// guard calls f, which reads with the library. The library panics at some damaged files.
func (p *parquetRows) guard(f func() error) (err error) {
	defer func() {
		if recover() != nil || err != nil && !errors.Is(err, io.EOF) {
			err = p.place("", 0, table.Problemf("parquet", "the Parquet file is damaged, or not one of answers"))
		}
	}()
	return f()
}

func (p *parquetRows) each(take func([]field) error) error {
	for read := make([]parquetRow, 1); ; {
		n := 0
		err := p.guard(func() (err error) {
			read[0] = parquetRow{}
			n, err = p.file.Read(read)
			return err
		})
		if n == 0 {
			if errors.Is(err, io.EOF) && p.line > 0 {
				return nil
			}
			return p.place("", 0, table.Problemf("parquet", "the Parquet file has no answers, or is damaged"))
		}
		p.line++
		row := &read[0]
		fields := []field{
			{column: shownColumn, ids: row.Shown},
			{column: picksColumn, ids: row.Picks},
			{column: kindColumn, text: row.Kind},
			{column: respondentColumn, text: row.Respondent},
			{column: segmentColumn, text: row.Segment},
			{column: judgeColumn, text: row.Judge},
			{column: rationaleColumn, text: row.Rationale},
			{column: metadataColumn, text: row.Metadata},
			{column: askedColumn, text: table.FormatTime(row.Asked)},
			{column: atColumn, text: table.FormatTime(row.At)},
		}
		if err := take(fields); err != nil {
			return err
		}
	}
}
