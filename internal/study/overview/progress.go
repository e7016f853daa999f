package overview

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	"bestpick/choice"
	"bestpick/internal/study"
	"bestpick/internal/study/live"
	"bestpick/internal/study/replay"
	"bestpick/strategy"
)

// A Reader reports the progress and the history of studies. Safe for concurrent use.
type Reader struct {
	Store study.Store
	Live  *live.Studies
	Clock func() time.Time
	Slice int // maximum number of outcomes that one plan counts
	Cores replay.Cores
}

// A Progress is the state of a study as of its last plan.
type Progress struct {
	Study       study.Study
	Verdict     study.Verdict
	Plan        int       // the number of the last plan, 0 if there is none
	At          time.Time // of the last plan
	LastCounted int64     // the last outcome that it counts

	// Uncounted is the number of outcomes still to be counted while the planner works through a
	// backlog, as after an import. It is 0 if one plan can count the rest.
	Uncounted int

	Groups []study.Group // of the profile questions with choices, in their order
}

// Counted returns the number of counted outcomes of the log.
func (p Progress) Counted() int { return int(p.LastCounted) }

// Progress returns the progress of a study.
func (s *Reader) Progress(ctx context.Context, id string) (Progress, error) {
	st, err := s.Store.Study(ctx, id)
	if err != nil {
		return Progress{}, err
	}
	p := Progress{Study: st, Verdict: study.NoVerdict(st.Settings)}
	plan, err := s.Store.LastPlan(ctx, id)
	if err != nil && !errors.Is(err, study.ErrNotFound) {
		return p, err
	}
	if err == nil {
		p.Plan, p.At, p.LastCounted = plan.Number, plan.At, plan.LastCounted
		if err := json.Unmarshal(plan.Verdict, &p.Verdict); err != nil {
			return p, err
		}
	}
	if p.Uncounted, err = s.Uncounted(ctx, st, p.LastCounted); err != nil {
		return p, err
	}
	p.Groups, err = s.groups(ctx, st)
	return p, err
}

// groups returns the groups that may answer, also empty ones.
func (s *Reader) groups(ctx context.Context, st study.Study) (groups []study.Group, err error) {
	if !st.Grouped() {
		return nil, nil
	}
	counted, err := s.Store.Groups(ctx, st.ID, s.Clock())
	for _, q := range st.ProfileQuestions(false) {
		for _, c := range q.Choices {
			g := study.Group{Question: q.Name, Answer: c.Text}
			if at := slices.IndexFunc(counted, func(o study.Group) bool { return o.Question == q.Name && o.Answer == c.Text }); at >= 0 {
				g = counted[at]
			}
			if g.Quota = c.Quota; !c.Excluded {
				groups = append(groups, g)
			}
		}
	}
	return groups, err
}

// Uncounted returns the number of outcomes after a number that a planner still has to count, if one
// plan cannot count them all. Answers that can still be undone do not count as backlog.
func (s *Reader) Uncounted(ctx context.Context, st study.Study, upto int64) (int, error) {
	if st.State == study.Draft {
		return 0, nil
	}
	length, err := s.Store.Length(ctx, st.ID)
	if err != nil || length-upto <= int64(s.Slice) {
		return 0, err
	}
	next, err := s.Store.Log(ctx, st.ID, upto, 1)
	if err != nil || len(next) == 0 {
		return 0, err
	}
	arms := cmp.Or(st.Arms, math.MaxInt)
	if st.State != study.Done && replay.Settled(next, upto, arms, s.Clock(), st.Settings.Grace) == upto {
		return 0, nil
	}
	return int(length - upto), nil
}

// Watch calls tell with the progress of a study, at first and after every change, until the context
// ends, tell returns an error, or the study is deleted.
func (s *Reader) Watch(ctx context.Context, id string, tell func(Progress) error) error {
	var last Progress // has no version, so the first one differs
	for {
		rung := s.Live.Updates.Wait(id)
		now, err := s.Progress(ctx, id)
		if errors.Is(err, study.ErrNotFound) {
			s.Live.Updates.Notify(id) // no event will follow
		}
		if err != nil {
			return err
		}
		if now.Plan != last.Plan || now.Study.Version != last.Study.Version {
			if err := tell(now); err != nil {
				return err
			}
			last = now
		}
		if !live.Sleep(ctx, watchEvery, rung) || !live.Sleep(ctx, watchPause, nil) {
			return ctx.Err()
		}
	}
}

