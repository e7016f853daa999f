package checks

import (
	"math"

	"bestpick/choice"
	"bestpick/evidence"
)

// A Study makes the checks on recorded answers, such as those of a finished study: it predicts each
// answer from the earlier ones. It is not safe for concurrent use.
type Study struct {
	arms    *choice.Catalogue // whitened
	tally   *choice.Tally
	linear  *choice.Linear
	belief  evidence.Belief
	monitor *Monitor
	answers int
	next    int // number of answers at the next look
}

// NewStudy returns the checks of answers about the arms of a catalogue.
func NewStudy(c *choice.Catalogue) (*Study, error) {
	white, err := choice.Whiten(c)
	if err != nil {
		return nil, err
	}
	s := &Study{arms: white, tally: choice.NewTally(c.Len()), belief: evidence.NewBelief(white.Dim()), next: 1}
	s.linear = choice.NewLinear(white, s.tally)
	s.monitor = NewMonitor(c, white, s.tally)
	s.monitor.capacity = math.MaxInt // Clicking needs all respondents at the end
	return s, nil
}

// Tell counts an answer. It looks whenever the number of answers has grown by a fiftieth.
func (s *Study) Tell(a choice.Answer) error {
	if err := a.Check(s.arms.Len()); err != nil {
		return err
	}
	for slots, picked := range a.Steps() {
		p := Pick{Belief: &s.belief, Slots: slots, Picked: picked, Respondent: a.Respondent, Arms: make([]int, len(slots))}
		for i, slot := range slots {
			p.Arms[i] = a.Question[slot]
		}
		p.Shown = p.Arms
		p.Shares = s.belief.Predict(s.arms, p.Shown)
		s.monitor.Observe(p)
		s.belief.Learn(s.arms, p.Arms, p.Shares, p.Arms[picked])
	}
	if err := s.tally.Add(a); err != nil {
		return err
	}
	if s.answers++; s.answers >= s.next {
		s.Look()
		s.next = s.answers + max(1, s.answers/50)
	}
	return nil
}

// Look computes the evidence of all checks now.
func (s *Study) Look() Finding {
	s.belief.Fit(s.linear)
	return s.monitor.Look(s.belief.Fitted)
}

// Finding returns the result of the looks so far.
func (s *Study) Finding() Finding { return s.monitor.Finding() }

// Clicking returns the log-odds that a respondent clicks at random.
func (s *Study) Clicking(respondent string) float64 { return s.monitor.clicking(respondent) }
