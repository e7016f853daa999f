package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

const (
	leadFor      = 2 * time.Second // a planner that is not heard of for so long is replaced
	snapshotTold = 500             // outcomes told between two snapshots, at least
	snapshotMost = 20_000          // and at most
	snapshotPart = 4               // in between, one in so many of those that the last has: a large one takes longer
)

// A Planner plans one study, in one of perhaps several processes: of several, one leads at a time.
// It serves one goroutine.
type Planner struct {
	service *Service
	id      string
	runner  *runner
	log     []Outcome // that are not told yet, as far as they were read
	until   time.Time // when the lead ends; zero if somebody else leads
	version int       // of the study, as far as its arms are planned
	deck    deck
	kept    int64 // outcomes told when the last snapshot was made
	rival   rival // who leads instead
}

// Planner returns a planner of a study.
func (s *Service) Planner(id string) *Planner { return &Planner{service: s, id: id} }

// An Activity says what a planner had to do.
type Activity int

// What a step of a planner may find.
const (
	Over Activity = iota // there will never be anything to do again
	Idle                 // nothing at the moment, or somebody else leads
	Busy                 // it wrote a plan, or has to try again because something has just changed
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
	if due, err := p.due(ctx, study); !due || err != nil {
		return Idle, err
	}
	var activity Activity
	err = p.leading(ctx, func() (err error) {
		ctx, end := p.service.trace(ctx, p.id)
		defer func() { end(activity, err) }()
		activity, err = p.plan(ctx, study)
		return err
	})
	if err == nil {
		return activity, nil
	}
	overtaken := p.overtaken(ctx)
	p.forget() // it has gone on, and nobody knows what of that is in the store
	switch {
	case errors.Is(err, ErrNotYours) || overtaken:
		p.until = time.Time{}
		return Idle, nil
	case errors.Is(err, ErrChanged):
		return Busy, nil
	case errors.Is(err, ErrNotFound): // it was deleted just now, as the next step finds out
		return Idle, nil
	}
	return Idle, err
}

// due reports whether there may be something to do. To find out costs no write, so that a study that
// nobody answers costs none.
func (p *Planner) due(ctx context.Context, study Study) (bool, error) {
	now := p.service.clock()
	if p.until.After(now) || study.State == Done || study.Version != p.version {
		return true, nil
	}
	overdue, unclaimed, err := p.service.store.Overdue(ctx, p.id, now.Add(-hold-study.Settings.Lease), 1)
	if err != nil || len(overdue) > 0 || study.State == Open && p.deck.low(unclaimed) {
		return err == nil, err
	}
	untold, err := p.service.store.Log(ctx, p.id, p.runner.state.Upto, 1)
	return len(untold) > 0, err
}

// leads reports whether this planner leads, as far as it knows.
func (p *Planner) leads() bool { return !p.until.IsZero() }

// Resign lets somebody else lead, at once.
func (p *Planner) Resign(ctx context.Context) error {
	if !p.leads() {
		return nil
	}
	now := p.service.clock()
	p.until = time.Time{}
	err := p.service.store.Lead(ctx, p.id, p.service.name, now, now)
	if errors.Is(err, ErrNotYours) || errors.Is(err, ErrNotFound) {
		return nil // there was nothing to give up
	}
	return err
}

