// Package recorded reads choices that were recorded elsewhere, so that the model can be fitted to them: in long form, one row
// for each alternative of a task; in wide form, one row for each task; as answers of a live study; and as votes between pairs
// of items.
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

// LongForm names the columns of choices in long form: a row for each alternative on offer in a task. A file in wide form has a
// row for each task, with columns such as price_A and price_B; it is read as if it were in long form, with a column price.
type LongForm struct {
	Task        string   // groups rows, which need not be adjacent; in wide form each row is a task
	Alternative string   // names the alternative; needed only for Constants and ByAlternative
	Chosen      string   // 1, true or yes on the row picked; 0, false or no elsewhere; in wide form the alternative picked
	Rank        string   // instead of Chosen: 1 is best, empty is unranked
	Order       []string // in wide form, instead of Chosen: the columns with the alternative in each place, or their prefix
	Respondent  string   // optional; if set, task numbers may restart for each respondent
	Available   string   // optional: 1 if the alternative was on offer; other rows are left out
	Weight      string   // optional: the weight of the task, the same on all its rows
	Features    []string // numbers, or text that becomes indicators

	Outside bool   // a task without a pick is a choice of none of its alternatives
	Ties    bool   // a task with all alternatives chosen is a tie; not in wide form
	Worst   string // optional: as Chosen, for the worst alternative; may be empty elsewhere

	// Numbers are features whose texts are numbers with units, such as $5 or 8 GB.
	Numbers []string

	// ByAlternative are columns with a coefficient for each alternative. If the column never
	// differs within a task, such as the income of the respondent, the base has none.
	ByAlternative []string

	// Constants are alternatives with an alternative-specific constant; with AllConstants, all but the base are.
	Constants    []string
	AllConstants bool

	// Alternatives are the alternatives of a wide file. An alternative without a column of an
	// attribute has 0 there. Defaults to all that the columns name.
	Alternatives []string

	// Base is the level without an indicator, by text column among the features. A column
	// named here is text even if it looks like numbers. Defaults to the first level in
	// the file. The base of the column Alternative is the alternative without a constant.
	Base map[string]string

	// Where selects rows.
	Where []Condition

	// SkipMissing leaves out tasks with a missing feature.
	SkipMissing bool

	// Answers requests the choices as answers about a catalogue, too.
	Answers bool

	armsNamed bool // the alternatives are ids of arms
}

// outcome returns the column that says what was picked.
func (f *LongForm) outcome() string {
	if f.Rank != "" {
		return f.Rank
	}
	return f.Chosen
}

// spreadable returns the columns that a wide file with this header may spread over alternatives. The first sure ones are
// columns; the others may be an alternative or a text of an expression.
func (f *LongForm) spreadable(header []string) (names []string, sure int) {
	names, maybe := f.modelColumns(header)
	if f.Available != "" {
		names = append(names, f.Available)
	}
	return append(names, maybe...), len(names)
}

// Choices are recorded choices, ready to be fitted.
type Choices struct {
	Records *choice.Records

	// Tasks is the number of tasks of the file, and Rows the number of their alternatives. Records has
	// further ones if the worst alternatives, none of them or ties were recorded. TaskOf is the task of the
	// file of each task of Records; nil if there is one for each.
	Tasks  int
	Rows   int
	TaskOf []int

	// Respondents is the respondent of each task of Records, numbered from zero in order of
	// appearance; nil if the data name none. There are RespondentCount, and RespondentNames are theirs.
	Respondents     []int
	RespondentCount int
	RespondentNames []string

	// Alternatives are the names of the alternatives, and Labels the picks among them, for the model
	// with constants only. They are nil if some alternative has no name, or two of a task have the
	// same. AllConstants reports whether all but one have a constant.
	Alternatives []string
	Labels       *choice.Tally
	AllConstants bool

	// Coding is how the features came about.
	Coding *Coding

	// Hints are about columns that are not used, but look as if they should be, and about tasks that
	// were left out. Each suggests a remedy.
	Hints []string

	// Answers are the choices about a catalogue, if requested.
	Answers *Answers
}

// ReadLong reads choices in long or wide form, in any format that catalogues have. file is the file name in errors. ReadLong
// holds numbers, not text, in memory.
func ReadLong(source io.Reader, file string, form LongForm) (*Choices, error) {
	r, err := openRows(source, file, form.Where)
	if err != nil {
		return nil, err
	}
	if len(form.Order) > 0 {
		form.Rank = rankColumn
	}
	rows, alternatives, err := widen(r, form, true)
	if err != nil {
		return nil, err
	}
	switch {
	case alternatives != nil && form.Ties:
		return nil, r.ErrorAt(0, "", "--ties needs a row for each alternative, but the file has one for each task")
	case alternatives == nil && len(form.Order) > 0:
		return nil, r.ErrorAt(0, "", "--order needs a row for each task; name the alternatives: --alternatives a,b, or leave out "+
			"--constants for a utility of each item")
	}
	form.Alternatives = alternatives
	return readChoices(rows, form)
}

