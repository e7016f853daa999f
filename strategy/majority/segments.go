package majority

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
)

// A subgroup is the people of a segment. It has an election in which only they vote, and a model of their picks. The questions
// are those of the race: a segment chooses none.
//
// Its certificate is about the people of the segment: the proof of [evidence.Majority] holds with these respondents alone,
// since the others change nothing but the questions. The m segments share one δ: each certificate is wrong with probability at
// most δ/m. A certified segment does not pass its share on, as in Holm's procedure, because every segment can have a wrong
// certificate, whatever is true in the others: with two segments, one wrong with probability δ/2, and the other δ after the
// first is decided, 3δ/2 in all.
type subgroup struct {
	Tally    *choice.Tally           `json:"tally"`
	Belief   evidence.Belief         `json:"belief"`
	Election election                `json:"election"`
	Verdict  strategy.SegmentVerdict `json:"verdict"` // as of the last look, but for the counts
}

// subgroups are those of the declared segments, in their order.
type subgroups []subgroup

func newSubgroups(names []string, rows *choice.Catalogue) subgroups {
	var all subgroups
	for _, name := range names {
		all = append(all, subgroup{
			Tally: choice.NewTally(rows.Len()), Belief: evidence.NewBelief(rows.Dim()), Election: newElection(rows.Len()),
			Verdict: strategy.SegmentVerdict{Segment: name, Leader: survey.OpenLeader},
		})
	}
	return all
}

// bet places the bets on a person of the segment who arrives.
func (s *subgroup) bet(a *arms, h Hand, by Guide) {
	by.Belief = &s.Belief
	s.Election.bet(a, h, by)
}

// count counts an answer of a person of the segment.
func (s *subgroup) count(rows *choice.Catalogue, arrival int, answer choice.Answer) error {
	s.Verdict.Answered++
	s.Election.count(arrival, answer)
	return learn(rows, &s.Belief, s.Tally, answer)
}

// end ends the hand of a person of the segment.
func (s *subgroup) end(a *arms, h Hand) {
	if h.Answered > 0 {
		s.Verdict.Respondents++
	}
	s.Election.end(a, h)
}

// look updates the verdict about a segment. What is certified stays so, unless a person is excluded or arms change.
func (s *subgroup) look(a *arms, rows *choice.Catalogue, p *people) {
	v := &s.Verdict
	if v.Answered == 0 {
		return
	}
	s.Election.settle(a, p.ended())
	s.Belief.Fit(choice.NewLinear(rows, s.Tally)) // the coordinates may be new
	if v.Status != strategy.Asking {
		return
	}
	people := group{
		arms: a, rows: rows, belief: &s.Belief, election: &s.Election, leader: v.Leader,
		answers: v.Answered, arrived: p.Arrived, each: p.each(), picks: s.Tally.Picks(),
	}
	l, contenders, elected := people.look()
	if v.Forecast = (strategy.Forecast{}); len(s.Election.Nominees) == 0 {
		return // no arm is named
	}
	v.Leader, v.Contenders = l.Top, []int{l.Top}
	if elected {
		v.Status = strategy.Certified
		return
	}
	for _, rival := range contenders {
		v.Contenders = append(v.Contenders, rival.Arm)
	}
	if s.Election.isCyclic(a) {
		v.Status = strategy.Cyclic
	} else if planned := newComparisons(&people, &l); planned != nil {
		v.Forecast = planned.forecast(contenders, math.Log(1/a.studyDelta), a.k, v.Answered)
	}
}

// look updates the verdicts about all segments.
func (all subgroups) look(a *arms, rows *choice.Catalogue, p *people) {
	share := *a
	share.delta /= float64(max(len(all), 1))
	for i := range all {
		all[i].look(&share, rows, p)
	}
}

// differ reports whether it is certified that no arm is majority-best in all segments.
//
// For each arm, the mean of the capitals against its being the best ([againstBest]) over the segments is a supermartingale that
// starts at 1, if the arm is majority-best in all of them. If there is such an arm, it does not depend on the answers, and the
// means of all arms reach 1/δ with probability at most δ: there is no union over arms or over pairs of segments. Once arms have
// come or gone, or people are excluded, these bets no longer count.
func (all subgroups) differ(delta float64, arms int) bool {
	if len(all) == 0 || all[0].Election.Changed || all[0].Election.Excluded > 0 {
		return false
	}
	threshold := math.Log(float64(len(all)) / delta)
	for arm := range arms {
		logs := make([]float64, len(all))
		for i := range all {
			if b := all[i].Election.AgainstBest; b != nil {
				logs[i] = b[arm].Genuine(0) // after the same people in all segments
			}
		}
		if choice.LogSumExp(logs) < threshold {
			return false
		}
	}
	return true
}

// change lets all segments begin with the present arms. The models are in other coordinates now.
func (all subgroups) change(a *arms, rows *choice.Catalogue) {
	for i := range all {
		of := &all[i]
		of.Tally.Grow(rows.Len())
		of.Belief = evidence.NewBelief(rows.Dim())
		of.Election.change(a)
		of.Verdict.Status, of.Verdict.Leader = strategy.Asking, survey.OpenLeader
	}
}

// verdicts returns the verdicts about all segments, nil without segments.
func (all subgroups) verdicts() []strategy.SegmentVerdict {
	var list []strategy.SegmentVerdict
	for i := range all {
		v := all[i].Verdict
		v.Contenders = slices.Clone(v.Contenders)
		list = append(list, v)
	}
	return list
}
