package recorded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"bestpick/choice"
	"bestpick/internal/answers"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
)

// A Scenario is a set of alternatives for which a fitted model predicts the shares.
type Scenario struct {
	Name         string      // of its task, "" if the file has one scenario
	Alternatives []string    // names, or numbers from 1 on
	Features     [][]float64 // of each alternative, in the model's order
}

// ReadScenarios reads the alternatives of one or more scenarios, with the columns of the choices that the
// coding is from, except the outcome, respondents and weights. A column of tasks separates scenarios; in
// wide form each row is one. file is the file name in errors.
func (c *Coding) ReadScenarios(source io.Reader, file string, form LongForm) ([]Scenario, error) {
	r, err := openRows(source, file, nil)
	if err != nil {
		return nil, err
	}
	if c.wide {
		form.Alternatives = c.alternatives.names
	}
	rows, _, err := widen(r, form, false)
	if err != nil {
		return nil, err
	}
	return c.readScenarios(rows, form)
}

// readScenarios reads rows in long form.
func (c *Coding) readScenarios(r *table.Reader, form LongForm) ([]Scenario, error) {
	m, err := newMatrix(r, c.clone(), true)
	if err != nil {
		return nil, err
	}
	named := func(column string) string { // "" if the file lacks it
		if column == "" || !hasColumn(r, column) {
			return ""
		}
		return column
	}
	at, err := optionalColumns(r, named(form.Task), named(form.Available))
	if err != nil {
		return nil, err
	}
	s := &scenarioReader{rows: r, matrix: m, task: at[0], available: at[1]}
	if err := r.Each(s.addRow); err != nil {
		return nil, err
	}
	return s.filled(), nil
}

// A scenarioReader collects the alternatives of scenarios.
type scenarioReader struct {
	rows            *table.Reader
	matrix          *matrix
	task, available int // columns, −1 if there are none

	scenarios  []Scenario
	scenarioOf []int // for each row
}

// addRow adds the current row.
func (s *scenarioReader) addRow() error {
	if s.available >= 0 {
		if offered, err := truth(s.rows, s.available, "available"); err != nil || !offered {
			return err
		}
	}
	name := ""
	if s.task >= 0 {
		name = s.rows.Text(s.task)
	}
	at := slices.IndexFunc(s.scenarios, func(one Scenario) bool { return one.Name == name })
	if at < 0 {
		at = len(s.scenarios)
		s.scenarios = append(s.scenarios, Scenario{Name: name})
	}
	one := &s.scenarios[at]
	label := strconv.Itoa(len(one.Alternatives) + 1)
	if s.matrix.alternative >= 0 {
		label = s.rows.Text(s.matrix.alternative)
	}
	one.Alternatives = append(one.Alternatives, label)
	s.scenarioOf = append(s.scenarioOf, at)
	return s.matrix.addRow()
}

// filled returns the scenarios with the features of their alternatives.
func (s *scenarioReader) filled() []Scenario {
	layout := s.matrix.layout()
	for row, numbers := range s.matrix.collected {
		features := make([]float64, layout.width())
		layout.fill(features, numbers)
		one := &s.scenarios[s.scenarioOf[row]]
		one.Features = append(one.Features, features)
	}
	return s.scenarios
}

// clone returns a copy that can be read into.
func (c *Coding) clone() *Coding {
	copied := *c
	copied.features = slices.Clone(c.features)
	for i := range copied.features {
		f := &copied.features[i]
		f.levels, f.numbers = newLevels(f.levels.names...), slices.Clone(f.numbers)
	}
	return &copied
}

// ReadTally reads answers about the arms of a catalogue, as a live study exports them, and counts the
// picks of the best arms. Answers of none and ties are left out; under an offer with the worst arm only
// the first pick counts. Memory grows with the distinct questions, not with the answers. Problems of the
// file are of type [table.Error]; unknown arms are one problem.
func ReadTally(given Source, c *choice.Catalogue, offer choice.Offer, limits table.Limits) (*choice.Tally, error) {
	from, err := answers.NewReader(given, given.Name, limits)
	if err != nil {
		return nil, err
	}
	tally, strangers := choice.NewTally(c.Len()), strangers{seen: map[string]bool{}}
	for row, err := range from.Rows() {
		if err != nil {
			return nil, err
		}
		var answer choice.Answer
		for slot, id := range row.Shown {
			arm, known := c.Index(id)
			if !known {
				strangers.add(from, slot, id)
			}
			answer.Question = append(answer.Question, arm)
		}
		if strangers.first != nil {
			continue
		}
		for _, id := range row.Picks {
			answer.Picks = append(answer.Picks, slices.Index(row.Shown, id))
		}
		if err := tally.Add(offer.Picked(answer)); err != nil {
			return nil, from.ArmProblem(0, table.Problemf("", "%v", err))
		}
	}
	if err := strangers.problem(); err != nil {
		return nil, err
	}
	if tally.Picks() == 0 {
		return nil, &table.Error{File: given.Name, Problem: table.Problemf("no-answers", "there are no answers in the file")}
	}
	return tally, nil
}

