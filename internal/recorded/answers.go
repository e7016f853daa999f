package recorded

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"bestpick/choice"
)

// Answers are recorded choices as answers about a catalogue, in the order of the file. Every distinct
// row of features is an arm, with an id that lists its features.
type Answers struct {
	Catalogue *choice.Catalogue
	Answers   []choice.Answer
}

// answersOf returns the answers for the rows of all tasks, the rank of each row, 0 for unranked, and the
// respondent of each task. It omits tasks whose alternatives are all equal, which carry no
// information.
func answersOf(names []string, cells []float64, sizes, ranks []int, respondent func(task int) string) (*Answers, error) {
	d := len(names)
	arms := map[string]int{}
	var ids []string
	var rows [][]float64
	armOf := func(row []float64) int {
		var key []byte
		for _, x := range row { // −0 is 0
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x+0))
		}
		arm, known := arms[string(key)]
		if !known {
			arm = len(rows)
			arms[string(key)] = arm
			rows, ids = append(rows, slices.Clone(row)), append(ids, describe(names, row, arm))
		}
		return arm
	}
	a := &Answers{}
	first := 0
	for task, size := range sizes {
		answer := choice.Answer{Respondent: respondent(task)}
		for i := range size {
			answer.Question = append(answer.Question, armOf(cells[(first+i)*d:(first+i+1)*d]))
		}
		answer.Picks = appendPicks(nil, ranks[first:first+size])
		if slices.ContainsFunc(answer.Question, func(arm int) bool { return arm != answer.Question[0] }) {
			a.Answers = append(a.Answers, answer)
		}
		first += size
	}
	var err error
	a.Catalogue, err = choice.NewCatalogue(ids, names, rows)
	return a, err
}

// appendPicks appends the slots of the alternatives of a task that were ranked, best first.
func appendPicks(picks, ranks []int) []int {
	for rank := 1; ; rank++ {
		slot := slices.Index(ranks, rank)
		if slot < 0 {
			return picks
		}
		picks = append(picks, slot)
	}
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
