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

// joinedColumns is the number of columns of answers of a live study in long form; the others are those of
// the arms.
const joinedColumns = 6

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
	j := &joinedAnswers{arms: known, answers: from, file: given.Name}
	j.header = append([]string{taskColumn, alternativeColumn, rankColumn, respondentColumn, "segment", worstColumn}, known.header...)
	for i, name := range known.header {
		if slices.Contains(j.header[:joinedColumns], name) {
			j.header[joinedColumns+i] = "" // the column of the answers goes first
		}
	}
	form.Task, form.Alternative, form.Rank = j.header[0], j.header[1], j.header[2]
	form.armsNamed = true
	j.bestWorst = form.Worst == j.header[joinedColumns-1]
	if form.Outside {
		j.withoutPicks = append(j.withoutPicks, answers.None)
	}
	if form.Ties {
		j.withoutPicks = append(j.withoutPicks, answers.Tie)
	}
	rows := table.NewRows(table.Derivation{
		File: given.Name, Header: j.header, Each: j.each, Place: j.place,
		NoColumn: func(name string) error {
			return &table.Error{File: known.source, Column: name, Problem: table.NoColumn(known.header)}
		},
	})
	if err := selectRows(rows, form.Where); err != nil {
		return nil, err
	}
	return readChoices(rows, form)
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

// joinedAnswers are answers in long form, with the columns of the arms.
type joinedAnswers struct {
	arms    *armTable
	answers *answers.Reader
	file    string
	header  []string

	withoutPicks []string // kinds of answers
	bestWorst    bool     // the second pick is the worst arm

	arm string // of the current row
}

// each calls yield for every arm of every answer.
func (j *joinedAnswers) each(yield func(row []string, line int) error) error {
	count := 0
	var row []string
	for answer, err := range j.answers.Rows(j.withoutPicks...) {
		if err != nil {
			return err
		}
		count++
		for slot, arm := range answer.Shown {
			texts, known := j.arms.texts[arm]
			if !known {
				return j.answers.ArmProblem(slot, table.Problemf("", "%s has no arm %q", j.arms.source, arm))
			}
			j.arm = arm
			worst := j.bestWorst && slices.Index(answer.Picks, arm) == 1
			row = append(row[:0], strconv.Itoa(count), arm, j.rank(answer, arm), answer.Respondent, answer.Segment,
				strconv.FormatBool(worst))
			if err := yield(append(row, texts...), j.answers.Line()); err != nil {
				return err
			}
		}
	}
	if count == 0 {
		return &table.Error{File: j.file, Problem: table.Problemf("no-answers", "there are no answers in the file")}
	}
	return nil
}

// rank returns the rank of an arm in an answer, "" if it has none.
func (j *joinedAnswers) rank(answer answers.Row, arm string) string {
	at := slices.Index(answer.Picks, arm)
	switch {
	case answer.Kind == answers.Tie:
		at = 0
	case j.bestWorst && at > 0:
		return ""
	}
	if at < 0 {
		return ""
	}
	return strconv.Itoa(at + 1)
}

// place returns the place of a field of an answer or of an arm.
func (j *joinedAnswers) place(column int) (file string, line int, name string) {
	if column < joinedColumns {
		return j.file, j.answers.Line(), j.header[column]
	}
	return j.arms.source, j.arms.lines[j.arm], j.header[column]
}