// UploadedTally is [ReadTally] for a file from a stranger, which must not exceed its limits.
func UploadedTally(u read.Upload, c *choice.Catalogue, offer choice.Offer) (*choice.Tally, error) {
	if problem := u.Limits.BytesProblem(u.Size); problem.Exists() {
		return nil, &table.Error{File: u.Name, Problem: problem}
	}
	if err := u.Check(); err != nil {
		return nil, err
	}
	return ReadTally(Source{io.NewSectionReader(u.Contents, 0, u.Size), u.Name}, c, offer, u.Limits)
}

// strangers collects the arms of a file that are not in the catalogue.
type strangers struct {
	seen  map[string]bool // by id
	first error           // about the first one
}

// add adds the arm in a slot of the reader's current row.
func (s *strangers) add(from *answers.Reader, slot int, id string) {
	if s.first == nil {
		s.first = from.ArmProblem(slot, table.Problemf("no-arm", "there is no arm %.200q", id))
	}
	s.seen[strings.Clone(id)] = true
}

// problem returns the error about the first of them, with the number of the others.
func (s *strangers) problem() error {
	if placed, ok := errors.AsType[*table.Error](s.first); ok {
		placed.More = len(s.seen) - 1
	}
	return s.first
}

// Answers are recorded choices as answers about a catalogue, in the order of the file. Every distinct
// row of features is an arm, with the id of the arm if the file names arms, or else an id that lists its features.
type Answers struct {
	Catalogue *choice.Catalogue
	Answers   []choice.Answer
}

// answersOf returns the answers for the rows of all tasks, the rank of each row, 0 for unranked, and the
// respondent of each task. It omits tasks whose alternatives are all equal and
// ties for the first place, which carry no information.
func answersOf(names []string, cells []float64, sizes, ranks []int, respondent, arm func(at int) string) (*Answers, error) {
	d := len(names)
	arms := map[string]int{}
	var ids []string
	var rows [][]float64
	armOf := func(at int) int {
		row := cells[at*d : (at+1)*d]
		var key []byte
		for _, x := range row { // −0 is 0
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x+0))
		}
		number, known := arms[string(key)]
		if !known {
			number = len(rows)
			arms[string(key)] = number
			id := arm(at)
			if id == "" || slices.Contains(ids, id) {
				id = describe(names, row, number)
			}
			rows, ids = append(rows, slices.Clone(row)), append(ids, id)
		}
		return number
	}
	a := &Answers{}
	first := 0
	for task, size := range sizes {
		answer := choice.Answer{Respondent: respondent(task)}
		for i := range size {
			answer.Question = append(answer.Question, armOf(first+i))
		}
		answer.Picks = appendPicks(nil, ranks[first:first+size])
		if len(answer.Picks) > 0 && slices.ContainsFunc(answer.Question, func(arm int) bool { return arm != answer.Question[0] }) {
			a.Answers = append(a.Answers, answer)
		}
		first += size
	}
	var err error
	a.Catalogue, err = choice.NewCatalogue(ids, names, rows)
	return a, err
}

// appendPicks appends the slots of the alternatives of a task that were ranked, best first, up to a tie.
func appendPicks(picks, ranks []int) []int {
	if first := slices.Index(ranks, 1); first >= 0 && slices.Max(ranks) == 1 && count(ranks, 1) == 1 { // most are one pick
		return append(picks, first)
	}
	slots := make([]int, len(ranks)+2) // by rank: the slot + 1, −1 if there are several
	for slot, rank := range ranks {
		switch {
		case rank < 1 || rank > len(ranks):
		case slots[rank] == 0:
			slots[rank] = slot + 1
		default:
			slots[rank] = -1
		}
	}
	for rank := 1; slots[rank] > 0; rank++ {
		picks = append(picks, slots[rank]-1)
	}
	return picks
}

// describe returns the id of an arm: its number and its first few features that are not zero.
func describe(names []string, row []float64, arm int) string {
	const maxWords = 6
	var words []string
	for k, name := range names {
		if row[k] != 0 && len(words) < maxWords {
			words = append(words, fmt.Sprintf("%s=%g", name, row[k]))
		}
	}
	return strings.TrimSpace(fmt.Sprintf("alternative %d (%s)", arm+1, strings.Join(words, " ")))
}