// readChoices reads rows in long form.
func readChoices(r *table.Reader, form LongForm) (*Choices, error) {
	l, err := newLongReader(r, form)
	if err != nil {
		return nil, err
	}
	if err := r.Each(l.addRow); err != nil {
		return nil, err
	}
	if len(l.tasks) == 0 {
		return nil, r.ErrorAt(0, form.Available, "no alternative is available")
	}
	return l.choices()
}

// A longReader collects the rows of all tasks.
type longReader struct {
	rows   *table.Reader
	form   LongForm
	matrix *matrix
	hints  *hints

	task, outcome, respondent, available, weight, worst int // columns, -1 where not used

	index       map[string]int // task key → task
	tasks       []task
	respondents levels

	taskOf []int32 // for each row, in the order of the file
	ranks  []int32
	worsts []bool
	lines  []int32

	lastKey  string
	lastTask int
	key      []byte
}

type task struct {
	name       string
	respondent int32
	size       int
	weight     float64
	missing    bool // a feature, and is to be skipped
}

func newLongReader(r *table.Reader, form LongForm) (*longReader, error) {
	at, err := optionalColumns(r, form.Task, form.outcome(), form.Respondent, form.Available, form.Weight, form.Worst)
	if err != nil {
		return nil, suggestWide(err, r, form)
	}
	l := &longReader{
		rows: r, form: form, hints: newChoiceHints(r, form),
		task: at[0], outcome: at[1], respondent: at[2], available: at[3], weight: at[4], worst: at[5],
		index: map[string]int{}, respondents: newLevels(), lastTask: -1,
	}
	if l.matrix, err = newMatrix(r, newCoding(form), false); err != nil {
		return nil, err
	}
	l.matrix.skipMissing = form.SkipMissing
	return l, nil
}

// addRow adds the current row.
func (l *longReader) addRow() error {
	rank, err := l.currentRank()
	if err != nil {
		return err
	}
	worst, err := l.isWorst()
	if err != nil {
		return err
	}
	if offered, err := l.isAvailable(rank > 0 || worst); err != nil || !offered {
		return err
	}
	t, err := l.currentTask()
	if err != nil {
		return err
	}
	if err := l.matrix.addRow(); err != nil {
		return err
	}
	l.hints.addRow()
	l.tasks[t].size++
	l.tasks[t].missing = l.tasks[t].missing || l.matrix.missed
	l.taskOf = append(l.taskOf, int32(t))
	l.ranks = append(l.ranks, int32(rank))
	l.worsts = append(l.worsts, worst)
	l.lines = append(l.lines, int32(l.rows.Line()))
	return nil
}

// isAvailable reports whether the alternative of the current row was on offer.
func (l *longReader) isAvailable(picked bool) (bool, error) {
	if l.available < 0 {
		return true, nil
	}
	offered, err := truth(l.rows, l.available, "available")
	if err == nil && !offered && picked {
		err = l.rows.Errorf(l.available, "the alternative was picked, but is not available")
	}
	return offered, err
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
	weight, err := l.currentWeight()
	if err != nil {
		return 0, err
	}
	l.key = append(append(append(l.key[:0], person...), 0), name...)
	if l.lastTask < 0 || string(l.key) != l.lastKey {
		l.lastKey = string(l.key)
		t, known := l.index[l.lastKey]
		if !known {
			t = len(l.tasks)
			l.index[l.lastKey] = t
			l.tasks = append(l.tasks, task{name: strings.Clone(name), respondent: int32(l.respondents.add(person)), weight: weight})
		}
		l.lastTask = t
	}
	if first := l.tasks[l.lastTask].weight; weight != first {
		return 0, l.rows.Errorf(l.weight, "the weight of a task must be the same on all its rows; task %q has %v and %v", name,
			first, weight)
	}
	return l.lastTask, nil
}

// currentWeight returns the weight of the task of the current row.
func (l *longReader) currentWeight() (float64, error) {
	if l.weight < 0 {
		return 1, nil
	}
	x, err := l.rows.Number(l.weight)
	if err == nil && !(x > 0) {
		return 0, l.rows.Errorf(l.weight, "a weight must be positive, got %v; to leave rows out, use --where '%s>0'", x, l.form.Weight)
	}
	return x, err
}

