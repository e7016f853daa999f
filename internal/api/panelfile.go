package api

import (
	"context"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/table"
	"bestpick/internal/uploads"
	"bestpick/strategy/racing"
	"bestpick/wire"
)

// A membersForm has a file of panel members.
type membersForm struct {
	Members huma.FormFile `form:"members" required:"true" doc:"CSV with a column name and, if the study has segments, a column segment. Other columns are ignored. At most 10,000 members."`
}

type membersFileInput struct {
	StudyPath

	RawBody huma.MultipartFormFiles[membersForm]
}

func (a *api) importMembers(ctx context.Context, in *membersFileInput) (*reply[wire.Joined], error) {
	s, err := a.studies.Store.Study(ctx, in.Study)
	if err != nil {
		return nil, a.problem(err)
	}
	people, err := readMembers(in.RawBody.Data().Members, s.Settings.Strategy.Model)
	if err != nil {
		return nil, a.inFiles(err, func(string) string { return membersField })
	}
	_, added, err := a.studies.Owner.AddMembers(ctx, in.Study, people)
	if err != nil {
		return nil, a.problemOf(membersField, err)
	}
	noteMembers(ctx, len(people), added)
	return &reply[wire.Joined]{wire.Joined{Members: len(people), Added: added}}, nil
}

// readMembers reads new members of a panel. Errors contain their location in the file.
func readMembers(file huma.FormFile, model racing.Model) ([]owner.NewMember, error) {
	limits := uploads.Panel()
	if err := table.CheckPacked(io.NewSectionReader(file, 0, file.Size), file.Filename, limits.Bytes); err != nil {
		return nil, err
	}
	rows, err := table.NewReader(io.NewSectionReader(file, 0, file.Size), file.Filename, limits)
	if err != nil {
		return nil, err
	}
	r := membersReader{rows: rows, model: model, segment: -1, known: map[string]int{}}
	if r.name, err = rows.Column("name"); err != nil {
		return nil, err
	}
	if slices.Contains(rows.Header(), "segment") {
		if r.segment, err = rows.Column("segment"); err != nil {
			return nil, err
		}
	}
	err = rows.Each(r.read)
	return r.people, err
}

// A membersReader reads a table of members.
type membersReader struct {
	rows          *table.Reader
	model         racing.Model
	name, segment int // column numbers; segment is −1 if there is none
	people        []owner.NewMember
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
	member := owner.NewMember{Name: name}
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
	case !isText(text):
		return "", r.rows.Errorf(column, "%s", notText)
	case utf8.RuneCountInString(text) > study.MaxRespondent:
		return "", r.rows.Errorf(column, "the text must have at most %d characters, got %d", study.MaxRespondent, utf8.RuneCountInString(text))
	}
	return text, nil
}
