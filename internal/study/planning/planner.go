package planning

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/replay"
)

const (
	minSnapshotGap = 500              // outcomes counted between two snapshots
	maxSnapshotGap = 20_000           // unless a backlog is being counted
	snapshotPart   = 4                // in between, the gap is 1/4 of the counted outcomes: large snapshots take longer
	backlogPart    = 2                // the same divisor while a backlog is being counted
	stopGrace      = 10 * time.Second // for writing a plan or a snapshot while the process stops
)

// A Planner plans one study. Among several processes, one planner holds the study's lease at a time. Not
// safe for concurrent use.
type Planner struct {
	lease

	runner   *replay.Replayer
	computed bool            // the replayer is ahead of the plans in the store
	log      []study.Outcome // uncounted outcomes read so far: at most a slice
	version  int             // of the study whose arms and settings are planned
	more     bool            // the last plan has not counted all that it could
	deck     deck
	kept     int64        // outcomes counted at the last snapshot
	rests    *study.Study // the study after a step that left nothing to do, nil after others
}

// Planner returns a planner of a study.
func (e *Environment) Planner(id string) *Planner {
	p := &Planner{lease: lease{env: e, id: id}}
	p.lapsed = p.recall
	return p
}

// Step counts a slice of the uncounted outcomes, and asks the strategy for questions so that the
// deck does not run out. While another planner holds the lease, Step does nothing. If the context ends
// during a slice, the slice ends early and its plan is written.
func (p *Planner) Step(ctx context.Context) (Activity, error) {
	p.rests = nil
	st, err := p.study(ctx)
	switch {
	case errors.Is(err, study.ErrNotFound):
		return Over, nil
	case errors.Is(err, study.ErrChanged):
		return Busy, nil
	case err != nil || st.State == study.Draft:
		return Idle, err
	case st.State == study.Done && !st.Reason.Closed():
		return Over, nil
	}
	found, err := p.find(ctx, st)
	if err != nil {
		return Idle, err
	}
	if !p.due(st, found) {
		p.rests = &st
		return Quiet, nil
	}
	var activity Activity
	err = p.leading(ctx, func(led context.Context) (err error) {
		led, end := p.env.Trace(led, p.id)
		defer func() { end(activity, err) }()
		activity, err = p.plan(led, st, found, ctx.Done())
		return err
	})
	if err == nil {
		return activity, nil
	}
	overtaken := p.overtaken(ctx)
	if p.computed || ctx.Err() == nil {
		p.forget() // the memory may differ from the store
	}
	switch {
	case errors.Is(err, study.ErrNotYours) || overtaken:
		p.until = time.Time{}
		return Idle, nil
	case errors.Is(err, study.ErrChanged):
		return Busy, nil
	case errors.Is(err, study.ErrNotFound): // the study was just deleted, and the next step returns Over
		return Idle, nil
	}
	return Idle, err
}

// study returns the study. If its deadline has passed, it ends the study first.
func (p *Planner) study(ctx context.Context) (study.Study, error) {
	st, err := p.env.Store.Study(ctx, p.id)
	if err != nil {
		return st, err
	}
	now := p.env.Clock()
	ended := st.AsOf(now)
	if ended.State == st.State {
		return st, nil
	}
	ended.Changed = now
	if ended, err = p.env.Store.Change(ctx, ended, st.Version, nil); err == nil {
		p.env.Live.Changed(p.id)
	}
	return ended, err
}

// findings are the work to do, as read from the store.
type findings struct {
	plans     int // that the state in memory had made
	at        time.Time
	overdue   []study.Position
	unclaimed int
	untold    replay.Slice
}

// find reads the work to do. It writes nothing, so that an idle study costs no writes.
func (p *Planner) find(ctx context.Context, st study.Study) (w findings, err error) {
	if p.runner == nil {
		return findings{}, nil
	}
	w.plans, w.at = p.runner.State.Plans, p.env.Clock()
	const most = 1000
	if w.overdue, w.unclaimed, err = p.env.Store.Overdue(ctx, p.id, lostBefore(st, w.at), most); err != nil {
		return findings{}, err
	}
	if w.untold, err = replay.ReadSlice(ctx, p.env.Store, p.id, p.log, p.runner.State.Upto, p.env.Slice); err != nil {
		return findings{}, err
	}
	p.log = w.untold.Log
	return w, nil
}

