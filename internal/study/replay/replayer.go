package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"bestpick/choice"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// A Replayer is the strategy of a study after the plans applied so far.
type Replayer struct {
	settings study.Settings
	salt     string             // of the study
	Arms     *archive.Catalogue // all arms, perhaps more than the plans so far contain
	strategy racing.Race        // nil before the first plan
	State    State

	handsEnded time.Time // by the present plan, see [study.Verdict]
}

// A State is the part of a snapshot besides the strategy's state.
type State struct {
	Plans       int                      `json:"plans"`            // the number of the last applied plan
	RestartPlan int                      `json:"afresh,omitempty"` // the number of the plan that restarted
	Began       study.Position           `json:"began,omitempty"`  // its First: earlier questions belong to removed plans
	Arms        int                      `json:"arms"`             // number of arms in the plans so far
	Withdrawn   []int                    `json:"withdrawn,omitempty"`
	People      []int64                  `json:"people,omitempty"` // whom the owner excluded, see [study.Study]
	LastCounted int64                    `json:"upto"`             // the last counted outcome
	Next        study.Position           `json:"next"`             // the position of the next question
	Dealt       study.Position           `json:"dealt,omitempty"`  // the position after the last hand
	Out         map[study.Position][]int `json:"out"`              // questions without an outcome
	Answers     int                      `json:"answers"`
	Guiding     int                      `json:"guiding,omitempty"`  // see [study.Verdict]
	Excluded    int                      `json:"excluded,omitempty"` // see [study.Verdict]
	Erased      []time.Time              `json:"erased,omitempty"`   // when people's data was deleted, each at another time
	From        time.Time                `json:"from,omitzero"`      // see [study.Verdict]
	Until       time.Time                `json:"until,omitzero"`     // see [study.Verdict]
	Turnout     turnout                  `json:"turnout,omitzero"`
	Watch       watch                    `json:"watch,omitzero"`
	Barred      map[string]bool          `json:"barred,omitempty"`    // people who are no evidence, by the rule on networks
	Used        map[string]*used         `json:"used,omitempty"`      // by the names of people with hands
	Hands       []hand                   `json:"hands,omitempty"`     // that have not ended, in the order of arrival
	Abandoned   []study.Position         `json:"abandoned,omitempty"` // see [Replayer.Abandoned]
	Ended       bool                     `json:"ended,omitempty"`     // see [study.Verdict]
	Settings    string                   `json:"settings,omitempty"`  // see [study.Verdict]
	Catalogue   string                   `json:"catalogue,omitempty"` // see [study.Verdict]
	Digest      string                   `json:"digest"`              // see [study.Verdict]

	Leaderboard *study.Leaderboard  `json:"leaderboard,omitempty"` // the last one
	RankedBy    strategy.Assumption `json:"ranked_by,omitempty"`   // of that leaderboard
	Within      *float64            `json:"within,omitempty"`      // the smallest certified ε, in the end
}

// New returns the replayer of a study before its first plan.
func New(s study.Study, saved []byte) (*Replayer, error) {
	loaded, err := archive.Load(bytes.NewReader(saved), int64(len(saved)), "the catalogue of "+s.Name)
	if err != nil {
		return nil, err
	}
	return &Replayer{settings: s.Settings, salt: s.Salt, Arms: loaded, State: State{Out: map[study.Position][]int{}}}, nil
}

// change adds the catalogue's arms up to a number, withdraws some, and excludes people. The first call creates the strategy.
func (r *Replayer) change(arms int, withdrawn []int, people []int64) error {
	if arms < r.State.Arms || !r.has(arms) {
		return fmt.Errorf("a plan with %d arms cannot follow one with %d in a catalogue of %d", arms, r.State.Arms, r.Arms.Arms.Len())
	}
	var err error
	switch first := r.Arms.First(arms).Arms; {
	case r.strategy == nil:
		r.strategy, err = racing.New(first, r.settings.Strategy)
	case arms > r.State.Arms:
		err = r.strategy.Extend(first)
	}
	if err != nil {
		return err
	}
	if arms > r.State.Arms || len(withdrawn) > 0 {
		r.State.Leaderboard = nil // it is about other arms
	}
	if arms > r.State.Arms {
		if r.State.Catalogue, err = linkArms(r.State.Catalogue, r.Arms, r.State.Arms, arms); err != nil {
			return err
		}
	}
	r.State.Arms = arms
	for _, arm := range withdrawn {
		if err := r.strategy.Withdraw(arm); err != nil {
			return err
		}
		r.State.Withdrawn = append(r.State.Withdrawn, arm)
	}
	return r.exclude(people)
}