// leading does something as the one who leads. However long it takes, the lead does not end
// meanwhile.
func (p *Planner) leading(ctx context.Context, do func() error) error {
	now := p.service.clock()
	left := p.until.Sub(now)
	lapsed := left <= 0 || left > leadFor // more than it ever was: the clock was set back
	if lapsed || left < leadFor/2 {
		p.until = now // if it fails, nobody knows who leads
		if err := p.lead(ctx, now); err != nil {
			return err
		}
		p.until = now.Add(leadFor)
		if lapsed {
			if err := p.recall(ctx); err != nil {
				return err
			}
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

// lead makes this planner the one who leads, unless there is another that is heard of.
func (p *Planner) lead(ctx context.Context, now time.Time) error {
	store, until := p.service.store, now.Add(leadFor)
	err := store.Lead(ctx, p.id, p.service.name, now, until)
	if led, ok := errors.AsType[*LedError](err); ok && p.rival.silent(led.Until, now) {
		return store.Lead(ctx, p.id, p.service.name, led.Until, until) // unless it was prolonged just now
	}
	return err
}

// plan makes the next plan, if there is something to be planned. After an error the planner must
// forget what is in memory.
func (p *Planner) plan(ctx context.Context, study Study) (Activity, error) {
	now := p.service.clock()
	if err := p.load(ctx, study); err != nil {
		return Idle, err
	}
	unclaimed, err := p.giveUp(ctx, study, now)
	if err != nil {
		return Idle, err
	}
	before := p.runner.state
	plan := Plan{Number: before.Plans + 1, First: before.Next, Version: study.Version}
	if err := p.runner.follow(study, &plan); err != nil {
		return Idle, err
	}
	if plan.Known, err = p.count(ctx, study, now); err != nil {
		return Idle, err
	}
	if study.State != Done {
		plan.Done = p.runner.reason(study.Settings.Budget)
	}
	wanted := 0
	if study.State == Open && plan.Done == "" {
		wanted = p.deck.wanted(int(before.Next), unclaimed, p.runner.state.Answers)
	}
	activity := Busy
	if study.State == Done || plan.Done != "" {
		activity = Over
	}
	plan.Upto, p.version = p.runner.state.Upto, study.Version
	if plan.Upto == before.Upto && plan.Done == "" && plan.Arms == 0 && plan.Withdrawn == nil && wanted == 0 && p.runner.state.Settings == before.Settings {
		return min(activity, Idle), nil
	}
	if plan.Questions, err = p.runner.ask(wanted); err != nil {
		return Idle, err
	}
	plan.At = p.service.clock()
	verdict := p.runner.conclude(plan)
	plan.Verdict = verdict.written()
	if err := p.service.store.Append(ctx, p.id, p.service.name, plan); err != nil {
		return Idle, err
	}
	p.runner.state.Plans = plan.Number
	p.keep(ctx)
	p.service.observer.Planned(Planned{
		Study: p.id, Verdict: verdict, Evidence: verdict.share(study.Settings.Strategy.Delta), Deck: unclaimed + len(plan.Questions),
		Took: p.service.clock().Sub(now),
	})
	p.service.studies.forget(p.id)
	p.service.news.ring(p.id)
	if plan.Done != "" {
		return p.afterEnd(ctx)
	}
	return activity, nil
}

// afterEnd returns Over after a plan that ends the study, unless the owner has stopped the study just before: then
// one more plan says so.
func (p *Planner) afterEnd(ctx context.Context) (Activity, error) {
	study, err := p.service.store.Study(ctx, p.id)
	if err == nil && study.Reason == Stopped {
		return Busy, nil
	}
	return Over, err
}

// overtaken reports whether somebody else has planned, whose clock must be another: then what is in memory is no
// longer true, whatever came of it.
func (p *Planner) overtaken(ctx context.Context) bool {
	if p.runner == nil {
		return false
	}
	last, err := lastPlan(ctx, p.service.store, p.id)
	return err == nil && last != p.runner.state.Plans
}

// recall forgets what is in memory if somebody else has planned since.
func (p *Planner) recall(ctx context.Context) error {
	if p.runner == nil {
		return nil
	}
	last, err := lastPlan(ctx, p.service.store, p.id)
	if err == nil && last != p.runner.state.Plans {
		p.forget()
	}
	return err
}

// forget drops what is in memory: it may not be what is in the store.
func (p *Planner) forget() { p.runner, p.log, p.version = nil, nil, 0 }

// load makes the runner, from the last snapshot and the plans since. As long as this process leads
// nobody else writes plans.
func (p *Planner) load(ctx context.Context, study Study) error {
	if p.runner != nil && p.runner.arms.Arms.Len() >= study.Arms && p.runner.state.Afresh >= study.Afresh {
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
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if err == nil {
		if err := r.restore(state); err != nil { // it only makes things faster
			p.service.report(p.id, fmt.Errorf("study: the snapshot cannot be used: %w", err))
		}
	}
	p.kept = r.state.Upto
	if err := r.catchUp(ctx, store, p.id, math.MaxInt); err != nil {
		return unlessErased(ctx, store, study, err)
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

// count tells the strategy the outcomes that can no longer be taken back: of a study that is closed,
// all. It returns the number of the last outcome that is known.
func (p *Planner) count(ctx context.Context, study Study, now time.Time) (known int64, err error) {
	known = p.runner.state.Upto
	if len(p.log) > 0 {
		known = p.log[len(p.log)-1].Number
	}
	more, err := logBetween(ctx, p.service.store, p.id, known, math.MaxInt64)
	if err != nil {
		return known, err
	}
	if len(more) > 0 {
		p.log, known = append(p.log, more...), more[len(more)-1].Number
		p.runner.hear(more)
	}
	upto := known
	if study.State != Done {
		upto = settled(p.log, p.runner.state, now, study.Settings.Grace)
	}
	if upto == p.runner.state.Upto {
		return known, nil
	}
	if err := p.runner.tell(p.log, upto); err != nil {
		return known, err
	}
	_, open := split(p.log, upto)
	p.log = slices.Clone(open)
	return known, nil
}

// settled returns the number of the last outcome up to which everything is settled: every answer was given so
// long ago that it cannot be taken back. One from a future further away was given by a clock that was wrong, and
// nothing waits for that. Imported ones may be about arms that came after the planner has looked which there are;
// they wait for the next plan.
func settled(log []Outcome, told runnerState, now time.Time, grace time.Duration) (upto int64) {
	upto = told.Upto
	for _, o := range log {
		age := now.Sub(o.At)
		recent := o.Kind == Answered && age < grace && age > -grace
		unknown := o.Kind == Imported && slices.ContainsFunc(o.Shown, func(arm int) bool { return arm >= told.Arms })
		if recent || unknown {
			break
		}
		upto = o.Number
	}
	return upto
}

// keep makes a snapshot now and then. Without one all goes on as well.
func (p *Planner) keep(ctx context.Context) {
	if p.runner.state.Upto < p.kept+max(snapshotTold, min(p.kept/snapshotPart, snapshotMost)) {
		return
	}
	p.kept = p.runner.state.Upto
	state, err := p.runner.snapshot()
	if err == nil {
		err = p.service.store.SaveSnapshot(ctx, p.id, p.runner.state.Plans, state)
	}
	if err != nil && !errors.Is(err, ErrNotFound) && ctx.Err() == nil {
		p.service.report(p.id, fmt.Errorf("study: no snapshot was kept: %w", err))
	}
}