// lostBefore returns the time of claims that are overdue.
func lostBefore(st study.Study, now time.Time) time.Time {
	return now.Add(-study.ClaimTTL - st.Settings.Lease)
}

// due reports whether there is anything to plan.
func (p *Planner) due(st study.Study, w findings) bool {
	return st.State == study.Done || st.Version != p.version || p.more || len(w.overdue) > 0 || p.isLow(st, w.unclaimed) ||
		p.runner.SessionsOver(st, w.at) || p.counts(st, w.at)
}

// isLow reports whether the deck of an open study needs more questions.
func (p *Planner) isLow(st study.Study, unclaimed int) bool {
	return st.State == study.Open && p.deck.low(unclaimed)
}

// counts reports whether an outcome that was read can be counted now.
func (p *Planner) counts(st study.Study, now time.Time) bool {
	r := p.runner
	return replay.Settled(p.log, r.State.Upto, r.State.Arms, now, st.Settings.Grace) > r.State.Upto
}

// Wakes reports whether a resting planner has something to do again, given the pulse of its study, which is empty if the study
// is no longer active.
func (p *Planner) Wakes(pulse study.Pulse) bool {
	now, r, st := p.env.Clock(), p.runner, *p.rests
	read := r.State.Upto
	if n := len(p.log); n > 0 {
		read = p.log[n-1].Number
	}
	unread := pulse.Outcomes > read && len(p.log) < p.env.Slice
	return pulse.ID == "" || pulse.Version > p.version || pulse.Plans > r.State.Plans || unread ||
		p.isLow(st, int(int64(r.State.Next)-pulse.Claimed)) || !pulse.Waiting.IsZero() && pulse.Waiting.Before(lostBefore(st, now)) ||
		st.Settings.Overdue(now) || r.SessionsOver(st, now) || p.counts(st, now)
}

// plan makes the next plan, if there is anything to plan. When stop is closed, it cuts the plan
// short and writes it.
func (p *Planner) plan(ctx context.Context, st study.Study, found findings, stop <-chan struct{}) (Activity, error) {
	began := p.env.Clock()
	if err := p.load(ctx, st); err != nil {
		return Idle, err
	}
	found, err := p.giveUp(ctx, st, found)
	if err != nil {
		return Idle, err
	}
	var next draft
	err = p.env.Cores.Use(ctx, replay.Weight(found.untold.Full), func(pause func() error) error {
		p.computed = true
		next, err = p.compute(st, found, replay.Patience(stop, pause))
		return err
	})
	if err != nil {
		return Idle, err
	}
	p.version, p.more = st.Version, next.more
	if next.empty {
		p.computed = false
		return min(next.activity, Idle), nil
	}
	if err := p.append(ctx, next.plan); err != nil {
		return Idle, err
	}
	p.keep(ctx, next.more)
	p.env.Observer.Planned(study.Planned{
		Study: p.id, Verdict: next.verdict, Evidence: next.verdict.Share(st.Settings.Strategy.Delta), Deck: found.unclaimed + len(next.plan.Questions),
		Took: p.env.Clock().Sub(began),
	})
	p.env.Live.Stale(p.id)
	p.env.Live.Updates.Notify(p.id)
	if next.plan.Done != "" {
		return p.afterEnd(ctx)
	}
	if st.State != study.Done && !next.more && !p.isLow(st, found.unclaimed+len(next.plan.Questions)) {
		p.rests = &st
	}
	return next.activity, nil
}

// A draft is a plan that is not written yet.
type draft struct {
	plan     study.Plan
	verdict  study.Verdict
	activity Activity // the result of the step after this plan
	more     bool     // more outcomes can be counted now
	empty    bool     // nothing has changed, so the plan need not be written
}