const (
	watchEvery = time.Second            // how often to look for plans of other processes
	watchPause = 100 * time.Millisecond // minimum pause between two messages
)

// Evidence returns the evidence against the most doubtful contender, and the evidence that refutes
// it: log(1/δ). Before the first plan the evidence is 0.
func (p Progress) Evidence() (evidence, needed float64) {
	needed = math.Log(1 / p.Study.Settings.Strategy.Delta)
	if p.Plan == 0 {
		return 0, needed
	}
	evidence = needed
	for i, c := range p.Verdict.Contenders {
		if i == 0 || c.Evidence < evidence {
			evidence = c.Evidence
		}
	}
	return evidence, needed
}

// Elimination counts the arms that are ruled out for good, and the arms that may still be better than the leader,
// as of the last plan.
func (p Progress) Elimination(arms *choice.Catalogue) strategy.Elimination {
	if p.Verdict.Leader < 0 {
		apart := len(p.Study.Withdrawn) + max(p.Study.Settings.Strategy.Top-1, 0) // neither the leader nor rivals
		return strategy.Elimination{Rivals: strategy.NewElimination(arms, apart, 0).Eliminated}
	}
	return strategy.Elimination{Eliminated: p.Verdict.Out(), Rivals: p.Verdict.Possible()}
}

// lastPlanWithin is the time after which a study that is done is final in any case.
const lastPlanWithin = time.Minute

// Final returns the progress of a study, and whether it is final: the study is done, and the last plan counts all answers
// and has seen a stop by the owner.
func (s *Reader) Final(ctx context.Context, id string) (Progress, bool, error) {
	p, err := s.Progress(ctx, id)
	if err != nil || p.Study.State != study.Done {
		return p, false, err
	}
	if p.Uncounted > 0 {
		return p, false, nil
	}
	if s.Clock().Sub(p.Study.Changed) > lastPlanWithin {
		return p, true, nil
	}
	untold, err := s.Store.Log(ctx, id, p.LastCounted, 1)
	knows := p.Verdict.Settings == "" || p.Verdict.Settings == replay.Terms(p.Study)
	return p, knows && len(untold) == 0, err
}

// maxSpans is the maximum number of time spans in a pace.
const maxSpans = 120

// A Pace is the number of answers per time span; all spans have the same length.
type Pace struct {
	Start   time.Time
	Span    time.Duration
	Answers []int
}

// add counts an answer. If there are too many spans, it doubles their length.
func (p *Pace) add(at time.Time) {
	if p.Answers == nil {
		p.Start, p.Span, p.Answers = at.Truncate(time.Second), time.Second, []int{0}
	}
	for at.Sub(p.Start) >= maxSpans*p.Span {
		p.double()
	}
	number := max(0, int(at.Sub(p.Start)/p.Span)) // clocks of processes differ a little
	for len(p.Answers) <= number {
		p.Answers = append(p.Answers, 0)
	}
	p.Answers[number]++
}

func (p *Pace) double() {
	start := p.Start.Truncate(2 * p.Span)
	shift := int(p.Start.Sub(start) / p.Span) // 0 or 1
	answers := make([]int, (len(p.Answers)+shift+1)/2)
	for i, n := range p.Answers {
		answers[(i+shift)/2] += n
	}
	p.Start, p.Span, p.Answers = start, 2*p.Span, answers
}

// A Duel counts the answers to questions that showed both an arm and the leader, and in which one of the two was the first pick.
type Duel struct{ Arm, Chosen, Compared int }

// mostDuelled is the maximum number of shown arms with duels: there is a count for each pair.
const mostDuelled = 1000

// duels counts how often the first arm of a pair was picked in questions that showed both.
type duels map[[2]int]int

// add counts a question. The pick may be none of the shown arms.
func (d duels) add(shown []int, pick int) {
	if pick < 0 || pick >= len(shown) {
		return
	}
	for slot, arm := range shown {
		if slot != pick {
			d[[2]int{shown[pick], arm}]++
		}
	}
}

// against returns the duels of shown arms with the leader.
func (d duels) against(leader int, shown []Count) (list []Duel) {
	if len(shown) > mostDuelled {
		return nil
	}
	for _, c := range shown {
		chosen, lost := d[[2]int{c.Arm, leader}], d[[2]int{leader, c.Arm}]
		if chosen+lost > 0 {
			list = append(list, Duel{c.Arm, chosen, chosen + lost})
		}
	}
	return list
}
