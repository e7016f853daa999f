package checks

import (
	"fmt"
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
)

// A Check tests for one way in which answers may violate the model.
type Check int

// The checks.
const (
	Position Check = iota // position effect: some slots of the screen are favoured
	Appeal                // omitted attribute: an arm's features do not explain its appeal
	Context               // context effect: the odds of two arms depend on the other arms shown
	Clicks                // random responding: a share of the picks is at random
	Drift                 // drift: preferences change over time
	People                // heterogeneity: respondents differ

	checkCount = iota
)

// All returns all checks, in the order of [Finding.Each].
func All() []Check { return []Check{Position, Appeal, Context, Clicks, Drift, People} }

// String returns the name of a check.
func (c Check) String() string {
	return [...]string{"position", "appeal", "context", "clicks", "drift", "people"}[c]
}

// A Status summarises how the answers fit the model.
type Status int

const (
	// Fits means that there is no evidence against the model.
	Fits Status = iota

	// Doubtful means that a richer model is now more than five times as likely, which happens in at
	// most one of five studies whose answers fit.
	Doubtful

	// Refuted means that a richer model was at some look more than twenty times as likely, which
	// happens in at most one of twenty studies whose answers fit.
	Refuted
)

// MarshalText returns the name of the check.
func (c Check) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// MarshalText returns the status as a word.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses the name of a check.
func (c *Check) UnmarshalText(text []byte) error {
	at := slices.IndexFunc(All(), func(c Check) bool { return c.String() == string(text) })
	if at < 0 {
		return fmt.Errorf("checks: unknown check %q", text)
	}
	*c = All()[at]
	return nil
}

// UnmarshalText parses a status.
func (s *Status) UnmarshalText(text []byte) error {
	for _, status := range []Status{Fits, Doubtful, Refuted} {
		if status.String() == string(text) {
			*s = status
			return nil
		}
	}
	return fmt.Errorf("checks: unknown status %q", text)
}

// String returns the status as a lower-case word.
func (s Status) String() string { return [...]string{"fits", "doubtful", "refuted"}[s] }

// Logs of the evidence at which the model becomes doubtful and is refuted. They apply to the
// combined evidence and to that of a single check.
const (
	doubtful = 1.6094379124341003 // log 5
	refuted  = 2.995732273553991  // log 20
)

// A Finding describes how the answers fit the model. A refuted model stays refuted.
type Finding struct {
	Status Status `json:"status"`

	// Check has the most evidence against the model. If the status is not Fits, Sentence describes
	// the violation and Remedy suggests a solution.
	Check    Check  `json:"check"`
	Sentence string `json:"sentence,omitempty"`
	Remedy   string `json:"remedy,omitempty"`

	// Evidence is the log of the combined evidence, and Each the log of the evidence of every
	// check. Both are the largest over all looks.
	Evidence float64   `json:"evidence"`
	Each     []float64 `json:"each"` // in the order of [All]
}

// Finding returns the result of the looks so far.
func (m *Monitor) Finding() Finding {
	f := Finding{Evidence: m.state.Combined, Each: append([]float64(nil), m.state.Evidence...)}
	for _, c := range All() {
		if f.Each[c] > f.Each[f.Check] {
			f.Check = c
		}
	}
	switch {
	case f.Evidence >= refuted:
		f.Status = Refuted
	case m.state.Now >= doubtful:
		f.Status = Doubtful
	default:
		return f
	}
	f.Sentence, f.Remedy = m.state.Said[f.Check], f.Check.remedy()
	return f
}

// remedy returns a suggestion for a violation: in most cases, a model that includes the effect.
func (c Check) remedy() string {
	return [...]string{
		"allow for constants of the slots (model slots)",
		"allow for constants of the arms (model intercepts), or add the feature that is missing",
		"no model here allows for that; leave one of the two arms out",
		"allow for clicks at random (model clicks)",
		"no model here allows for that; begin anew with the answers from now on",
		"name the segments that people belong to (model segments)",
	}[c]
}

// sentence describes a violation, by the alternative with the most capital. It names arms by their
// ids.
func (m *Monitor) sentence(c Check, where int) string {
	direction := func(beta float64) string {
		if beta < 0 {
			return "less"
		}
		return "more"
	}
	switch c {
	case Position:
		best := 0
		for slot, t := range m.state.Position.Slots {
			if t.Beta > m.state.Position.Slots[best].Beta {
				best = slot
			}
		}
		return fmt.Sprintf("what stands in some places of the screen is picked more often, place %d most of all", best+1)
	case Appeal:
		a := m.state.Appeal
		return fmt.Sprintf("%s is picked %s often than its features say", m.arms.ID(a.Keys[where]), direction(a.Items[where].Beta))
	case Context:
		x := m.state.Context
		return fmt.Sprintf("%s is picked %s often when %s is shown with it", m.arms.ID(x.Keys[where][0]),
			direction(x.Items[where].Beta), m.arms.ID(x.Keys[where][1]))
	case Clicks:
		return fmt.Sprintf("about %.0f %% of the picks look random", 100*clickShares()[where/len(sureness())])
	case Drift:
		return "what people prefer has changed over time"
	case People:
		return "people differ: what one of them picks agrees more with what they picked before than with what others pick"
	}
	panic("checks: unknown check")
}

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