// compute tells the strategy a slice and asks it for questions. The study does not end before all
// countable outcomes are counted.
func (p *Planner) compute(st study.Study, found findings, pause func() error) (d draft, err error) {
	r, before, untold, now := p.runner, p.runner.State, found.untold, found.at
	d.plan = study.Plan{Number: before.Plans + 1, First: before.Next, Version: st.Version, Known: untold.Known(before.Upto)}
	if err := r.Follow(st, &d.plan); err != nil {
		return d, err
	}
	if d.more, err = r.Count(st, untold, now, pause); err != nil {
		return d, err
	}
	d.plan.Upto = r.State.Upto
	_, open := replay.Split(untold.Log, d.plan.Upto)
	p.log = slices.Clone(open)
	ends := st.State != study.Done && !d.more
	limited := ends && r.Reason(st.Settings.Budget) == study.Spent || st.Reason == study.Expired && !d.more
	ended, err := r.EndSessions(st, now, d.more, limited)
	if err != nil {
		return d, err
	}
	reason := r.Reason(st.Settings.Budget)
	if ends {
		d.plan.Done = reason
	}
	wanted := 0
	if st.State == study.Open && reason == "" {
		wanted = p.deck.wanted(int(before.Next), found.unclaimed, r.State.Answers)
	}
	if d.activity = Busy; !d.more && (st.State == study.Done || d.plan.Done != "") {
		d.activity = Over
	}
	if d.plan.Questions, err = r.Ask(wanted); err != nil {
		return d, err
	}
	if d.empty = len(d.plan.Questions) == 0 && ended == 0 && r.State.Settings == before.Settings && changesNothing(d.plan, before.Upto); d.empty {
		return d, nil
	}
	d.plan.At = p.env.Clock()
	d.verdict = r.Conclude(d.plan)
	d.plan.Verdict = d.verdict.Written()
	return d, nil
}

// changesNothing reports whether a plan without questions counts no new outcome and changes no arm.
func changesNothing(p study.Plan, told int64) bool {
	return p.Upto == told && p.Done == "" && p.Arms == 0 && p.Withdrawn == nil
}

// append writes a plan, even if the process is being stopped.
func (p *Planner) append(ctx context.Context, plan study.Plan) error {
	writing, cancel := outlast(ctx, stopGrace)
	defer cancel()
	if err := p.env.Store.Append(writing, p.id, p.env.Name, plan); err != nil {
		return err
	}
	p.runner.State.Plans, p.computed = plan.Number, false
	return nil
}

// afterEnd returns Over after a plan that ends the study. If the owner has closed the study just
// before, it returns Busy, and one more plan records the stop.
func (p *Planner) afterEnd(ctx context.Context) (Activity, error) {
	st, err := p.env.Store.Study(ctx, p.id)
	if err == nil && st.Reason.Closed() {
		return Busy, nil
	}
	return Over, err
}

// overtaken reports whether another planner, with a different clock, has written a plan. Then the
// state in memory is stale.
func (p *Planner) overtaken(ctx context.Context) bool {
	if p.runner == nil {
		return false
	}
	last, err := replay.LastPlan(ctx, p.env.Store, p.id)
	return err == nil && last != p.runner.State.Plans
}

// recall drops the state in memory if another planner has written a plan since.
func (p *Planner) recall(ctx context.Context) error {
	if p.runner == nil {
		return nil
	}
	last, err := replay.LastPlan(ctx, p.env.Store, p.id)
	if err == nil && last != p.runner.State.Plans {
		p.forget()
	}
	return err
}

// forget drops the state in memory, which may differ from the store.
func (p *Planner) forget() { p.runner, p.computed, p.log, p.version = nil, false, nil, 0 }

// load restores the replayer from the last snapshot and the plans since. No other planner writes
// plans while this process holds the lease.
func (p *Planner) load(ctx context.Context, st study.Study) error {
	if p.runner != nil && p.runner.Arms.Arms.Len() >= st.Arms && p.runner.State.Afresh >= st.Afresh {
		return nil
	}
	p.forget()
	store := p.env.Store
	saved, err := store.Catalogue(ctx, p.id)
	if err != nil {
		return err
	}
	r, err := replay.New(st, saved)
	if err != nil {
		return err
	}
	_, state, err := store.Snapshot(ctx, p.id)
	if err != nil && !errors.Is(err, study.ErrNotFound) {
		return err
	}
	if err == nil {
		err = p.env.Cores.Use(ctx, replay.Heavy, func(func() error) error { return r.Restore(state) })
		if err != nil { // the snapshot is optional
			p.env.Report(p.id, fmt.Errorf("study: the snapshot cannot be used: %w", err))
		}
	}
	p.kept = r.State.Upto
	if err := r.CatchUp(ctx, store, p.id, math.MaxInt, p.env.Cores); err != nil {
		return replay.UnlessErased(ctx, store, st, err)
	}
	p.runner = r
	return nil
}

