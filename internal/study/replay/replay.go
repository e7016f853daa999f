// Package replay computes the state of a study from its log. The state of the strategy is a function of the log: planners
// continue it, and replays, exports and verifications repeat it.
package replay

import (
	"context"
	"slices"

	"bestpick/checks"
	"bestpick/internal/study"
	"bestpick/strategy"
)

// CatchUp applies the plans up to a number that a replayer has not applied yet. It reads the log page by page, so memory does
// not depend on the size of a plan.
func (r *Replayer) CatchUp(ctx context.Context, store study.Store, id string, last int, on Cores) error {
	const plansAtOnce, outcomesAtOnce = 100, 10_000
	untold := logReader{store: store, id: id, page: outcomesAtOnce, last: r.State.LastCounted}
	for r.State.Plans < last {
		plans, err := store.Plans(ctx, id, r.State.Plans, min(plansAtOnce, last-r.State.Plans))
		if err != nil || len(plans) == 0 {
			return err
		}
		for _, p := range plans {
			if err := r.redo(ctx, p, &untold, on); err != nil {
				return err
			}
		}
	}
	return nil
}

// redo applies a plan.
func (r *Replayer) redo(ctx context.Context, p study.Plan, untold *logReader, on Cores) error {
	if err := r.prepare(p); err != nil {
		return err
	}
	for r.State.LastCounted < p.LastCounted {
		log, err := untold.next(ctx, p)
		if err != nil {
			return err
		}
		if len(log) == 0 {
			break
		}
		err = on.Use(ctx, Heavy, func(pause func() error) error {
			return r.tell(log, min(p.LastCounted, untold.last), pause)
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return &DivergedError{Plan: p.Number, Problem: err.Error()}
		}
	}
	return on.Use(ctx, Heavy, func(func() error) error { return r.compare(p) })
}

// A logReader reads the outcomes that plans count, in order.
type logReader struct {
	store study.Outcomes
	id    string
	page  int             // outcomes in memory at a time
	log   []study.Outcome // read but not returned yet
	last  int64           // the number of the last returned outcome
}

// next returns outcomes that a plan counts, at most a page, followed by every undo of them; none if the log ends before. The
// plan knows all undos: the store refuses other plans and undos.
func (l *logReader) next(ctx context.Context, p study.Plan) (log []study.Outcome, err error) {
	if len(l.log) == 0 {
		if l.log, err = l.store.Log(ctx, l.id, l.last, l.page); err != nil || len(l.log) == 0 {
			return nil, err
		}
	}
	log, l.log = Split(l.log, p.LastCounted)
	if len(log) == 0 {
		return nil, nil // outcomes are missing
	}
	l.last = log[len(log)-1].Number
	if p.LastSeen == l.last {
		return log, nil
	}
	if n := len(l.log); n > 0 && l.log[n-1].Number >= p.LastSeen {
		known, _ := Split(l.log, p.LastSeen)
		return append(slices.Clip(log), known...), nil
	}
	back, err := l.store.Undone(ctx, l.id, l.last)
	return append(slices.Clip(log), back...), err
}

// Replay recomputes a study from its log alone and returns the verdict. It returns a [DivergedError] if the log contradicts
// itself, and ErrChanged if a respondent is erased meanwhile.
func Replay(ctx context.Context, store study.Store, id string) (study.Verdict, error) {
	last, err := LastPlan(ctx, store, id) // later plans may contain arms that are added meanwhile
	if err != nil {
		return study.Verdict{}, err
	}
	st, err := store.Study(ctx, id)
	if err != nil {
		return study.Verdict{}, err
	}
	saved, err := store.Catalogue(ctx, id)
	if err != nil {
		return study.Verdict{}, err
	}
	r, err := New(st, saved)
	if err != nil {
		return study.Verdict{}, err
	}
	if err := r.CatchUp(ctx, store, id, last, NewCores()); err != nil {
		return study.Verdict{}, UnlessErased(ctx, store, st, err)
	}
	return r.Verdict(), nil
}

// maxBoard limits the arms times the answers of a leaderboard under linear: beyond that it would delay the plan.
const maxBoard = 100_000

// nextBoard returns how many answers the next leaderboard of some arms needs, given the answers of the last one, 0 if there is
// none. Under linear leaderboards are rare because they take far longer than other parts of a plan, and before an arm has been
// shown a few times its interval is infinite.
func nextBoard(arms, last int, by strategy.Assumption) int {
	if by == strategy.Majority {
		return last + last/10
	}
	return max(16, 4*arms, 2*last)
}

// report computes the leaderboard, from time to time and in the end, and in the end the smallest certified ε. Both depend on
// the log and on the plans alone.
func (r *Replayer) report(v strategy.Verdict, final bool) {
	answers, last := r.State.Answers, 0
	by, refuted := v.Assumption, v.Assumption == strategy.Linear && v.Model.Status == checks.Refuted
	if r.State.RankedBy != by || refuted {
		r.State.Leaderboard, r.State.RankedBy = nil, by
	}
	if before := r.State.Leaderboard; before != nil {
		last = before.Answers
	}
	if ranked, ok := r.strategy.(interface{ Leaderboard() []strategy.Rank }); ok && answers > 0 && !refuted {
		if (final || answers >= nextBoard(r.State.Arms, last, by)) && (by == strategy.Majority || r.State.Arms*answers <= maxBoard) {
			r.State.Leaderboard = r.newLeaderboard(ranked.Leaderboard(), v, answers)
		}
	}
	r.State.Within = nil
	if linear, ok := r.strategy.(interface{ CertifiedEpsilon() (float64, bool) }); ok && final {
		if epsilon, ok := linear.CertifiedEpsilon(); ok {
			r.State.Within = &epsilon
		}
	}
}

// newLeaderboard returns the leaderboard after a number of answers, the last one if there are no ranks. Arms that are out stay
// so, because the statements of all leaderboards hold together. While a fallback may still replace the model, the model rules
// out no arm for good; nor does majority where several arms are sought, since shares are those against the leader.
func (r *Replayer) newLeaderboard(ranks []strategy.Rank, v strategy.Verdict, answers int) *study.Leaderboard {
	if ranks == nil {
		return r.State.Leaderboard
	}
	out := map[int]bool{}
	if r.State.Leaderboard != nil {
		for _, before := range r.State.Leaderboard.Ranks {
			out[before.Arm] = before.Out
		}
	}
	s := r.settings.Strategy
	final := v.Assumption == strategy.Majority && s.Top == 0 ||
		v.Assumption == strategy.Linear && (v.Status != strategy.Asking || s.Fallback == 0)
	for i := range ranks {
		ranks[i].Out = out[ranks[i].Arm] || final && r.rulesOut(ranks, ranks[i])
	}
	return &study.Leaderboard{Answers: answers, Ranks: ranks}
}

// rulesOut reports whether ranks show that an arm is not best within ε: the leader is better by more, or as many arms as a
// linear study certifies together. A ranking of all arms rules out none.
func (r *Replayer) rulesOut(ranks []strategy.Rank, rank strategy.Rank) bool {
	best, epsilon := r.settings.Strategy.Top, r.settings.Strategy.Epsilon
	if best == 0 {
		return rank.High < -epsilon
	}
	better := 0
	for _, other := range ranks {
		if other.Low > rank.High+epsilon {
			better++
		}
	}
	return best > 0 && better >= best
}
