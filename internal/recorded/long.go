// Package recorded reads choices that were recorded elsewhere, so that the model
// can be fitted to them: in long form, one row for each alternative of a task, and
// as votes between pairs of items.
package recorded

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"bestpick/choice"
	"bestpick/internal/table"
)

// LongForm names the columns of choices in long form: a row for each alternative
// on offer in a task.
type LongForm struct {
	Task        string   // groups rows, which need not be adjacent
	Alternative string   // needed only for Constants
	Chosen      string   // 1, true or yes on the row picked; 0, false or no elsewhere
	Rank        string   // instead of Chosen: 1 is best, empty is unranked
	Respondent  string   // optional; if set, task numbers may restart for each respondent
	Features    []string // numbers, or text that becomes indicators
	Constants   []string // alternatives with an alternative-specific constant

	Outside bool   // a task without a pick is a choice of none of its alternatives
	Ties    bool   // a task with all alternatives chosen is a tie
	Worst   string // optional; 1, true or yes on the row of the worst alternative, 0, false, no or empty elsewhere

	// Base is the level without an indicator, by text column among Features. A column
	// named here is text even if it looks like numbers. Defaults to the first level in
	// the file.
	Base map[string]string

	// Answers requests the choices as answers about a catalogue, too.
	Answers bool
}

// Choices are recorded choices, ready to be fitted.
type Choices struct {
	Records *choice.Records

	// Tasks is the number of tasks of the file, and Alternatives the number of its rows. Records has
	// further ones if the worst alternatives, none of them or ties were recorded.
	Tasks        int
	Alternatives int

	// Clusters is the respondent of each task of Records, numbered from zero in order of appearance.
	// If the data name none, it is the task of the file, or nil if there is one for each. There
	// are RespondentCount respondents, 0 if the data name none.
	Clusters        []int
	RespondentCount int

	// Answers are the choices about a catalogue, if requested.
	Answers *Answers
}

// ReadLong reads choices in long form. file is the file name in errors. ReadLong
// holds numbers, not text, in memory.
func ReadLong(source io.Reader, file string, columns LongForm) (*Choices, error) {
	rows, err := table.NewReader(source, file, table.Limits{})
	if err != nil {
		return nil, err
	}
	l, err := newLongReader(rows, columns)
	if err != nil {
		return nil, err
	}
	if err := rows.Each(l.addRow); err != nil {
		return nil, err
	}
	return l.choices()
}

// A longReader collects the rows of all tasks.
type longReader struct {
	rows    *table.Reader
	columns LongForm
	matrix  *matrix

	task, alternative, outcome, respondent, worst int // columns, -1 where not used

	index       map[string]int // task key → task
	tasks       []task
	respondents map[string]int32

	taskOf []int32 // for each row, in the order of the file
	ranks  []int32
	worsts []bool // if there is a column of the worst
	lines  []int32

	lastKey  string
	lastTask int
	key      []byte
}

type task struct {
	name       string
	respondent int32
	size       int
}

func newLongReader(rows *table.Reader, columns LongForm) (*longReader, error) {
	l := &longReader{
		rows: rows, columns: columns,
		task: -1, alternative: -1, outcome: -1, respondent: -1, worst: -1,
		index: map[string]int{}, respondents: map[string]int32{}, lastTask: -1,
	}
	outcome := columns.Chosen
	if columns.Rank != "" {
		outcome = columns.Rank
	}
	var err error
	if l.task, err = rows.Column(columns.Task); err != nil {
		return nil, err
	}
	if l.outcome, err = rows.Column(outcome); err != nil {
		return nil, err
	}
	if columns.Respondent != "" {
		if l.respondent, err = rows.Column(columns.Respondent); err != nil {
			return nil, err
		}
	}
	if columns.Worst != "" {
		if l.worst, err = rows.Column(columns.Worst); err != nil {
			return nil, err
		}
	}
	if len(columns.Constants) > 0 {
		if l.alternative, err = rows.Column(columns.Alternative); err != nil {
			return nil, err
		}
	}
	l.matrix, err = newMatrix(rows, l.alternative, columns)
	return l, err
}

// addRow adds the current row.
func (l *longReader) addRow() error {
	t, err := l.currentTask()
	if err != nil {
		return err
	}
	rank, err := l.currentRank()
	if err != nil {
		return err
	}
	if l.worst >= 0 {
		worst := false
		if !table.IsMissing(l.rows.Text(l.worst)) {
			if worst, err = l.yes(l.worst); err != nil {
				return err
			}
		}
		l.worsts = append(l.worsts, worst)
	}
	if err := l.matrix.addRow(); err != nil {
		return err
	}
	l.tasks[t].size++
	l.taskOf = append(l.taskOf, int32(t))
	l.ranks = append(l.ranks, int32(rank))
	l.lines = append(l.lines, int32(l.rows.Line()))
	return nil
}

// currentTask returns the task of the current row. It adds a task for a new name or respondent.
func (l *longReader) currentTask() (int, error) {
	name := l.rows.Text(l.task)
	if name == "" {
		return 0, l.rows.Missing(l.task)
	}
	person := ""
	if l.respondent >= 0 {
		if person = l.rows.Text(l.respondent); person == "" {
			return 0, l.rows.Missing(l.respondent)
		}
	}
	l.key = append(append(append(l.key[:0], person...), 0), name...)
	if l.lastTask >= 0 && string(l.key) == l.lastKey {
		return l.lastTask, nil
	}
	l.lastKey = string(l.key)
	t, known := l.index[l.lastKey]
	if !known {
		t = len(l.tasks)
		l.index[l.lastKey] = t
		l.tasks = append(l.tasks, task{name: strings.Clone(name), respondent: number(l.respondents, person)})
	}
	l.lastTask = t
	return t, nil
}

