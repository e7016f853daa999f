package simulate

import (
	"slices"

	"bestpick/strategy"
)

// outsideWrong counts the arms that are not better, or not worse, than none of them as stated.
func (i Instance) outsideWrong(stated strategy.Outside) int {
	if i.Outside == nil {
		return 0
	}
	wrong := 0
	for _, arm := range stated.Better {
		if !(i.utility(arm) > *i.Outside) {
			wrong++
		}
	}
	for _, arm := range stated.Worse {
		if !(i.utility(arm) < *i.Outside) {
			wrong++
		}
	}
	return wrong
}

// An OutsideSummary aggregates what runs state about none of the arms.
type OutsideSummary struct {
	Better float64 `json:"better"` // arms certified to be better than none, on average over the runs
	Worse  float64 `json:"worse"`
	Leader int     `json:"leader"` // runs whose leader is certified to be better
	Wrong  int     `json:"wrong"`  // runs with a wrong statement
}

// addOutside counts what a run states about none of the arms.
func (s *Summary) addOutside(run Run) {
	if !run.Outside.Offered {
		return
	}
	if s.Outside == nil {
		s.Outside = &OutsideSummary{}
	}
	s.Outside.Better += float64(len(run.Outside.Better)) / float64(s.Runs)
	s.Outside.Worse += float64(len(run.Outside.Worse)) / float64(s.Runs)
	if slices.Contains(run.Outside.Better, run.Leader) {
		s.Outside.Leader++
	}
	if run.OutsideWrong > 0 {
		s.Outside.Wrong++
	}
}