// giveUp records overdue questions as lost, and returns the work after that. It also looks for work again if the state in
// memory has been loaded since.
func (p *Planner) giveUp(ctx context.Context, st study.Study, found findings) (findings, error) {
	if found.at.IsZero() || found.plans != p.runner.State.Plans {
		var err error
		if found, err = p.find(ctx, st); err != nil {
			return findings{}, err
		}
	}
	if len(found.overdue) == 0 {
		return found, nil
	}
	outcomes := make([]study.Outcome, len(found.overdue))
	for i, position := range found.overdue {
		outcomes[i] = study.Outcome{Position: position, Kind: study.Lost, At: found.at}
	}
	if _, err := p.env.Store.Record(ctx, p.id, study.NoLimit, outcomes...); err != nil { // an answer that has just arrived stands
		return findings{}, err
	}
	return p.find(ctx, st)
}

// keep saves a snapshot from time to time, less often while a backlog is counted. Snapshots are
// optional: they shorten restarts.
func (p *Planner) keep(ctx context.Context, more bool) {
	due := min(p.kept/snapshotPart, maxSnapshotGap)
	if more {
		due = p.kept / backlogPart
	}
	if p.runner.State.Upto >= p.kept+max(minSnapshotGap, due) {
		p.snapshot(ctx)
	}
}

// snapshot saves a snapshot, even if the process is being stopped.
func (p *Planner) snapshot(ctx context.Context) {
	p.kept = p.runner.State.Upto
	saving, cancel := outlast(ctx, stopGrace)
	defer cancel()
	var state []byte
	err := p.env.Cores.Use(saving, replay.Heavy, func(func() error) (err error) {
		state, err = p.runner.Snapshot()
		return err
	})
	if err == nil {
		err = p.env.Store.SaveSnapshot(saving, p.id, p.runner.State.Plans, state)
	}
	if err != nil && !errors.Is(err, study.ErrNotFound) {
		p.env.Report(p.id, fmt.Errorf("study: the snapshot was not saved: %w", err))
	}
}

// Leave ends planning: it saves a snapshot if many outcomes were counted since the last one, and
// gives up the lease.
func (p *Planner) Leave(ctx context.Context) error {
	if p.leads() && p.runner != nil && p.runner.State.Upto >= p.kept+minSnapshotGap {
		p.snapshot(ctx)
	}
	resigning, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseFor) // after that the lease has expired anyway
	defer cancel()
	return p.Resign(resigning)
}

// Limits of the deck's depth.
const (
	minDepth           = 16
	maxDepth           = 4096
	answersPerQuestion = 32 // the deck has one question for this many answers
)

// A deck is the planned questions that are unclaimed. A deeper deck serves more concurrent
// respondents; in a shallower one, questions rest on more recent answers. So its depth follows
// demand: twice the number of questions claimed between the last two checks. A deeper deck does no
// harm later in the study: the strategy itself waits for 1/64 more answers before it updates.
type deck struct {
	known   bool
	claimed int // at the last check
	depth   int // at the last check
}

// wanted returns how many more questions to plan, given the numbers of planned and unclaimed ones.
// It is 0 while the deck is more than half full.
func (d *deck) wanted(planned, unclaimed, answers int) int {
	claimed := planned - unclaimed
	depth := max(minDepth, answers/answersPerQuestion)
	if d.known {
		depth = max(depth, 2*(claimed-d.claimed))
	}
	d.known, d.claimed, d.depth = true, claimed, min(depth, maxDepth)
	if !d.low(unclaimed) {
		return 0
	}
	return d.depth - unclaimed
}

// low reports whether the deck is at most half full.
func (d *deck) low(unclaimed int) bool { return unclaimed <= d.depth/2 }

// FirstQuestions returns how many questions to plan when a study begins with answers.
func FirstQuestions(answers int) int { return new(deck).wanted(0, 0, answers) }
