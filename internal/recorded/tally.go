package recorded

import (
	"slices"

	"bestpick/choice"
	"bestpick/internal/answers"
	"bestpick/internal/table"
)

// ReadTally reads answers about the arms of a catalogue, as a live study exports them, and counts the
// picks of the best arms. Answers of none and ties are left out; under an offer with the worst arm only
// the first pick counts. Memory grows with the distinct questions, not with the answers.
func ReadTally(given Source, c *choice.Catalogue, offer choice.Offer) (*choice.Tally, error) {
	from, err := answers.NewReader(given, given.Name, table.Limits{})
	if err != nil {
		return nil, err
	}
	tally := choice.NewTally(c.Len())
	for row, err := range from.Rows() {
		if err != nil {
			return nil, err
		}
		var answer choice.Answer
		for slot, id := range row.Shown {
			arm, known := c.Index(id)
			if !known {
				return nil, from.Errorf(slot, "there is no arm %q", id)
			}
			answer.Question = append(answer.Question, arm)
		}
		for _, id := range row.Picks {
			answer.Picks = append(answer.Picks, slices.Index(row.Shown, id))
		}
		if err := tally.Add(offer.Picked(answer)); err != nil {
			return nil, from.Errorf(0, "%v", err)
		}
	}
	if tally.Picks() == 0 {
		return nil, &table.Error{File: given.Name, Problem: "there are no answers in the file"}
	}
	return tally, nil
}
