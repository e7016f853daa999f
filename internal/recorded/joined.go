package recorded

import (
	"io"
	"slices"
	"strconv"

	"bestpick/internal/answers"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
)

// A Source is an open file with its name in errors.
type Source struct {
	io.Reader

	Name string
}

// The columns of answers of a live study in long form; the others are those of the arms.
const (
	joinedTask = iota
	joinedArm
	joinedRank
	joinedRespondent
	joinedSegment
	joinedWorst
	joinedComputed
)

// ReadAnswers reads answers that a live study exported, and its arms, whose columns are the features. In
// long form the answers have the columns task, alternative, rank, respondent, segment and worst; the form
// names none of task, rank and chosen. If it names worst, the second pick of an answer is the worst arm.
// Answers of none and ties are left out unless the form includes them. A file of arms has a column id.
func ReadAnswers(given, arms Source, form LongForm) (*Choices, error) {
	known, err := readArms(arms)
	if err != nil {
		return nil, err
	}
	from, err := answers.NewReader(given, given.Name, table.Limits{})
	if err != nil {
		return nil, err
	}
	j := &joinedRows{arms: known, answers: from, file: given.Name}
	j.header = append([]string{"task", "alternative", "rank", "respondent", "segment", "worst"}, known.header...)
	j.bestWorst = form.Worst == j.header[joinedWorst]
	if form.Outside {
		j.withoutPicks = append(j.withoutPicks, answers.None)
	}
	if form.Ties {
		j.withoutPicks = append(j.withoutPicks, answers.Tie)
	}
	form.Task, form.Alternative, form.Rank = j.header[joinedTask], j.header[joinedArm], j.header[joinedRank]
	if len(form.Where) == 0 {
		return readChoices(j, form)
	}
	selected, err := filter(j, form.Where)
	if err != nil {
		return nil, err
	}
	return readChoices(selected, form)
}

// armTable is the texts of the arms by id.
type armTable struct {
	source string
	header []string
	texts  map[string][]string
	lines  map[string]int
}

func readArms(source Source) (*armTable, error) {
	r, err := read.Rows(source, source.Name)
	if err != nil {
		return nil, err
	}
	id, err := r.Column("id")
	if err != nil {
		return nil, err
	}
	a := &armTable{source: source.Name, header: r.Header(), texts: map[string][]string{}, lines: map[string]int{}}
	return a, r.Each(func() error {
		var texts []string
		for column := range a.header {
			texts = append(texts, table.Unprotect(r.Text(column)))
		}
		if _, twice := a.texts[texts[id]]; twice {
			return r.Errorf(id, "%q appears twice", texts[id])
		}
		a.texts[texts[id]], a.lines[texts[id]] = texts, r.Line()
		return nil
	})
}

// joinedRows are answers in long form, with the columns of the arms.
type joinedRows struct {
	arms    *armTable
	answers *answers.Reader
	file    string
	header  []string

	withoutPicks []string // kinds of answers
	bestWorst    bool     // the second pick is the worst arm

	count  int // answers so far
	answer answers.Row
	slot   int
	line   int
}

// Header returns the names of the columns.
func (j *joinedRows) Header() []string { return j.header }

// Column returns the place of a column.
func (j *joinedRows) Column(name string) (int, error) {
	at := slices.Index(j.header, name)
	if at < 0 {
		return 0, &table.Error{File: j.arms.source, Column: name, Problem: table.NoColumn(j.arms.header)}
	}
	return at, nil
}

// Each calls f for every arm of every answer.
func (j *joinedRows) Each(f func() error) error {
	for answer, err := range j.answers.Rows(j.withoutPicks...) {
		if err != nil {
			return err
		}
		j.count++
		j.answer, j.line = answer, j.answers.Line()
		for slot, arm := range answer.Shown {
			j.slot = slot
			if j.arms.texts[arm] == nil {
				return j.answers.ArmProblem(slot, table.Problemf("", "%s has no arm %q", j.arms.source, arm))
			}
			if err := f(); err != nil {
				return err
			}
		}
	}
	if j.count == 0 {
		return j.ErrorAt(0, "", "there are no answers in the file")
	}
	return nil
}

// Line returns the line of the current answer.
func (j *joinedRows) Line() int { return j.line }

// Text returns a field of the current row.
func (j *joinedRows) Text(column int) string {
	arm := j.answer.Shown[j.slot]
	switch column {
	case joinedTask:
		return strconv.Itoa(j.count)
	case joinedArm:
		return arm
	case joinedRank:
		return j.rank(arm)
	case joinedWorst:
		return strconv.FormatBool(j.bestWorst && slices.Index(j.answer.Picks, arm) == 1)
	case joinedRespondent:
		return j.answer.Respondent
	case joinedSegment:
		return j.answer.Segment
	}
	return j.arms.texts[arm][column-joinedComputed]
}

// rank returns the rank of an arm in the current answer, "" if it has none.
func (j *joinedRows) rank(arm string) string {
	at := slices.Index(j.answer.Picks, arm)
	switch {
	case j.answer.Kind == answers.Tie:
		at = 0
	case j.bestWorst && at > 0:
		return ""
	}
	if at < 0 {
		return ""
	}
	return strconv.Itoa(at + 1)
}

// Errorf returns an error about the field of an answer or of an arm.
func (j *joinedRows) Errorf(column int, format string, arguments ...any) error {
	if column < joinedComputed {
		return j.ErrorAt(j.line, j.header[column], format, arguments...)
	}
	line := j.arms.lines[j.answer.Shown[j.slot]]
	return &table.Error{File: j.arms.source, Line: line, Column: j.header[column], Problem: table.Problemf("", format, arguments...)}
}

// ErrorAt returns an error about a place in the file of answers.
func (j *joinedRows) ErrorAt(line int, column, format string, arguments ...any) error {
	return &table.Error{File: j.file, Line: line, Column: column, Problem: table.Problemf("", format, arguments...)}
}
