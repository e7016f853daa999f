package recorded

import (
	"errors"
	"io"
	"slices"
	"strings"

	"bestpick/choice"
	"bestpick/internal/answers"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
)

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