// currentRank returns the rank of the current row: 1 for a pick, 0 for no rank.
func (l *longReader) currentRank() (int, error) {
	if l.form.Rank == "" {
		chosen, err := truth(l.rows, l.outcome, "chosen")
		return picked(chosen), err
	}
	text := l.rows.Text(l.outcome)
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

// isWorst reports whether the alternative of the current row is the worst of its task.
func (l *longReader) isWorst() (bool, error) {
	if l.worst < 0 || table.IsMissing(l.rows.Text(l.worst)) {
		return false, nil
	}
	return truth(l.rows, l.worst, "worst")
}

// truth returns whether a field of the current row says yes. what is the meaning of yes.
func truth(r *table.Reader, column int, what string) (bool, error) {
	text := r.Text(column)
	yes, known := truthOf(text)
	switch {
	case known:
		return yes, nil
	case text == "":
		return false, r.Missing(column)
	}
	return false, r.Errorf(column, "%q is neither 1 (%s) nor 0", text, what)
}

// truthOf parses yes and no.
func truthOf(text string) (yes, known bool) {
	switch strings.TrimSuffix(strings.ToLower(text), ".0") {
	case "1", "true", "t", "yes":
		return true, true
	case "0", "false", "f", "no":
		return false, true
	}
	return false, false
}

// choices builds the records from all rows.
func (l *longReader) choices() (*Choices, error) {
	l.matrix.compareInTasks(l.taskOf, len(l.tasks))
	names, err := l.matrix.names(l.rows)
	if err != nil {
		return nil, err
	}
	if err := l.checkNames(names); err != nil {
		return nil, err
	}
	kept := l.kept()
	if len(kept) == 0 {
		return nil, l.rows.ErrorAt(0, "", "every task has a missing feature or only one available alternative")
	}
	place, count := l.places(kept)
	given := tasks{names: names, sizes: make([]int, len(kept)), ranks: make([]int, count), worst: make([]bool, count)}
	for i, to := range place {
		if to >= 0 {
			given.ranks[to], given.worst[to] = int(l.ranks[i]), l.worsts[i]
		}
	}
	for i, t := range kept {
		given.sizes[i] = l.tasks[t].size
	}
	tied := l.form.Rank != "" && !l.form.Ties && given.haveTies()
	c := &Choices{
		Tasks: len(kept), Rows: count, Coding: l.matrix.Coding,
		Hints: append(l.leftOut(len(kept)), l.hints.listChoices(len(l.tasks), l.matrix.Coding)...),
	}
	if !l.form.offersMore() && !tied {
		l.addLabels(c, place, given.sizes, given.ranks, kept)
	}
	if tied && l.respondent < 0 {
		c.Hints = append(c.Hints,
			"some alternatives of a task have the same rank and count as tied; if task numbers start anew for each "+
				"respondent, add --respondent")
	}
	arms := l.arms(place, count)
	given.cells = l.matrix.cells(len(names), count, place)
	var copied []float64
	if l.form.Answers {
		copied = slices.Clone(given.cells) // NewRecords changes them
	}
	if err := l.record(c, given, tied, kept, place); err != nil {
		return nil, err
	}
	if l.form.Answers {
		c.Answers, err = answersOf(names, copied, given.sizes, given.ranks, func(i int) string { return l.person(kept[i]) },
			func(row int) string { return arms[row] })
	}
	return c, err
}

// arms returns the id of the arm of each row, "" if alternatives are no arms.
func (l *longReader) arms(place []int, count int) []string {
	ids := make([]string, count)
	if !l.form.armsNamed || !l.form.Answers || l.matrix.alternative < 0 {
		return ids
	}
	for row, numbers := range l.matrix.collected {
		if at := int(numbers[len(numbers)-1]); place[row] >= 0 && at >= 0 {
			ids[place[row]] = l.matrix.alternatives.names[at]
		}
	}
	return ids
}

// record sets the records of the given tasks, which are those kept and may have tied ranks, with their respondents and weights.
func (l *longReader) record(c *Choices, given tasks, tied bool, kept, place []int) error {
	if tied {
		var refused *choice.TaskError
		if given, refused = given.untied(); refused != nil {
			return l.explainTask(refused, kept, place)
		}
	}
	made, refused := l.form.expand(given)
	if refused != nil {
		return l.explainTask(refused, kept, place)
	}
	records, err := choice.NewRecords(made.names, made.cells, made.sizes, made.ranks)
	if refused, ok := errors.AsType[*choice.TaskError](err); ok {
		return l.explainTask(made.origin(refused), kept, place)
	}
	if err != nil {
		return err
	}
	from := kept // the task of the file of each task
	if made.from != nil {
		from = make([]int, len(made.from))
		for i, t := range made.from {
			from[i] = kept[t]
		}
	}
	if l.respondent >= 0 {
		c.RespondentNames, c.RespondentCount = l.respondents.names, len(l.respondents.names)
		for _, t := range from {
			c.Respondents = append(c.Respondents, int(l.tasks[t].respondent))
		}
	}
	if l.weight >= 0 || tied {
		weights := l.weights(from)
		for i, share := range made.weights {
			weights[i] *= share
		}
		records = records.Weighted(weights)
	}
	c.Records, c.TaskOf = records, made.from
	return nil
}

// haveTies reports whether some ranks are tied.
func (t tasks) haveTies() bool {
	first := 0
	for _, size := range t.sizes {
		if size > 0 && hasTies(t.ranks[first:first+size]) {
			return true
		}
		first += size
	}
	return false
}

// checkNames returns an error if a parameter has the name of a constant of [LongForm.expand].
func (l *longReader) checkNames(names []string) error {
	for _, name := range l.form.offeredNames() {
		if slices.Contains(names, name) {
			return l.rows.ErrorAt(0, "", "two parameters would be called %q", name)
		}
	}
	return nil
}

// kept returns the tasks to fit: all, except tasks with a missing feature, and with only one available alternative, which carry
// information only beside none.
func (l *longReader) kept() []int {
	kept := make([]int, 0, len(l.tasks))
	for t, task := range l.tasks {
		if (task.size > 1 || l.available < 0 || l.form.Outside) && !task.missing {
			kept = append(kept, t)
		}
	}
	return kept
}

// leftOut returns the hints about tasks that are not kept.
func (l *longReader) leftOut(kept int) (hints []string) {
	missing := 0
	for _, task := range l.tasks {
		missing += picked(task.missing)
	}
	if missing > 0 {
		hints = append(hints, fmt.Sprintf("%d of %d tasks have a missing feature and are left out", missing, len(l.tasks)))
	}
	if single := len(l.tasks) - kept - missing; single > 0 {
		hints = append(hints, fmt.Sprintf("%d of %d tasks have only one available alternative; they carry no information and "+
			"are left out", single, len(l.tasks)))
	}
	return hints
}

// places returns where each row of the file goes so that the rows of a task are together, −1 if its task is not kept, and the
// number of rows kept.
func (l *longReader) places(kept []int) (places []int, count int) {
	next := make([]int, len(l.tasks))
	for t := range next {
		next[t] = -1
	}
	for _, t := range kept {
		next[t] = count
		count += l.tasks[t].size
	}
	places = make([]int, len(l.taskOf))
	for i, t := range l.taskOf {
		places[i] = next[t]
		if next[t] >= 0 {
			next[t]++
		}
	}
	return places, count
}

// weights returns the weights of some tasks.
func (l *longReader) weights(tasks []int) []float64 {
	weights := make([]float64, len(tasks))
	for i, t := range tasks {
		weights[i] = l.tasks[t].weight
	}
	return weights
}

// person returns the respondent of a task, "" if the file names none.
func (l *longReader) person(task int) string {
	return l.respondents.names[l.tasks[task].respondent]
}

// explainTask states the problem of one of the tasks kept in terms of the file, at the line of one of its rows.
func (l *longReader) explainTask(e *choice.TaskError, kept, place []int) error {
	task, row := kept[e.Task], slices.Index(place, e.Row)
	column, problem := l.rows.Header()[l.outcome], string(e.Problem)
	switch e.Problem {
	case choice.TooFewAlternatives:
		column, problem = l.form.Task, "has only one alternative"
	case choice.NotFinite:
		column = ""
	case choice.NoPick:
		if l.form.Rank == "" {
			problem = "has no chosen alternative"
		}
	case choice.TiedRanks:
		if l.form.Rank == "" {
			problem = "has two chosen alternatives"
		}
		if l.respondent < 0 {
			problem += "; if task numbers start anew for each respondent, name the respondent's column"
		}
	case twoWorst, bestWorst:
		column = l.form.Worst
	case choice.RankGap, someTied, manyTied:
	}
	name := fmt.Sprintf("task %q", l.tasks[task].name)
	if l.respondent >= 0 {
		name += fmt.Sprintf(" of respondent %q", l.person(task))
	}
	return l.rows.ErrorAt(int(l.lines[row]), column, "%s %s", name, problem)
}
