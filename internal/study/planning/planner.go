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
	snapshotPart   = 2                // in between, the gap is 1/2 of the counted outcomes: large snapshots take longer
	stopGrace      = 10 * time.Second // for writing a plan or a snapshot while the process stops
)

// A Planner plans one study. Among several processes, one planner holds the study's lease at a time. Not safe for concurrent use.
type Planner struct {
	lease

	memory memory
	rests  *study.Study // the study after a step that left nothing to do, nil after others
	waits  bool         // the last pulse of its rest had outcomes to count, which gather until the next pulse
}

// A memory is what a planner remembers of a study between two steps. The zero memory is empty.
type memory struct {
	runner  *replay.Replayer // as of the last plan in the store
	log     []study.Outcome  // uncounted outcomes read so far: at most a slice
	version int              // of the study whose arms and settings are planned
	more    bool             // the last plan has not counted all that it could
	deck    deck
	kept    int64 // outcomes counted at the last snapshot
}

// Planner returns a planner of a study.
func (e *Environment) Planner(id string) *Planner { return &Planner{lease: lease{env: e, id: id}} }

// Step counts a slice of the uncounted outcomes, and asks the strategy for questions so that the
// deck does not run out. While another planner holds the lease, Step does nothing. If the context ends
// during a slice, the slice ends early and its plan is written.
func (p *Planner) Step(ctx context.Context) (Activity, error) {
	p.rests, p.waits, p.seen = nil, false, 0
	work, err := p.work(ctx)
	st := work.Study
	switch {
	case errors.Is(err, study.ErrNotFound):
		return Over, nil
	case errors.Is(err, study.ErrChanged):
		return Busy, nil
	case errors.Is(err, study.ErrNotYours):
		p.until = time.Time{}
		return Idle, nil
	case err != nil || st.State == study.Draft:
		return Idle, err
	}
	if p.memory.overtaken(work) {
		p.memory = p.memory.forget()
	}
	p.memory.log = p.memory.read(work.Log, p.env.Slice)
	found, err := p.find(ctx, work, p.memory)
	if err != nil {
		return Idle, err
	}
	p.memory.log = found.untold.Log
	if !p.memory.due(st, found) {
		p.rests, p.seen = &st, st.Version
		return Quiet, nil
	}
	done := result{memory: p.memory}
	err = p.leading(ctx, func(led context.Context) (err error) {
		led, end := p.env.Trace(led, p.id)
		defer func() { end(done.activity, err) }()
		done, err = p.plan(led, work, done.memory, found, ctx.Done())
		return err
	})
	if err != nil {
		return p.failed(ctx, err, done)
	}
	p.memory = done.memory
	if done.rests {
		p.rests = &st
	}
	if done.rests || done.activity == Over && p.seen == 0 {
		p.seen = st.Version
	}
	return done.activity, nil
}