// Follow applies the owner's changes of settings and arms, and adds changes of arms to the plan.
func (r *Replayer) Follow(st study.Study, plan *study.Plan) error {
	r.State.Ended = st.State == study.Done
	r.State.Settings = Terms(st)
	arms := st.Arms
	if arms == 0 {
		arms = r.Arms.Arms.Len()
	}
	if arms > r.State.Arms {
		plan.Arms = arms
	}
	for _, arm := range st.Withdrawn {
		if !slices.Contains(r.State.Withdrawn, arm) {
			plan.Withdrawn = append(plan.Withdrawn, arm)
		}
	}
	for _, arrival := range st.Excluded {
		if !slices.Contains(r.State.People, arrival) {
			plan.People = append(plan.People, arrival)
		}
	}
	if plan.Arms == 0 && plan.Withdrawn == nil && plan.People == nil {
		return nil
	}
	return r.change(arms, plan.Withdrawn, plan.People)
}

// exclude lets the strategy certify only what holds with and without people. Their answers are no part of the budget.
func (r *Replayer) exclude(people []int64) error {
	for _, arrival := range people {
		dealer := r.dealer()
		if dealer == nil || slices.Contains(r.State.People, arrival) {
			return fmt.Errorf("the person of arrival %d cannot be excluded", arrival)
		}
		if err := dealer.Exclude(); err != nil {
			return err
		}
		r.State.People = append(r.State.People, arrival)
		for _, u := range r.State.Used {
			if u.Arrival == arrival {
				u.Out = true
				r.refund(u)
			}
		}
	}
	return nil
}

// has reports whether a study can have exactly the first arms of the catalogue, up to a number.
func (r *Replayer) has(arms int) bool {
	return arms == r.Arms.Arms.Len() || arms >= 2 && arms < r.Arms.Arms.Len() && r.Arms.Arms.Product() == nil
}

