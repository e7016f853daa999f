package racing

import (
	"math"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
)

// A segment has an election of its own in a race under majority, in which only its people vote, and a
// model of their picks. The questions are those of the race: a segment chooses none.
//
// Its certificate is about the people of the segment, and wrong with probability at most δ on its
// own: the proof of [evidence.Majority] holds with these respondents alone, since the others change
// nothing but the questions.
type segment struct {
	Tally    *choice.Tally           `json:"tally"`
	Belief   evidence.Belief         `json:"belief"`
	Election election                `json:"election"`
	Verdict  strategy.SegmentVerdict `json:"verdict"` // as of the last look, but for the counts
}

func newSegments(c *contest) []segment {
	var all []segment
	for _, declared := range c.settings.Model.Segments {
		all = append(all, segment{
			Tally: choice.NewTally(c.catalogue.Len()), Belief: evidence.NewBelief(c.dim()),
			Verdict: strategy.SegmentVerdict{Segment: declared.Name, Leader: openLeader},
		})
	}
	return all
}

// enter counts the answers of a complete respondent.
func (s *segment) enter(c *contest, answers []choice.Answer) error {
	s.Verdict.Respondents++
	s.Verdict.Answered += len(answers)
	s.Election.enter(c, &s.Belief, answers)
	for _, a := range answers {
		if err := guide(c.views.shown, &s.Belief, s.Tally, a); err != nil {
			return err
		}
	}
	return nil
}

// guide counts an answer in a model that only guides. An answer without a pick tells it nothing.
func guide(shown *choice.Catalogue, b *evidence.Belief, t *choice.Tally, a choice.Answer) error {
	if len(a.Picks) == 0 {
		return nil
	}
	for slots, picked := range a.Steps() {
		left := make([]int, len(slots))
		for i, slot := range slots {
			left[i] = a.Question[slot]
		}
		b.Learn(shown, left, b.Predict(shown, left), left[picked])
	}
	return t.Add(a)
}

// look updates the verdict about a segment. What is certified stays so.
func (s *segment) look(c *contest) {
	v := &s.Verdict
	if v.Respondents == 0 {
		return
	}
	s.Belief.Fit(choice.NewLinear(c.views.shown, s.Tally)) // the coordinates may be new
	if v.Status != strategy.Asking {
		return
	}
	people := electorate{
		contest: c, belief: &s.Belief, election: &s.Election, leader: v.Leader,
		turnout: turnout{Answers: v.Answered, Each: float64(v.Answered) / float64(v.Respondents), Picks: s.Tally.Picks()},
	}
	l, found, elected := people.look()
	v.Leader, v.Contenders, v.Forecast = l.leader, []int{l.leader}, strategy.Forecast{}
	if elected {
		v.Status = strategy.Certified
		return
	}
	for _, rival := range found.Contenders {
		v.Contenders = append(v.Contenders, rival.Arm)
	}
	if s.Election.isCyclic(c) {
		v.Status = strategy.Cyclic
	} else if campaign := people.newCampaign(&l); campaign != nil {
		v.Forecast = campaign.forecast(c.settings.K)
	}
}

// lookAtSegments updates the verdicts about all segments.
func (r *Racing) lookAtSegments() {
	s := &r.state
	for i := range s.Segments {
		s.Segments[i].look(&r.contest)
	}
	s.Differ = s.Differ || r.segmentsDiffer()
}

// segmentsDiffer reports whether it is certified that no arm is majority-best in all segments.
//
// For each arm, the mean of the capitals of its [doubts] over the segments is a supermartingale that
// starts at 1, if the arm is majority-best in all of them. If there is such an arm, it does not
// depend on the answers, and the means of all arms reach 1/δ with probability at most δ: there is no
// union over arms or over pairs of segments.
func (r *Racing) segmentsDiffer() bool {
	s := &r.state
	if len(s.Segments) == 0 || s.Election.Changed {
		return false
	}
	threshold := math.Log(float64(len(s.Segments)) / r.contest.settings.Delta)
	for arm := range r.contest.catalogue.Len() {
		logs := make([]float64, len(s.Segments))
		for i := range s.Segments {
			if d := s.Segments[i].Election.Doubts; d != nil {
				logs[i] = d[arm]
			}
		}
		if choice.LogSumExp(logs) < threshold {
			return false
		}
	}
	return true
}

// reopenSegments lets all segments begin with the present arms. The models are in other coordinates now.
func (r *Racing) reopenSegments() {
	s := &r.state
	s.Differ = false
	for i := range s.Segments {
		of := &s.Segments[i]
		of.Tally.Grow(r.contest.catalogue.Len())
		of.Belief = evidence.NewBelief(r.contest.dim())
		of.Election.grow(r.contest.catalogue.Len())
		of.Election.Changed = true
		of.Verdict.Status, of.Verdict.Leader = strategy.Asking, openLeader
	}
}

// segmentVerdicts returns the verdicts about all segments, nil without segments.
func (r *Racing) segmentVerdicts() []strategy.SegmentVerdict {
	var all []strategy.SegmentVerdict
	for i := range r.state.Segments {
		v := r.state.Segments[i].Verdict
		v.Contenders = append([]int(nil), v.Contenders...)
		all = append(all, v)
	}
	return all
}
