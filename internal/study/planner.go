package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	snapshotTold = 500              // outcomes told between two snapshots, at least
	snapshotMost = 20_000           // and at most, unless a backlog is being counted
	snapshotPart = 4                // in between, one in so many of those that the last has: a large one takes longer
	backlogPart  = 2                // the same while a backlog is being counted
	farewell     = 10 * time.Second // for writing a plan or a snapshot while the process stops
)

// A Planner plans one study, in one of perhaps several processes: of several, one leads at a time.
// It serves one goroutine.
type Planner struct {
	supervisor *Supervisor
	id         string
	runner     *runner
	computed   bool      // the runner has gone further than the plans in the store
	log        []Outcome // that are not told yet, as far as they were read: at most a slice
	until      time.Time // when the lease ends; zero if another planner holds it
	version    int       // of the study, as far as its arms are planned
	deck       deck
	kept       int64 // outcomes told when the last snapshot was made
	rival      rival // who leads instead
}

// Planner returns a planner of a study.
func (s *Supervisor) Planner(id string) *Planner { return &Planner{supervisor: s, id: id} }

// An Activity says what a planner had to do.
type Activity int

// What a step of a planner may find.
const (
	Over Activity = iota // there will never be anything to do again
	Idle                 // nothing at the moment, or somebody else leads
	Busy                 // it wrote a plan, or has to try again because something has just changed
)

// Step does what there is to do: it tells the strategy a slice of the outcomes that were not told yet, and
// asks it for questions so that the deck does not run out. While another planner leads it does nothing. If
// the context ends while a slice is told, the slice ends there and its plan is written.
func (p *Planner) Step(ctx context.Context) (Activity, error) {
	study, err := p.supervisor.Store.Study(ctx, p.id)
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
	err = p.leading(ctx, func(led context.Context) (err error) {
		led, end := p.supervisor.Trace(led, p.id)
		defer func() { end(activity, err) }()
		activity, err = p.plan(led, study, ctx.Done())
		return err
	})
	if err == nil {
		return activity, nil
	}
	overtaken := p.overtaken(ctx)
	if p.computed || ctx.Err() == nil {
		p.forget() // the store may have more, or less, than what is in memory
	}
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
	now := p.supervisor.Clock()
	if p.until.After(now) || study.State == Done || study.Version != p.version {
		return true, nil
	}
	overdue, unclaimed, err := p.supervisor.Store.Overdue(ctx, p.id, now.Add(-claimTTL-study.Settings.Lease), 1)
	if err != nil || len(overdue) > 0 || study.State == Open && p.deck.low(unclaimed) {
		return err == nil, err
	}
	untold, err := p.supervisor.Store.Log(ctx, p.id, p.runner.state.Upto, 1)
	return len(untold) > 0, err
}

// plan makes the next plan, if there is something to be planned. When stop is closed it cuts the plan short
// and writes it.
func (p *Planner) plan(ctx context.Context, study Study, stop <-chan struct{}) (Activity, error) {
	began := p.supervisor.Clock()
	if err := p.load(ctx, study); err != nil {
		return Idle, err
	}
	unclaimed, err := p.giveUp(ctx, study, began)
	if err != nil {
		return Idle, err
	}
	untold, err := readSlice(ctx, p.supervisor.Store, p.id, p.log, p.runner.state.Upto, p.supervisor.Slice)
	if err != nil {
		return Idle, err
	}
	p.log = untold.log
	var next draft
	err = p.supervisor.Cores.use(ctx, weight(untold.full), func(pause func() error) error {
		p.computed = true
		next, err = p.compute(study, untold, began, unclaimed, patience(stop, pause))
		return err
	})
	if err != nil {
		return Idle, err
	}
	p.version = study.Version
	if next.empty {
		p.computed = false
		return min(next.activity, Idle), nil
	}
	if err := p.append(ctx, next.plan); err != nil {
		return Idle, err
	}
	p.keep(ctx, next.more)
	p.supervisor.Observer.Planned(Planned{
		Study: p.id, Verdict: next.verdict, Evidence: next.verdict.share(study.Settings.Strategy.Delta), Deck: unclaimed + len(next.plan.Questions),
		Took: p.supervisor.Clock().Sub(began),
	})
	p.supervisor.Live.Stale(p.id)
	p.supervisor.Live.Updates.Notify(p.id)
	if next.plan.Done != "" {
		return p.afterEnd(ctx)
	}
	return next.activity, nil
}

// A draft is a plan that is not written yet.
type draft struct {
	plan     Plan
	verdict  Verdict
	activity Activity // what there is to do after the plan
	more     bool     // outcomes that can be told right away are left
	empty    bool     // nothing has changed, so there is nothing to write
}

