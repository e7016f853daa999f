package study

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"
)

const (
	leadFor      = 6 * time.Second // a planner that is not heard of for so long is replaced
	snapshotTold = 500             // outcomes told between two snapshots
)

// A Planner plans one study, in one of perhaps several processes: of several, one leads at a time.
// It serves one goroutine.
type Planner struct {
	service *Service
	id      string
	runner  *runner
	log     []Outcome // that are not told yet, as far as they were read
	until   time.Time // when the lead ends
	deck    deck
	kept    int64 // outcomes told when the last snapshot was made
}

// Planner returns a planner of a study.
func (s *Service) Planner(id string) *Planner { return &Planner{service: s, id: id} }

// An Activity says what a planner had to do.
type Activity int

// What a step of a planner may find.
const (
	Over Activity = iota // there will never be anything to do again
	Idle                 // nothing at the moment, or somebody else leads
	Busy                 // it wrote a plan
)

// Step does what there is to do: it counts outcomes, tells them to the strategy, and asks it for
// questions so that the deck does not run out. While somebody else leads it does nothing.
func (p *Planner) Step(ctx context.Context) (Activity, error) {
	study, err := p.service.store.Study(ctx, p.id)
	switch {
	case errors.Is(err, ErrNotFound):
		return Over, nil
	case err != nil || study.State == Draft:
		return Idle, err
	case study.State == Done && study.Reason != Stopped:
		return Over, nil
	}
	activity := Idle
	err = p.leading(ctx, func() (err error) {
		activity, err = p.plan(ctx, study)
		return err
	})
	if errors.Is(err, ErrNotYours) {
		p.forget() // whoever leads now writes plans that are not known here
		return Idle, nil
	}
	return activity, err
}

// Resign lets somebody else lead, at once.
func (p *Planner) Resign(ctx context.Context) error {
	if p.until.IsZero() {
		return nil
	}
	now := p.service.clock()
	p.until = time.Time{}
	return p.service.store.Lead(ctx, p.id, p.service.name, now, now)
}

// leading does something as the one who leads. However long it takes, the lead does not end
// meanwhile.
func (p *Planner) leading(ctx context.Context, do func() error) error {
	if now := p.service.clock(); p.until.Sub(now) < leadFor/2 {
		p.until = now.Add(leadFor)
		if err := p.service.store.Lead(ctx, p.id, p.service.name, now, p.until); err != nil {
			p.until = time.Time{}
			return err
		}
	}
	var prolonging sync.WaitGroup
	ended := make(chan struct{})
	prolonging.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(leadFor / 3):
				now := p.service.clock()
				_ = p.service.store.Lead(ctx, p.id, p.service.name, now, now.Add(leadFor)) // if it fails, so will the plan
			}
		}
	})
	defer prolonging.Wait()
	defer close(ended)
	return do()
}

// plan makes the next plan, if there is something to be planned.
func (p *Planner) plan(ctx context.Context, study Study) (Activity, error) {
	now := p.service.clock()
	if err := p.load(ctx, study); err != nil {
		return Idle, err
	}
	unclaimed, err := p.giveUp(ctx, study, now)
	if err != nil {
		return Idle, err
	}
	plan := Plan{Number: p.runner.state.Plans + 1, First: p.runner.state.Next}
	if err := p.change(study, &plan); err != nil {
		p.forget()
		return Idle, err
	}
	told, err := p.count(ctx, study, now)
	if err != nil {
		return Idle, err
	}
	if study.State != Done {
		plan.Done = p.runner.reason(study.Settings.Budget)
	}
	wanted := 0
	if study.State == Open && plan.Done == "" {
		wanted = p.deck.wanted(int(p.runner.state.Next), unclaimed, p.runner.state.Answers)
	}
	activity := Busy
	if study.State == Done || plan.Done != "" {
		activity = Over
	}
	if !told && plan.Done == "" && plan.Arms == 0 && plan.Withdrawn == nil && wanted == 0 {
		return min(activity, Idle), p.keep(ctx)
	}
	if plan.Questions, err = p.runner.ask(wanted); err != nil {
		p.forget()
		return Idle, err
	}
	plan.Upto, plan.Verdict, plan.At = p.runner.state.Upto, p.runner.verdict().written(), p.service.clock()
	if err := p.append(ctx, plan); err != nil {
		return Idle, err
	}
	p.service.news.ring(p.id)
	return activity, p.keep(ctx)
}

// forget drops what is in memory: it may not be what is in the store.
func (p *Planner) forget() { p.runner, p.log = nil, nil }

// load makes the runner, from the last snapshot and the plans since. As long as this process leads
// nobody else writes plans.
func (p *Planner) load(ctx context.Context, study Study) error {
	if p.runner != nil && p.runner.arms.Arms.Len() >= study.Arms {
		return nil
	}
	p.forget()
	store := p.service.store
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
	p.kept = r.state.Upto
	if err := r.catchUp(ctx, store, p.id); err != nil {
		return err
	}
	p.runner = r
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

// change lets arms come and go as the owner wants, and puts into the plan what has changed.
func (p *Planner) change(study Study, plan *Plan) error {
	arms := study.Arms
	if arms == 0 {
		arms = p.runner.arms.Arms.Len()
	}
	if arms > p.runner.state.Arms {
		plan.Arms = arms
	}
	for _, arm := range study.Withdrawn {
		if !slices.Contains(p.runner.state.Withdrawn, arm) {
			plan.Withdrawn = append(plan.Withdrawn, arm)
		}
	}
	if plan.Arms == 0 && plan.Withdrawn == nil {
		return nil
	}
	return p.runner.change(arms, plan.Withdrawn)
}

// count tells the strategy the outcomes that can no longer be taken back: of a study that is closed,
// all.
func (p *Planner) count(ctx context.Context, study Study, now time.Time) (told bool, err error) {
	last := p.runner.state.Upto
	if len(p.log) > 0 {
		last = p.log[len(p.log)-1].Number
	}
	more, err := logBetween(ctx, p.service.store, p.id, last, math.MaxInt64)
	if err != nil {
		return false, err
	}
	p.log = append(p.log, more...)
	before := now.Add(-study.Settings.Grace)
	if study.State == Done {
		before = now
	}
	settled, open := split(p.log, settled(p.log, p.runner.state.Upto, before))
	if len(settled) == 0 {
		return false, nil
	}
	if err := p.runner.tell(settled); err != nil {
		p.forget()
		return false, err
	}
	p.log = slices.Clone(open)
	return true, nil
}

// settled returns the number of the last outcome up to which everything is settled: every answer
// was given before a time, or was taken back.
func settled(log []Outcome, upto int64, before time.Time) int64 {
	back := takenBack(log)
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
		p.forget()
		if errors.Is(err, ErrChanged) {
			return nil // an answer was taken back at the last moment
		}
		return err
	}
	p.runner.state.Plans = plan.Number
	return nil
}

// keep makes a snapshot now and then.
func (p *Planner) keep(ctx context.Context) error {
	if p.runner == nil || p.runner.strategy == nil || p.runner.state.Upto < p.kept+snapshotTold {
		return nil
	}
	state, err := p.runner.snapshot()
	if err != nil {
		return err
	}
	p.kept = p.runner.state.Upto
	return p.service.store.SaveSnapshot(ctx, p.id, p.runner.state.Plans, state)
}
