package study

import "fmt"

// A Whole is a study with all that belongs to it, to be taken to another store. Who leads is no part of
// it, nor are tokens of questions that are out: the other store has another secret.
type Whole struct {
	Study     Study
	Catalogue []byte
	Outcomes  []Outcome // all, in order
	Plans     []Plan    // all, in order
	Batches   []string  // names of those that were imported
	Claimed   int       // questions that were handed out
	Members   []Member  // of the panel, in order
}

// Check returns an error unless outcomes, plans and members follow one another as they do in a store.
func (w Whole) Check() error {
	for i, o := range w.Outcomes {
		if o.Number != int64(i)+1 {
			return fmt.Errorf("study: outcome %d is not number %d", o.Number, i+1)
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
	planned, told := 0, int64(0)
	for i, p := range w.Plans {
		if p.Number != i+1 || int(p.First) != planned || p.Upto < told || p.Known < p.Upto || p.Known > int64(len(w.Outcomes)) {
			return fmt.Errorf("study: plan %d does not follow the one before", p.Number)
		}
		planned, told = planned+len(p.Questions), p.Upto
	}
	if w.Claimed < 0 || w.Claimed > planned {
		return fmt.Errorf("study: %d questions were handed out of %d", w.Claimed, planned)
	}
	return nil
}

// Told returns the number of the last outcome that a plan has told, and how many questions were planned.
func (w Whole) Told() (upto int64, planned int) {
	if len(w.Plans) == 0 {
		return 0, 0
	}
	last := w.Plans[len(w.Plans)-1]
	return last.Upto, int(last.First) + len(last.Questions)
}
