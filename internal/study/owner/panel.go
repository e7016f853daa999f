package owner

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"bestpick/internal/study"
	"bestpick/internal/table"
	"bestpick/strategy/racing"
)

// A NewMember is a respondent to be added to a panel.
type NewMember struct{ Name, Segment string }

// AddMembers adds respondents to the panel of a study, and restricts the study to its panel unless it is done. Existing members
// keep their key, and their segment unless a new one is given. It returns the resulting members in the given order, without the
// numbers of new ones, and the number of new members.
func (s *Owner) AddMembers(ctx context.Context, id string, people []NewMember) (members []study.Member, added int, err error) {
	err = s.changePanel(ctx, id, func(st *study.Study) (change study.PanelChange, err error) {
		if err := checkPeople(st, people); err != nil {
			return change, err
		}
		known, err := s.named(ctx, id, people)
		if err != nil {
			return change, err
		}
		if st.State != study.Done {
			st.Settings.Audience = study.Personal
		}
		members, added = make([]study.Member, len(people)), 0
		for i, p := range people {
			m, is := known[p.Name]
			if !is {
				m = study.Member{Name: p.Name, Segment: p.Segment, Key: newKey(), Added: s.Clock().UTC().Truncate(time.Microsecond)}
				added++
			}
			if p.Segment != "" {
				m.Segment = p.Segment
			}
			if m != known[p.Name] {
				change.Put = append(change.Put, m)
			}
			members[i] = m
		}
		return change, nil
	})
	return members, added, err
}

// named returns the existing members with the given names.
func (s *Owner) named(ctx context.Context, id string, people []NewMember) (map[string]study.Member, error) {
	names := make([]string, len(people))
	for i, p := range people {
		names[i] = p.Name
	}
	found, err := s.Store.MembersNamed(ctx, id, names)
	known := map[string]study.Member{}
	for _, m := range found {
		known[m.Name] = m
	}
	return known, err
}

// checkPeople returns an error for invalid or repeated names, and for segments that the study does not have.
func checkPeople(st *study.Study, people []NewMember) error {
	named := map[string]bool{}
	for i, p := range people {
		refuse := func(field, why string) error { return study.Invalid(fmt.Sprintf("members[%d].%s", i, field), why) }
		if err := study.CheckText(p.Name); err != nil {
			return refuse("name", err.Error())
		}
		switch {
		case p.Name == "":
			return refuse("name", "a member must have a name")
		case named[p.Name]:
			return refuse("name", "the name occurs twice")
		}
		named[p.Name] = true
		if p.Segment == "" {
			continue // then they choose it when they ask
		}
		if err := st.Settings.Strategy.Model.CheckSegment(p.Segment); err != nil {
			return refuse("segment", err.Error())
		}
		if err := study.CheckText(p.Segment); err != nil {
			return refuse("segment", err.Error())
		}
	}
	return nil
}

// RemoveMembers removes respondents from the panel of a study and returns how many were members. It ignores other names. Their
// keys are revoked, also for open questions. A study whose panel is empty stays restricted to it.
func (s *Owner) RemoveMembers(ctx context.Context, id string, names ...string) (removed int, err error) {
	for i, name := range names {
		if err := study.CheckText(name); err != nil {
			return 0, study.Invalid(fmt.Sprintf("names[%d]", i), err.Error())
		}
	}
	err = s.changePanel(ctx, id, func(*study.Study) (change study.PanelChange, err error) {
		there, err := s.Store.MembersNamed(ctx, id, names)
		removed = len(there)
		for _, m := range there {
			change.Remove = append(change.Remove, m.Name)
		}
		return change, err
	})
	return removed, err
}

// RenewKey gives a member a new key and revokes the old one, also for open questions. It returns
// ErrNoMember if the panel has no member of that name.
func (s *Owner) RenewKey(ctx context.Context, id, name string) (m study.Member, err error) {
	if study.CheckText(name) != nil {
		return m, study.ErrNoMember
	}
	err = s.changePanel(ctx, id, func(*study.Study) (change study.PanelChange, err error) {
		there, err := s.Store.MembersNamed(ctx, id, []string{name})
		if err == nil && len(there) == 0 {
			err = study.ErrNoMember
		}
		if err != nil {
			return change, err
		}
		m = there[0]
		m.Key = newKey()
		return study.PanelChange{Put: []study.Member{m}}, nil
	})
	return m, err
}

// changePanel applies the change that edit returns to a panel, and raises the version of the study.
// edit may be called again; if it changes nothing, nothing is written.
func (s *Owner) changePanel(ctx context.Context, id string, edit func(*study.Study) (study.PanelChange, error)) error {
	for {
		st, err := s.Store.Study(ctx, id)
		if err != nil {
			return err
		}
		had := st.Settings.Audience
		change, err := edit(&st)
		if err != nil {
			return err
		}
		if st.Settings.Audience == had && len(change.Put) == 0 && len(change.Remove) == 0 {
			return nil
		}
		st.Changed = s.Clock()
		_, err = s.Store.ChangePanel(ctx, st, st.Version, change)
		if errors.Is(err, study.ErrChanged) {
			continue
		}
		if err == nil {
			s.Live.Changed(id)
		}
		return err
	}
}

// Histories returns the history of each of some members.
func (s *Owner) Histories(ctx context.Context, id string, members []study.Member) ([]study.History, error) {
	histories := make([]study.History, len(members))
	for i, m := range members {
		var err error
		if histories[i], err = s.Store.Respondent(ctx, id, m.Name); err != nil {
			return nil, err
		}
	}
	return histories, nil
}

// newKey returns a key of 130 random bits, in letters and digits that are valid in a link.
func newKey() string { return strings.ToLower(rand.Text()) }

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

// readList reads the only column of a table. Its first line is a member, too, unless it is a usual name of such a column.
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
	case !study.IsText(text):
		return "", r.rows.Errorf(column, "the text must be UTF-8 without zero bytes")
	case utf8.RuneCountInString(text) > study.MaxRespondent:
		return "", r.rows.Errorf(
			column, "the text must have at most %d characters, got %d", study.MaxRespondent, utf8.RuneCountInString(text),
		)
	}
	return text, nil
}