// currentRank returns the rank of the current row: 1 for a pick, 0 for no rank.
func (l *longReader) currentRank() (int, error) {
	text := l.rows.Text(l.outcome)
	if l.columns.Rank != "" {
		if table.IsMissing(text) {
			return 0, nil
		}
		x, err := l.rows.Number(l.outcome)
		if err != nil {
			return 0, err
		}
		if x < 1 || x > 1e6 || x != float64(int(x)) {
			return 0, l.rows.Errorf(l.outcome, "%q is not a rank: 1, 2, 3, … or empty", text)
		}
		return int(x), nil
	}
	chosen, err := l.yes(l.outcome)
	return picked(chosen), err
}

// yes reads a column of the current row that is 1 or 0.
func (l *longReader) yes(column int) (bool, error) {
	text := l.rows.Text(column)
	switch strings.ToLower(text) {
	case "1", "true", "yes":
		return true, nil
	case "0", "false", "no":
		return false, nil
	case "":
		return false, l.rows.Missing(column)
	}
	return false, l.rows.Errorf(column, "%q is neither 1 (chosen) nor 0", text)
}

// choices builds the records from all rows.
func (l *longReader) choices() (*Choices, error) {
	names, err := l.matrix.names()
	if err != nil {
		return nil, err
	}
	if err := l.checkNames(names); err != nil {
		return nil, err
	}
	place := l.places()
	given := tasks{names: names, cells: l.matrix.cells(len(names), place), sizes: make([]int, len(l.tasks)), ranks: make([]int, len(l.ranks))}
	for t, task := range l.tasks {
		given.sizes[t] = task.size
	}
	for i, rank := range l.ranks {
		given.ranks[place[i]] = int(rank)
	}
	if l.worst >= 0 {
		given.worst = make([]bool, len(l.worsts))
		for i, worst := range l.worsts {
			given.worst[place[i]] = worst
		}
	}
	c := &Choices{Tasks: len(l.tasks), Alternatives: len(l.ranks)}
	var kept []float64
	if l.columns.Answers {
		kept = slices.Clone(given.cells) // NewRecords changes them
	}
	if err := l.record(c, given, place); err != nil {
		return nil, err
	}
	if kept != nil {
		c.Answers, err = answers(names, kept, given.sizes, given.ranks, l.people())
	}
	return c, err
}

// record sets the records of the given tasks, and their clusters.
func (l *longReader) record(c *Choices, given tasks, place []int) error {
	made := given
	if l.columns.offersMore() {
		var problem *choice.TaskError
		if made, problem = l.columns.expand(given); problem != nil {
			return l.explainTask(problem, slices.Index(place, problem.Row))
		}
	}
	var err error
	c.Records, err = choice.NewRecords(made.names, made.cells, made.sizes, made.ranks)
	if refused, ok := errors.AsType[*choice.TaskError](err); ok {
		if made.from != nil {
			refused.Task, refused.Row = made.from[refused.Task], made.rows[refused.Row]
		}
		return l.explainTask(refused, slices.Index(place, refused.Row))
	}
	c.Clusters = made.from
	if l.respondent >= 0 {
		c.RespondentCount = len(l.respondents)
		c.Clusters = make([]int, len(made.sizes))
		for t := range made.sizes {
			from := t
			if made.from != nil {
				from = made.from[t]
			}
			c.Clusters[t] = int(l.tasks[from].respondent)
		}
	}
	return err
}

// checkNames returns an error if a parameter has the name of a constant of [LongForm.expand].
func (l *longReader) checkNames(names []string) error {
	for name, used := range map[string]bool{noneName: l.columns.Outside, tieName: l.columns.Ties} {
		if used && slices.Contains(names, name) {
			return l.rows.ErrorAt(0, "", "two parameters would be called %q", name)
		}
	}
	return nil
}

// places returns where each row of the file goes so that the rows of a task are
// together.
func (l *longReader) places() []int {
	next := make([]int, len(l.tasks))
	for t := 1; t < len(next); t++ {
		next[t] = next[t-1] + l.tasks[t-1].size
	}
	places := make([]int, len(l.taskOf))
	for i, t := range l.taskOf {
		places[i] = next[t]
		next[t]++
	}
	return places
}

// people returns a function for the respondent of a task, "" if the file names none.
func (l *longReader) people() func(task int) string {
	names := make([]string, len(l.respondents))
	for person, number := range l.respondents {
		names[number] = person
	}
	return func(task int) string {
		if l.respondent < 0 {
			return ""
		}
		return names[l.tasks[task].respondent]
	}
}

// explainTask states the problem of a task in terms of the file, at the line of
// one of its rows.
func (l *longReader) explainTask(e *choice.TaskError, row int) error {
	column, problem := l.rows.Header()[l.outcome], string(e.Problem)
	switch e.Problem {
	case choice.TooFewAlternatives:
		column, problem = l.columns.Task, "has only one alternative"
	case choice.NotFinite:
		column = ""
	case choice.NoPick:
		if l.columns.Rank == "" {
			problem = "has no chosen alternative"
		}
	case choice.TiedRanks:
		if l.columns.Rank == "" {
			problem = "has two chosen alternatives"
		}
		if l.respondent < 0 {
			problem += "; if task numbers start anew for each respondent, name the respondent's column"
		}
	case bestWorst, twoWorst:
		column = l.columns.Worst
	case choice.RankGap, someTied:
	}
	name := fmt.Sprintf("task %q", l.tasks[e.Task].name)
	if l.respondent >= 0 {
		name += fmt.Sprintf(" of respondent %q", l.people()(e.Task))
	}
	return l.rows.ErrorAt(int(l.lines[row]), column, "%s %s", name, problem)
}