// failed returns the result of a step whose plan was not written. It drops the state in memory unless the process is
// being stopped and the state is that of the store.
func (p *Planner) failed(ctx context.Context, err error, r result) (Activity, error) {
	work, storeErr := p.env.Store.Look(ctx, p.id) // if the store fails, the error of the step counts
	overtaken := storeErr == nil && r.memory.overtaken(work)
	if p.memory = r.memory; r.ahead || ctx.Err() == nil {
		p.memory = r.memory.forget()
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

// work acquires the lease and returns the work. If the deadline of the study has passed, it ends the study first.
func (p *Planner) work(ctx context.Context) (study.Work, error) {
	work, err := p.lead(ctx)
	if err != nil {
		return work, err
	}
	now := p.env.Clock()
	ended := work.Study.AsOf(now)
	if ended.State == work.Study.State {
		return work, nil
	}
	ended.Changed = now
	if _, err = p.env.Store.Change(ctx, ended, work.Study.Version, nil); err != nil {
		return work, err
	}
	p.env.Live.Changed(p.id)
	return p.env.Store.Look(ctx, p.id)
}

// findings are the work to do, as read from the store.
type findings struct {
	plans     int // that the state in memory had made
	at        time.Time
	overdue   []study.Position
	unclaimed int
	untold    replay.Slice
}

// find reads what is new.
func (p *Planner) find(ctx context.Context, work study.Work, m memory) (w findings, err error) {
	if m.runner == nil {
		return findings{}, nil
	}
	w.plans, w.at, w.unclaimed = m.runner.State.Plans, p.env.Clock(), work.Unclaimed
	const maxOverdue = 1000
	if before := lostBefore(work.Study, w.at); !work.Waiting.IsZero() && work.Waiting.Before(before) {
		if w.overdue, err = p.env.Store.Overdue(ctx, p.id, before, maxOverdue); err != nil {
			return findings{}, err
		}
	}
	w.untold, err = replay.ReadSlice(ctx, p.env.Store, p.id, m.log, m.runner.State.LastCounted, work.Outcomes, p.env.Slice)
	return w, err
}

// read returns the uncounted outcomes that were read so far, with those of more that follow, up to most of them.
func (m memory) read(more []study.Outcome, most int) []study.Outcome {
	if m.runner == nil {
		return nil
	}
	last := m.runner.State.LastCounted
	log := m.log
	if n := len(log); n > 0 {
		last = log[n-1].Number
	}
	for _, o := range more {
		if o.Number == last+1 && len(log) < most { // imported outcomes may be between
			log, last = append(log, o), o.Number
		}
	}
	return log
}

// lostBefore returns the time of claims that are overdue.
func lostBefore(st study.Study, now time.Time) time.Time {
	return now.Add(-study.ClaimTTL - st.Settings.Lease)
}

// due reports whether there is anything to plan.
func (m memory) due(st study.Study, w findings) bool {
	return st.State == study.Done || st.Version != m.version || m.more || len(w.overdue) > 0 || m.isLow(st, w.unclaimed) ||
		m.runner.HandsOver(st, w.at) || m.counts(st, w.at) || len(m.runner.Abandoned(st, w.untold.Log)) > 0
}

// isLow reports whether the deck of an open study needs more questions.
func (m memory) isLow(st study.Study, unclaimed int) bool {
	return st.State == study.Open && m.deck.low(unclaimed)
}

// counts reports whether an outcome that was read can be counted now.
func (m memory) counts(st study.Study, now time.Time) bool {
	state := m.runner.State
	return replay.Settled(m.log, state.LastCounted, state.Arms, now, st.Settings.Grace) > state.LastCounted
}

// forget returns the memory without the state of the study, which may differ from the store.
func (m memory) forget() memory { return memory{deck: m.deck} }

// Wakes reports whether a resting planner has something to do again, given the pulse of its study. Outcomes gather until
// the second pulse.
func (p *Planner) Wakes(pulse study.Pulse) bool {
	now, m, st := p.env.Clock(), p.memory, *p.rests
	state := m.runner.State
	read := state.LastCounted
	if n := len(m.log); n > 0 {
		read = m.log[n-1].Number
	}
	unread := pulse.Outcomes > read && len(m.log) < p.env.Slice
	counts := unread || m.counts(st, now)
	gathers := p.env.Live.Gather && !p.waits
	p.waits = counts
	lost := !pulse.Waiting.IsZero() && pulse.Waiting.Before(lostBefore(st, now))
	return pulse.Version > m.version || pulse.Plans > state.Plans || counts && !gathers || lost ||
		m.isLow(st, int(int64(state.Next)-pulse.Claimed)) || st.Settings.Overdue(now) || m.runner.HandsOver(st, now)
}

// A result is the effect of a planning step that held the lease.
type result struct {
	memory   memory // for the next step
	activity Activity
	rests    bool // nothing is left to do
	ahead    bool // the replayer is ahead of the plans in the store
}

// plan makes the next plan, if there is anything to plan. When stop is closed, it cuts the plan
// short and writes it. It returns the memory also after an error.
func (p *Planner) plan(
	ctx context.Context, work study.Work, m memory, found findings, stop <-chan struct{},
) (r result, err error) {
	began, st := p.env.Clock(), work.Study
	r.activity = Idle
	if r.memory, err = p.load(ctx, work, m); err != nil {
		return r, err
	}
	if found, err = p.giveUp(ctx, work, r.memory, found); err != nil {
		return r, err
	}
	var next draft
	err = p.env.Cores.Use(ctx, replay.Weight(found.untold.Full), func(pause func() error) error {
		r.ahead = true
		next, err = compute(st, r.memory, found, p.env.Clock, replay.Patience(stop, pause))
		return err
	})
	if err != nil {
		return r, err
	}
	r.memory = next.memory
	if next.empty {
		r.activity, r.ahead = min(next.activity, Idle), false
		return r, nil
	}
	if err := p.append(ctx, next.plan); err != nil {
		return r, err
	}
	r.memory.runner.State.Plans, r.ahead = next.plan.Number, false
	if r.memory.snapshotDue() {
		r.memory.kept = p.snapshot(ctx, r.memory.runner)
	}
	unclaimed := found.unclaimed + len(next.plan.Questions)
	p.env.Observer.Planned(study.Planned{
		Study: p.id, Verdict: next.verdict, Evidence: next.verdict.Share(st.Settings.Strategy.Delta), Deck: unclaimed,
		Took: p.env.Clock().Sub(began),
	})
	p.env.Live.Updates.Notify(p.id)
	if next.plan.Done != "" {
		p.env.Live.Stale(p.id)
		r.activity, err = p.afterEnd(ctx, next.plan.LastCounted)
		return r, err
	}
	r.activity = next.activity
	r.rests = st.State != study.Done && !r.memory.more && !r.memory.isLow(st, unclaimed) &&
		len(r.memory.runner.Abandoned(st, r.memory.log)) == 0
	return r, nil
}

// A draft is a plan that is not written yet.
type draft struct {
	plan     study.Plan
	verdict  study.Verdict
	memory   memory   // after this plan
	activity Activity // the result of the step after this plan
	empty    bool     // nothing has changed, so the plan need not be written
}

// compute tells the strategy a slice and asks it for questions. The study does not end before all countable outcomes are counted.
func compute(st study.Study, m memory, found findings, clock func() time.Time, pause func() error) (d draft, err error) {
	r, before, untold, now := m.runner, m.runner.State, found.untold, found.at
	d.plan = study.Plan{
		Number: before.Plans + 1, First: before.Next, Version: st.Version, LastSeen: untold.LastSeen(before.LastCounted),
	}
	if err := r.Follow(st, &d.plan); err != nil {
		return d, err
	}
	more, err := r.Count(st, untold, now, pause)
	if err != nil {
		return d, err
	}
	d.plan.LastCounted = r.State.LastCounted
	ended, err := r.EndHands(st, now, more)
	if err != nil {
		return d, err
	}
	reason := r.Reason(st.Settings.Budget)
	if st.State != study.Done && !more {
		d.plan.Done = reason
	}
	wanted := 0
	if st.State == study.Open && reason == "" {
		unclaimed := found.unclaimed
		if st.Settings.HandSize() > 0 {
			unclaimed = r.Dealable(unclaimed)
		}
		m.deck, wanted = m.deck.wanted(int(before.Next), unclaimed, r.State.Answers, st.Settings.HandSize())
	}
	_, open := replay.Split(untold.Log, d.plan.LastCounted)
	m.log, m.version, m.more = slices.Clone(open), st.Version, more
	d.memory = m
	if d.activity = Busy; !more && st.State == study.Done {
		d.activity = Over
	}
	if d.plan.Questions, err = r.Ask(wanted); err != nil {
		return d, err
	}
	d.empty = len(d.plan.Questions) == 0 && ended == 0 && r.State.Settings == before.Settings &&
		d.plan.LastCounted == before.LastCounted && d.plan.Done == "" && d.plan.Arms == 0 && d.plan.Withdrawn == nil &&
		d.plan.People == nil
	if d.empty {
		return d, nil
	}
	if st.State == study.Done && !st.Reason.Closed() {
		d.plan.Done = st.Reason // as the plan before, which ended the study
	}
	if d.plan.Low, d.plan.Wakes = -1, r.NextEnd(st); st.State == study.Open {
		d.plan.Low = m.deck.depth / 2
	}
	d.plan.At = clock()
	d.plan.SameSettings = before.Plans > 0 && r.State.Settings == before.Settings
	d.verdict = r.Conclude(d.plan)
	d.plan.Verdict = d.verdict.Written()
	return d, nil
}

// append writes a plan, even if the process is being stopped.
func (p *Planner) append(ctx context.Context, plan study.Plan) error {
	writing, cancel := outlast(ctx, stopGrace)
	defer cancel()
	return p.env.Store.Append(writing, p.id, p.env.Name, plan)
}

// afterEnd returns Over after a plan that ends the study. If outcomes are left to count, or the owner has closed the study
// just before, it returns Busy, and one more plan follows. The log of a study that is done does not grow.
func (p *Planner) afterEnd(ctx context.Context, counted int64) (Activity, error) {
	work, err := p.env.Store.Look(ctx, p.id)
	if err == nil && (work.Outcomes > counted || work.Study.Reason.Closed()) {
		return Busy, nil
	}
	p.seen = work.Study.Version
	return Over, err
}

// overtaken reports whether another planner has written a plan since. Then the state in memory is stale.
func (m memory) overtaken(work study.Work) bool {
	return m.runner != nil && m.runner.State.Plans != work.Plans
}

// load returns a memory with all arms of the study and the last restart: the given one, or one restored from the last
// snapshot and the plans since. No other planner writes plans while this process holds the lease.
func (p *Planner) load(ctx context.Context, work study.Work, m memory) (memory, error) {
	st := work.Study
	if m.runner != nil && m.runner.Arms.Arms.Len() >= st.Arms && m.runner.State.RestartPlan >= st.RestartPlan {
		return m, nil
	}
	m, store := m.forget(), p.env.Store
	saved, err := store.Catalogue(ctx, p.id)
	if err != nil {
		return m, err
	}
	r, err := replay.New(st, saved)
	if err != nil {
		return m, err
	}
	if work.Plans == 0 { // there is nothing to read
		m.runner = r
		return m, nil
	}
	_, state, err := store.Snapshot(ctx, p.id)
	if err != nil && !errors.Is(err, study.ErrNotFound) {
		return m, err
	}
	if err == nil {
		err = p.env.Cores.Use(ctx, replay.Heavy, func(func() error) error { return r.Restore(state) })
		if err != nil { // the snapshot is optional
			p.env.Report(p.id, fmt.Errorf("study: the snapshot cannot be used: %w", err))
		}
	}
	kept := r.State.LastCounted
	if err := r.CatchUp(ctx, store, p.id, math.MaxInt, p.env.Cores); err != nil {
		return m, replay.UnlessErased(ctx, store, st, err)
	}
	m.runner, m.kept = r, kept
	return m, nil
}

// giveUp records overdue and abandoned questions as lost, and returns the work after that. It also looks for work again if
// the state in memory has been loaded since.
func (p *Planner) giveUp(ctx context.Context, work study.Work, m memory, found findings) (_ findings, err error) {
	if found.at.IsZero() || found.plans != m.runner.State.Plans {
		if found, err = p.find(ctx, work, m); err != nil {
			return findings{}, err
		}
	}
	found.overdue = append(found.overdue, m.runner.Abandoned(work.Study, found.untold.Log)...)
	if len(found.overdue) == 0 {
		return found, nil
	}
	outcomes := make([]study.Outcome, len(found.overdue))
	for i, position := range found.overdue {
		outcomes[i] = study.Outcome{Position: position, Kind: study.Lost, At: found.at}
	}
	if _, err := p.env.Store.Record(ctx, p.id, study.Terms{}, outcomes...); err != nil { // an answer that has just arrived stands
		return findings{}, err
	}
	m.log = found.untold.Log
	if work, err = p.env.Store.Look(ctx, p.id); err != nil {
		return findings{}, err
	}
	return p.find(ctx, work, m)
}

// snapshotDue reports whether to save a snapshot: from time to time, less often while a backlog is counted. Snapshots
// are optional: they shorten restarts.
func (m memory) snapshotDue() bool {
	gap := m.kept / snapshotPart
	if !m.more {
		gap = min(gap, maxSnapshotGap)
	}
	return m.runner.State.LastCounted >= m.kept+max(minSnapshotGap, gap)
}

// snapshot saves a snapshot, even if the process is being stopped. It returns the number of its last counted outcome.
func (p *Planner) snapshot(ctx context.Context, r *replay.Replayer) int64 {
	saving, cancel := outlast(ctx, stopGrace)
	defer cancel()
	var state []byte
	err := p.env.Cores.Use(saving, replay.Heavy, func(func() error) (err error) {
		state, err = r.Snapshot()
		return err
	})
	if err == nil {
		err = p.env.Store.SaveSnapshot(saving, p.id, r.State.Plans, state)
	}
	if err != nil && !errors.Is(err, study.ErrNotFound) {
		p.env.Report(p.id, fmt.Errorf("study: the snapshot was not saved: %w", err))
	}
	return r.State.LastCounted
}

// Leave ends planning: it saves a snapshot if many outcomes were counted since the last one, and
// frees the lease. When the process stops, a lease that has expired needs no write.
func (p *Planner) Leave(ctx context.Context) error {
	m := p.memory
	if p.leads() && m.runner != nil && m.runner.State.LastCounted >= m.kept+minSnapshotGap {
		p.memory.kept = p.snapshot(ctx, m.runner)
	}
	if ctx.Err() != nil && !p.until.After(p.env.Clock()) {
		return nil
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

// A deck is the planned questions that are unclaimed. A deeper deck serves more concurrent respondents; in a shallower one,
// questions rest on more recent answers. So its depth follows demand: twice the number of questions claimed between the last two
// checks, and at least half as deep as at the last one, because checks come at irregular times. A deeper deck does no harm later
// in the study: the strategy itself waits for 1/64 more answers before it updates.
type deck struct {
	known   bool
	claimed int // at the last check
	depth   int // at the last check
}

// wanted returns how many more questions to plan, given the numbers of planned and unclaimed ones, and the deck as of
// this check. It is 0 while the deck is more than half full. A full deck has at least two hands.
func (d deck) wanted(planned, unclaimed, answers, hand int) (deck, int) {
	claimed := planned - unclaimed
	depth := max(minDepth, answers/answersPerQuestion, 2*hand)
	if d.known {
		depth = max(depth, 2*(claimed-d.claimed), d.depth/2)
	}
	d = deck{known: true, claimed: claimed, depth: min(depth, maxDepth)}
	if !d.low(unclaimed) {
		return d, 0
	}
	return d, d.depth - unclaimed
}

// low reports whether the deck is at most half full.
func (d deck) low(unclaimed int) bool { return unclaimed <= d.depth/2 }

// FirstQuestions returns how many questions to plan when a study begins with answers.
func FirstQuestions(answers, hand int) int {
	_, wanted := deck{}.wanted(0, 0, answers, hand)
	return wanted
}
