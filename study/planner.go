package study

import (
	"context"
	"errors"
	"time"
)

const (
	ahead        = 128              // questions in the deck that nobody has claimed, after a plan
	leadFor      = 10 * time.Second // a planner that is not heard of for so long is replaced
	snapshotTold = 500              // outcomes told between two snapshots
)

// A Planner plans one study, in one of perhaps several processes: of several, one leads at a time.
// It serves one goroutine.
type Planner struct {
	service *Service
	id      string
	runner  *runner
	kept    int64 // outcomes told when the last snapshot was made
}

// Planner returns a planner of a study.
func (s *Service) Planner(id string) *Planner { return &Planner{service: s, id: id} }

// Step does what there is to do: it counts outcomes, tells them to the strategy, and asks it for
// questions so that the deck does not run out. It reports whether the study goes on. While somebody
// else leads it does nothing.
func (p *Planner) Step(ctx context.Context) (goesOn bool, err error) {
	store, now := p.service.store, p.service.clock()
	study, err := store.Study(ctx, p.id)
	if err != nil {
		return false, err
	}
	if study.State == Draft || study.State == Done {
		return study.State == Draft, nil
	}
	if err := store.Lead(ctx, p.id, p.service.name, now, now.Add(leadFor)); err != nil {
		if errors.Is(err, ErrNotYours) {
			return true, nil
		}
		return true, err
	}
	if err := p.load(ctx, study); err != nil {
		return true, err
	}
	unclaimed, err := p.giveUp(ctx, study, now)
	if err != nil {
		return true, err
	}
	told, err := p.count(ctx, study, now)
	if err != nil {
		return true, err
	}
	reason := p.runner.reason(study.Settings.Budget)
	if !told && reason == "" && (unclaimed >= ahead/2 || study.State != Open) {
		return true, p.keep(ctx)
	}
	plan := Plan{Number: p.runner.state.Plans + 1, Upto: p.runner.state.Upto, First: p.runner.state.Next, Done: reason, At: now}
	if reason == "" && study.State == Open {
		if plan.Questions, err = p.runner.ask(ahead - unclaimed); err != nil {
			return true, err
		}
	}
	plan.Verdict = p.runner.verdict().written()
	if err := p.append(ctx, plan); err != nil {
		return true, err
	}
	return reason == "", p.keep(ctx)
}

// load makes the runner, from the last snapshot and the plans since, or brings it up to date.
func (p *Planner) load(ctx context.Context, study Study) error {
	store := p.service.store
	if p.runner == nil {
		saved, err := store.Catalogue(ctx, p.id)
		if err != nil {
			return err
		}
		r, err := newRunner(study, saved)
		if err != nil {
			return err
		}
		_, state, err := store.Snapshot(ctx, p.id)
		if err == nil {
			err = r.restore(state)
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		p.runner, p.kept = r, r.state.Upto
	}
	if err := p.runner.catchUp(ctx, store, p.id); err != nil {
		p.runner = nil // it may have stopped half-way
		return err
	}
	return nil
}

// giveUp records that questions were not answered in time, and returns how many questions of the
// deck nobody has claimed.
func (p *Planner) giveUp(ctx context.Context, study Study, now time.Time) (unclaimed int, err error) {
	const most = 1000
	overdue, unclaimed, err := p.service.store.Overdue(ctx, p.id, now.Add(-hold-study.Settings.Lease), most)
	if err != nil || len(overdue) == 0 {
		return unclaimed, err
	}
	outcomes := make([]Outcome, len(overdue))
	for i, position := range overdue {
		outcomes[i] = Outcome{Position: position, Kind: Lost, At: now}
	}
	_, err = p.service.store.Record(ctx, p.id, outcomes...) // an answer that came just now stands
	return unclaimed, err
}

// count tells the strategy the outcomes that can no longer be taken back.
func (p *Planner) count(ctx context.Context, study Study, now time.Time) (told bool, err error) {
	log, err := logAfter(ctx, p.service.store, p.id, p.runner.state.Upto)
	if err != nil {
		return false, err
	}
	upto := settled(log, p.runner.state.Upto, now.Add(-study.Settings.Grace))
	if upto == p.runner.state.Upto {
		return false, nil
	}
	if err := p.runner.tell(log, upto); err != nil {
		p.runner = nil
		return false, err
	}
	return true, nil
}

// settled returns the number of the last outcome up to which everything is settled: every answer
// was given before a time, or was taken back.
func settled(log []Outcome, upto int64, before time.Time) int64 {
	next, back := map[Position]Outcome{}, make([]int64, len(log)) // where an answer is taken back, if it is
	for at := len(log) - 1; at >= 0; at-- {
		o := log[at]
		if after := next[o.Position]; o.Kind == Answered && after.Kind == Undone {
			back[at] = after.Number
		}
		next[o.Position] = o
	}
	open := int64(0) // everything up to there must be told together
	for at, o := range log {
		switch {
		case back[at] > 0:
			open = max(open, back[at])
		case o.Kind == Answered && o.At.After(before):
			return upto
		}
		if o.Number >= open {
			upto = o.Number
		}
	}
	return upto
}

// append writes a plan. If that fails the runner is made anew: it has gone on, and nobody knows
// whether the plan was written.
func (p *Planner) append(ctx context.Context, plan Plan) error {
	if err := p.service.store.Append(ctx, p.id, p.service.name, plan); err != nil {
		p.runner = nil
		return err
	}
	p.runner.state.Plans = plan.Number
	return nil
}

// keep makes a snapshot now and then.
func (p *Planner) keep(ctx context.Context) error {
	if p.runner.state.Upto < p.kept+snapshotTold {
		return nil
	}
	state, err := p.runner.snapshot()
	if err != nil {
		return err
	}
	p.kept = p.runner.state.Upto
	return p.service.store.SaveSnapshot(ctx, p.id, p.runner.state.Plans, state)
}