// compute tells the strategy a slice and asks it for questions. A study does not end before everything that
// can be counted is counted.
func (p *Planner) compute(study Study, untold slice, now time.Time, unclaimed int, pause func() error) (d draft, err error) {
	r, before := p.runner, p.runner.state
	d.plan = Plan{Number: before.Plans + 1, First: before.Next, Version: study.Version, Known: untold.known(before.Upto)}
	if err := r.follow(study, &d.plan); err != nil {
		return d, err
	}
	if d.more, err = r.count(study, untold, now, pause); err != nil {
		return d, err
	}
	d.plan.Upto = r.state.Upto
	_, open := split(p.log, d.plan.Upto)
	p.log = slices.Clone(open)
	reason := r.reason(study.Settings.Budget)
	if study.State != Done && !d.more {
		d.plan.Done = reason
	}
	wanted := 0
	if study.State == Open && reason == "" {
		wanted = p.deck.wanted(int(before.Next), unclaimed, r.state.Answers)
	}
	if d.activity = Busy; !d.more && (study.State == Done || d.plan.Done != "") {
		d.activity = Over
	}
	if d.plan.Upto == before.Upto && d.plan.Done == "" && d.plan.Arms == 0 && d.plan.Withdrawn == nil && wanted == 0 && r.state.Settings == before.Settings {
		d.empty = true
		return d, nil
	}
	if d.plan.Questions, err = r.ask(wanted); err != nil {
		return d, err
	}
	d.plan.At = p.supervisor.Clock()
	d.verdict = r.conclude(d.plan)
	d.plan.Verdict = d.verdict.written()
	return d, nil
}

// append writes a plan, even if the process is being stopped.
func (p *Planner) append(ctx context.Context, plan Plan) error {
	writing, cancel := outlast(ctx, farewell)
	defer cancel()
	if err := p.supervisor.Store.Append(writing, p.id, p.supervisor.Name, plan); err != nil {
		return err
	}
	p.runner.state.Plans, p.computed = plan.Number, false
	return nil
}

// afterEnd returns Over after a plan that ends the study, unless the owner has stopped the study just before: then
// one more plan says so.
func (p *Planner) afterEnd(ctx context.Context) (Activity, error) {
	study, err := p.supervisor.Store.Study(ctx, p.id)
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
	last, err := lastPlan(ctx, p.supervisor.Store, p.id)
	return err == nil && last != p.runner.state.Plans
}

// recall forgets what is in memory if somebody else has planned since.
func (p *Planner) recall(ctx context.Context) error {
	if p.runner == nil {
		return nil
	}
	last, err := lastPlan(ctx, p.supervisor.Store, p.id)
	if err == nil && last != p.runner.state.Plans {
		p.forget()
	}
	return err
}

// forget drops what is in memory: it may not be what is in the store.
func (p *Planner) forget() { p.runner, p.computed, p.log, p.version = nil, false, nil, 0 }

// load makes the runner, from the last snapshot and the plans since. As long as this process leads
// nobody else writes plans.
func (p *Planner) load(ctx context.Context, study Study) error {
	if p.runner != nil && p.runner.arms.Arms.Len() >= study.Arms && p.runner.state.Afresh >= study.Afresh {
		return nil
	}
	p.forget()
	store := p.supervisor.Store
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
		err = p.supervisor.Cores.use(ctx, heavy, func(func() error) error { return r.restore(state) })
		if err != nil { // it only makes things faster
			p.supervisor.Report(p.id, fmt.Errorf("study: the snapshot cannot be used: %w", err))
		}
	}
	p.kept = r.state.Upto
	if err := r.catchUp(ctx, store, p.id, math.MaxInt, p.supervisor.Cores); err != nil {
		return unlessErased(ctx, store, study, err)
	}
	p.runner = r
	return nil
}

// giveUp records that questions were not answered in time, and returns how many questions of the
// deck nobody has claimed.
func (p *Planner) giveUp(ctx context.Context, study Study, now time.Time) (unclaimed int, err error) {
	const most = 1000
	overdue, unclaimed, err := p.supervisor.Store.Overdue(ctx, p.id, now.Add(-claimTTL-study.Settings.Lease), most)
	if err != nil || len(overdue) == 0 {
		return unclaimed, err
	}
	outcomes := make([]Outcome, len(overdue))
	for i, position := range overdue {
		outcomes[i] = Outcome{Position: position, Kind: Lost, At: now}
	}
	_, err = p.supervisor.Store.Record(ctx, p.id, NoLimit, outcomes...) // an answer that came just now stands
	return unclaimed, err
}

// keep saves a snapshot now and then, less often while a backlog is counted. Without one everything works,
// but a restart takes longer.
func (p *Planner) keep(ctx context.Context, more bool) {
	due := min(p.kept/snapshotPart, snapshotMost)
	if more {
		due = p.kept / backlogPart
	}
	if p.runner.state.Upto >= p.kept+max(snapshotTold, due) {
		p.snapshot(ctx)
	}
}

// snapshot saves a snapshot, even if the process is being stopped.
func (p *Planner) snapshot(ctx context.Context) {
	p.kept = p.runner.state.Upto
	saving, cancel := outlast(ctx, farewell)
	defer cancel()
	var state []byte
	err := p.supervisor.Cores.use(saving, heavy, func(func() error) (err error) {
		state, err = p.runner.snapshot()
		return err
	})
	if err == nil {
		err = p.supervisor.Store.SaveSnapshot(saving, p.id, p.runner.state.Plans, state)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		p.supervisor.Report(p.id, fmt.Errorf("study: the snapshot was not saved: %w", err))
	}
}

// Leave ends planning: it saves a snapshot if much was told since the last one, and gives up the lease.
func (p *Planner) Leave(ctx context.Context) error {
	if p.leads() && p.runner != nil && p.runner.state.Upto >= p.kept+snapshotTold {
		p.snapshot(ctx)
	}
	resigning, cancel := context.WithTimeout(context.WithoutCancel(ctx), leadFor) // after that it is over anyway
	defer cancel()
	return p.Resign(resigning)
}
