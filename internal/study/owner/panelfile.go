package owner

import (
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"bestpick/internal/study"
	"bestpick/internal/table"
	"bestpick/strategy/racing"
)

// ReadMembers reads new members of a panel of a study with a model from CSV: a column name and, optionally, a column
// segment, or a list of names without a header. Errors contain their location in the file.
func ReadMembers(contents io.ReaderAt, size int64, file string, model racing.Model) ([]NewMember, error) {
	limits := table.PanelLimits()
	if err := table.CheckPacked(io.NewSectionReader(contents, 0, size), file, limits.Bytes); err != nil {
		return nil, err
	}
	rows, err := table.NewReader(io.NewSectionReader(contents, 0, size), file, limits)
	if err != nil {
		return nil, err
	}
	r := membersReader{rows: rows, model: model, segment: -1, known: map[string]int{}}
	if len(rows.Header()) == 1 && rows.Header()[0] != segmentColumn {
		return r.readList()
	}
	if r.name, err = rows.Column(nameColumn); err != nil {
		return nil, err
	}
	if slices.Contains(rows.Header(), segmentColumn) {
		if r.segment, err = rows.Column(segmentColumn); err != nil {
			return nil, err
		}
	}
	err = rows.Each(r.read)
	return r.people, err
}

// The columns of a table of members.
const (
	nameColumn    = "name"
	segmentColumn = "segment"
)

// readList reads the only column of a table. Its first line is a member, too, unless it is a usual name of such a
// column.
func (r *membersReader) readList() ([]NewMember, error) {
	usual := []string{nameColumn, "names", "email", "e-mail", "mail", "member", "members", "respondent", "respondents"}
	headed := slices.Contains(usual, strings.ToLower(r.rows.Header()[0]))
	if !headed {
		if err := r.read(); err != nil {
			return nil, err
		}
	}
	err := r.rows.Each(r.read)
	if failed, is := errors.AsType[*table.Error](err); is && failed.Code == table.NoRowsCode && !headed {
		err = nil // the first line is the only member
	}
	return r.people, err
}

// A membersReader reads a table of members.
type membersReader struct {
	rows          *table.Reader
	model         racing.Model
	name, segment int // column numbers; segment is −1 if there is none
	people        []NewMember
	known         map[string]int // line numbers of names
}

// read reads the current row.
func (r *membersReader) read() error {
	name, err := r.text(r.name)
	if err != nil {
		return err
	}
	line, twice := r.known[name]
	switch {
	case name == "":
		return r.rows.Missing(r.name)
	case twice:
		return r.rows.Errorf(r.name, "the name is already in line %d", line)
	}
	r.known[name] = r.rows.Line()
	member := NewMember{Name: name}
	if r.segment >= 0 {
		if member.Segment, err = r.text(r.segment); err != nil {
			return err
		}
		if err := r.model.CheckSegment(member.Segment); err != nil && member.Segment != "" {
			return r.rows.Errorf(r.segment, "%v", err)
		}
	}
	r.people = append(r.people, member)
	return nil
}

// text returns a field that every store can store.
func (r *membersReader) text(column int) (string, error) {
	text := strings.Clone(r.rows.Text(column))
	switch {
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", r.rows.Errorf(column, "the text must be UTF-8 without zero bytes")
	case utf8.RuneCountInString(text) > study.MaxRespondent:
		return "", r.rows.Errorf(
			column, "the text must have at most %d characters, got %d", study.MaxRespondent, utf8.RuneCountInString(text),
		)
	}
	return text, nil
}