// tell tells the strategy the standing outcomes up to a number. log has the outcomes after the last counted one, and every
// later undo of them: answers that were undone are not counted. tell calls pause after every outcome and ends when pause
// returns an error; for errEnough it returns nil.
func (r *Replayer) tell(log []study.Outcome, upto int64, pause func() error) error {
	back := takenBack(log)
	for at, o := range log {
		if o.Number > upto {
			break
		}
		o = o.Sealed(r.salt)
		if o.Kind != study.Undone && o.Kind != study.Erased && !back[at] {
			omitted := r.leavesOut(o)
			if err := r.tellOne(o); err != nil {
				return fmt.Errorf("outcome %d: %w", o.Number, err)
			}
			if omitted {
				r.State.Excluded++
			} else {
				r.State.Turnout.add(o, r.settings)
			}
			r.State.Watch.add(o, r.settings)
		}
		r.State.Digest = link(r.State.Digest, "outcome", o.Normal())
		r.State.LastCounted = o.Number
		if o.Kind == study.Erased && !slices.ContainsFunc(r.State.Erased, o.At.Equal) {
			r.State.Erased = append(r.State.Erased, o.At)
		}
		if err := pause(); errors.Is(err, errEnough) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// Count tells the strategy the outcomes of a slice that can no longer be undone: all of them if the study is done. It reports
// whether more can be counted now.
func (r *Replayer) Count(st study.Study, untold Slice, now time.Time, pause func() error) (more bool, err error) {
	var upto int64
	switch n := len(untold.Log); {
	case n == 0:
		return false, nil
	case st.State == study.Done:
		upto = untold.Log[n-1].Number
	default:
		upto = Settled(untold.Log, r.State.LastCounted, r.State.Arms, now, st.Settings.Grace)
	}
	if upto == r.State.LastCounted {
		return false, nil
	}
	err = r.tell(untold.all(), upto, pause)
	return untold.more(r.State.LastCounted, upto), err
}

// tellOne tells the strategy an outcome.
func (r *Replayer) tellOne(o study.Outcome) error {
	answer := choice.Answer{Question: o.Shown, Picks: o.Picks, Respondent: o.Respondent, Segment: o.Segment}
	switch o.Kind { //nolint:exhaustive // the others belong to questions, below
	case study.Imported:
		r.State.Answers++
		if r.dealer() != nil {
			r.State.Guiding++
		}
		return r.strategy.Import(answer)
	case study.Arrived:
		return r.arrive(o)
	case study.Answered:
		r.State.Until = o.At
		if r.State.From.IsZero() {
			r.State.From = o.At
		}
	}
	if r.dealer() != nil {
		return r.tellPerson(o, answer)
	}
	if o.Position < r.State.Began {
		if o.Kind != study.Answered || r.leavesOut(o) {
			return nil // the new strategy has not asked this question, or does not count its answer
		}
		r.State.Answers++
		return r.strategy.Recount(answer)
	}
	question, out := r.State.Out[o.Position]
	if !out {
		return fmt.Errorf("question %d is not open", o.Position)
	}
	delete(r.State.Out, o.Position)
	further := r.State.Turnout.settle(o.Position)
	switch {
	case o.Kind == study.Answered && !r.leavesOut(o):
		r.State.Answers++
		answer.Question = question
		return r.teller(further)(answer)
	case further:
		return nil
	}
	return r.strategy.Lose(question)
}

// takenBack reports for each outcome whether it is an answer that the next outcome of its question undoes.
func takenBack(log []study.Outcome) []bool {
	next, back := map[study.Position]study.Kind{}, make([]bool, len(log))
	for at, o := range slices.Backward(log) {
		back[at] = o.Kind == study.Answered && next[o.Position] == study.Undone
		next[o.Position] = o.Kind
	}
	return back
}

// Conclude adds a plan, complete except for its verdict, to the digest, and returns the verdict.
func (r *Replayer) Conclude(p study.Plan) study.Verdict {
	of := r.strategy.Verdict()
	r.report(of, p.Done != "" || r.State.Ended)
	v := r.verdict(of)
	r.State.Digest = linkPlan(r.State.Digest, v, p)
	v.Digest = r.State.Digest
	return v
}

// Ask asks the strategy for at most this number of questions.
func (r *Replayer) Ask(most int) ([][]int, error) {
	var questions [][]int
	size := study.Position(r.settings.HandSize())
	for range most {
		if size > 0 && (r.State.Next-max(r.State.Dealt, r.State.Began))%size == 0 {
			r.dealer().Begin(int(size))
		}
		q, err := r.strategy.Ask()
		if errors.Is(err, strategy.ErrStopped) && r.isEarly() {
			q, err = r.further(), nil
		}
		if errors.Is(err, strategy.ErrStopped) || errors.Is(err, strategy.ErrWaiting) {
			break
		}
		if err != nil {
			return nil, err
		}
		r.State.Out[r.State.Next] = slices.Clone(q)
		r.State.Next++
		questions = append(questions, slices.Clone(q))
	}
	return questions, nil
}

// Begin starts over with a plan that replaces all earlier ones.
func (r *Replayer) Begin(p study.Plan) error {
	if r.State.Plans > 0 {
		return errors.New("it begins afresh, but there are plans before")
	}
	r.settings.Strategy.Seed = p.Restart.Seed
	r.State.Plans, r.State.RestartPlan = p.Number-1, p.Number
	r.State.Next, r.State.Began = p.First, p.First
	return r.change(p.Restart.Arms, nil, nil)
}

// Reason returns why the study is over, empty if it is not.
func (r *Replayer) Reason(budget int) study.Reason {
	switch status := r.status(r.strategy.Verdict().Status); {
	case status == strategy.Certified:
		return study.Certified
	case status == strategy.Decided:
		return study.Refuted
	case status == strategy.Cyclic:
		return study.Cyclic
	case budget > 0 && r.State.Answers >= budget:
		return study.Spent
	}
	return ""
}

// The name and version of a snapshot ([strategy.Seal]). The version changes with savedRunner.
const (
	snapshotName    = "study"
	snapshotVersion = 1
)

// savedRunner is a snapshot, see [Replayer.Snapshot].
type savedRunner struct {
	Strategy json.RawMessage `json:"strategy"`
	State    State           `json:"state"`
}

// Snapshot returns the state, from which a later Replayer continues.
func (r *Replayer) Snapshot() ([]byte, error) {
	saved, err := r.strategy.Snapshot()
	if err != nil {
		return nil, err
	}
	state, err := json.Marshal(r.State)
	if err != nil {
		return nil, err
	}
	// What Seal would write for a savedRunner, without another two copies of the strategy's tens of megabytes.
	return strategy.SealEncoded(snapshotName, snapshotVersion, []byte(`{"strategy":`), saved, []byte(`,"state":`), state,
		[]byte(`}`)), nil
}

// Restore loads a snapshot. On any error, such as a snapshot of another version, r is unchanged and the caller replays the plans.
func (r *Replayer) Restore(data []byte) error {
	var saved savedRunner
	if err := strategy.Unseal(data, snapshotName, snapshotVersion, &saved); err != nil {
		return err
	}
	if !r.has(saved.State.Arms) {
		return errors.New("study: the snapshot is of another catalogue")
	}
	restored, err := racing.Restore(r.Arms.First(saved.State.Arms).Arms, saved.Strategy)
	if err != nil {
		return err
	}
	r.strategy, r.State = restored, saved.State
	return nil
}

// UnlessErased returns ErrChanged if a respondent was erased after the study was read, and otherwise the given error.
func UnlessErased(ctx context.Context, store study.Studies, st study.Study, wrong error) error {
	now, err := store.Study(ctx, st.ID)
	if err == nil && now.RestartPlan != st.RestartPlan {
		return study.ErrChanged
	}
	return wrong
}

// LastPlan returns the number of the last plan, 0 if there is none.
func LastPlan(ctx context.Context, store study.Plans, id string) (int, error) {
	plan, err := lastPlan(ctx, store, id)
	return plan.Number, err
}

// lastPlan returns the last plan, the zero value if there is none.
func lastPlan(ctx context.Context, store study.Plans, id string) (study.Plan, error) {
	plan, err := store.LastPlan(ctx, id)
	if errors.Is(err, study.ErrNotFound) {
		return study.Plan{}, nil
	}
	return plan, err
}

// Split divides a log after the outcome with a number.
func Split(log []study.Outcome, upto int64) (before, after []study.Outcome) {
	at, _ := slices.BinarySearchFunc(log, upto+1, func(o study.Outcome, number int64) int { return int(o.Number - number) })
	return log[:at], log[at:]
}

// maxListed is the maximum number of contenders in a recorded verdict, and maxInSegment that in the verdict about a segment,
// with the leader.
const (
	maxListed    = 100
	maxInSegment = 11
)

// Verdict returns the verdict after the outcomes counted so far.
func (r *Replayer) Verdict() study.Verdict {
	if r.strategy == nil {
		return study.NoVerdict(r.settings)
	}
	return r.verdict(r.strategy.Verdict())
}

func (r *Replayer) verdict(v strategy.Verdict) study.Verdict {
	contenders := v.Standings[:min(maxListed, len(v.Standings))]
	return study.Verdict{
		Status: r.status(v.Status).String(), Leader: v.Leader, Contenders: contenders,
		Others:   v.Others + len(v.Standings) - len(contenders),
		Forecast: v.Forecast, Progress: v.Progress, Early: v.Early, Verifying: v.Verifying, Answered: v.Answered, Model: v.Model,
		Assumption: v.Assumption, Misfits: v.Misfits, Cycle: v.Cycle,
		Respondents: v.Respondents, Answering: v.Answering, Arrived: v.Arrived, Finished: v.Finished,
		Guiding: r.State.Guiding, Excluded: r.State.Excluded, Erased: len(r.State.Erased), ByHand: len(r.State.People),
		From: r.State.From, Until: r.State.Until,
		Proven: v.Proven, Partial: v.Partial, Missing: v.Missing, Withstands: v.Withstands, FirstChoice: v.FirstChoice,
		Doubts: v.Doubts, Signs: r.State.Watch.Signs,
		Segments: r.listSegments(v.Segments), SegmentsDiffer: v.SegmentsDiffer, Top: v.Top, Outside: v.Outside,
		Ended: r.State.Ended, Leaderboard: r.State.Leaderboard, CertifiedEpsilon: r.State.Within, HandsEnded: r.handsEnded,
		Settings: r.State.Settings, Catalogue: r.State.Catalogue, Digest: r.State.Digest,
	}
}

// listSegments returns the verdicts about segments with at most [maxInSegment] contenders each.
func (r *Replayer) listSegments(all []strategy.SegmentVerdict) []strategy.SegmentVerdict {
	for i := range all {
		s := &all[i]
		s.Status = r.status(s.Status)
		listed := min(maxInSegment, len(s.Contenders))
		s.Others, s.Contenders = len(s.Contenders)-listed, s.Contenders[:listed]
	}
	return all
}

// Place sets the number and positions that the store gave to the plan with which a replayer began.
func (r *Replayer) Place(plan study.Plan) {
	r.State.Plans, r.State.RestartPlan = plan.Number, plan.Number
	for i := range r.State.Turnout.Further {
		r.State.Turnout.Further[i] += plan.First - r.State.Began
	}
	r.State.Began, r.State.Next = plan.First, plan.First+study.Position(len(plan.Questions))
	clear(r.State.Out)
	for i, q := range plan.Questions {
		r.State.Out[plan.First+study.Position(i)] = slices.Clone(q)
	}
}
