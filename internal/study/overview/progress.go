package overview

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"bestpick/choice"
	"bestpick/internal/study"
	"bestpick/internal/study/live"
	"bestpick/internal/study/replay"
	"bestpick/strategy"
)

// A Reader says how far studies are, and how they came there. Safe for concurrent use.
type Reader struct {
	Store study.Store
	Live  *live.Studies
	Clock func() time.Time
	Slice int // outcomes that one plan tells at most
}

// A Progress is how far a study is: what its last plan says.
type Progress struct {
	Study   study.Study
	Verdict study.Verdict
	Plan    int       // the number of the last plan, 0 if there is none
	At      time.Time // of the last plan
	Upto    int64     // the last outcome that it tells

	// Uncounted is how many outcomes of the log are still to be counted while the planner works through a
	// backlog, as after an import. It is 0 when no more are left than one plan counts.
	Uncounted int
}

// Counted returns how many outcomes of the log are counted.
func (p Progress) Counted() int { return int(p.Upto) }

// Progress returns how far a study is.
func (s *Reader) Progress(ctx context.Context, id string) (Progress, error) {
	st, err := s.Store.Study(ctx, id)
	if err != nil {
		return Progress{}, err
	}
	p := Progress{Study: st, Verdict: study.NoVerdict()}
	plan, err := s.Store.Last(ctx, id)
	if err != nil && !errors.Is(err, study.ErrNotFound) {
		return p, err
	}
	if err == nil {
		p.Plan, p.At, p.Upto = plan.Number, plan.At, plan.Upto
		if err := json.Unmarshal(plan.Verdict, &p.Verdict); err != nil {
			return p, err
		}
	}
	p.Uncounted, err = s.Uncounted(ctx, st, p.Upto)
	return p, err
}

// Uncounted returns how many outcomes a planner still has to count, after those up to a number, if they are more than
// it counts in one plan. Answers that can still be undone are not counted yet, however many they are.
func (s *Reader) Uncounted(ctx context.Context, st study.Study, upto int64) (int, error) {
	if st.State == study.Draft || st.State == study.Done && st.Reason != study.Stopped {
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
	told := replay.State{Upto: upto, Arms: cmp.Or(st.Arms, math.MaxInt)}
	if st.State != study.Done && replay.Settled(next, told, s.Clock(), st.Settings.Grace) == upto {
		return 0, nil
	}
	return int(length - upto), nil
}

// Watch calls tell with the progress of a study, at first and whenever there is some, until the context
// ends, tell returns an error, or the study is deleted.
func (s *Reader) Watch(ctx context.Context, id string, tell func(Progress) error) error {
	var last Progress // of no version
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
	watchEvery = time.Second            // how often to look what other processes have planned
	watchPause = 100 * time.Millisecond // between two messages, at least
)

// Evidence returns how much speaks against the most doubtful of the arms that may still be better than the leader,
// and how much is needed to refute it: log(1/δ). Before the first plan there is none.
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

// Elimination counts the arms that are eliminated and those that may still be better than the leader, as of the last
// plan. Before the first plan no arm is eliminated.
func (p Progress) Elimination(arms *choice.Catalogue) strategy.Elimination {
	if p.Verdict.Leader < 0 {
		whole := strategy.NewElimination(arms, len(p.Study.Withdrawn), 0)
		return strategy.Elimination{Rivals: whole.Eliminated}
	}
	return strategy.NewElimination(arms, len(p.Study.Withdrawn), p.Verdict.Possible())
}
