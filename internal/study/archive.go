package study

import "fmt"

// An Archive is a complete study, ready to be copied to another store. It has neither the planning
// lease nor the tokens of open questions: the other store has another secret.
type Archive struct {
	Study     Study
	Catalogue []byte
	Outcomes  []Outcome // all, in order
	Plans     []Plan    // all, in order
	Batches   []string  // names of imported batches
	Claimed   int       // questions that were claimed
	Members   []Member  // of the panel, in order
	Pictures  []Picture // of its arms
	Profiles  []Profile // of its respondents
}

// Check returns an error unless outcomes, plans and members are numbered as in a store.
func (w Archive) Check() error {
	for i, o := range w.Outcomes {
		if o.Number != int64(i)+1 {
			return fmt.Errorf("study: outcome number %d must be %d", o.Number, i+1)
		}
	}
	last := int64(0)
	for _, m := range w.Members {
		if m.Number <= last {
			return fmt.Errorf("study: member %d comes after member %d", m.Number, last)
		}
		last = m.Number
	}
	if err := (PanelChange{Put: w.Members}).Check(); err != nil {
		return err
	}
	return w.checkPlans()
}

// checkPlans returns an error unless plans are numbered in order and have all claimed questions.
func (w Archive) checkPlans() error {
	begun := w.Begun()
	before, planned, told := 0, begun, int64(0)
	if len(w.Plans) > 0 && w.Plans[0].Restart != nil {
		before = max(w.Plans[0].Number-1, 0)
	}
	for i, p := range w.Plans {
		if p.Number != before+1 || int(p.First) != planned || p.LastCounted < told || p.LastSeen < p.LastCounted ||
			p.LastSeen > int64(len(w.Outcomes)) || i > 0 && p.Restart != nil {
			return fmt.Errorf("study: plan %d does not follow the previous plan", p.Number)
		}
		before, planned, told = p.Number, planned+len(p.Questions), p.LastCounted
	}
	if w.Claimed < begun || w.Claimed > planned {
		return fmt.Errorf("study: %d questions are claimed, but the plans have %d", w.Claimed, planned)
	}
	dealt := Position(0)
	for _, o := range w.Outcomes {
		if o.Kind != Arrived || o.Hand == nil {
			continue
		}
		first, end := o.Hand.First, o.Hand.First+Position(len(o.Hand.Cards))
		if first < dealt || end > Position(w.Claimed) || first < Position(begun) && end > Position(begun) {
			return fmt.Errorf("study: outcome %d: the hand does not follow the previous one, or was not claimed", o.Number)
		}
		dealt = end
	}
	return nil
}

// Begun returns the number of questions of removed plans. None of them is open.
func (w Archive) Begun() int {
	if len(w.Plans) == 0 || w.Plans[0].Restart == nil {
		return 0
	}
	return max(int(w.Plans[0].First), 0)
}

// LastPlan returns the number of the last plan, 0 if there is none.
func (w Archive) LastPlan() int {
	if len(w.Plans) == 0 {
		return 0
	}
	return w.Plans[len(w.Plans)-1].Number
}

// Told returns the number of the last outcome that a plan counts, and how many questions were planned.
func (w Archive) Told() (upto int64, planned int) {
	if len(w.Plans) == 0 {
		return 0, 0
	}
	last := w.Plans[len(w.Plans)-1]
	return last.LastCounted, int(last.First) + len(last.Questions)
}
