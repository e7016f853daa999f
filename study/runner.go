package study

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"bestpick/catalogue"
	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// A runner is a strategy as it stands after the plans so far.
type runner struct {
	settings racing.Settings
	arms     *catalogue.Saved // all there are, perhaps more than the plans so far know
	strategy *racing.Racing   // nil before the first plan
	state    runnerState
}

// runnerState is what a snapshot holds besides the strategy's.
type runnerState struct {
	Plans     int                `json:"plans"`            // the number of the last that was applied
	Afresh    int                `json:"afresh,omitempty"` // the number of the one that began afresh
	Began     Position           `json:"began,omitempty"`  // its first: questions before that are of plans that were removed
	Arms      int                `json:"arms"`             // of the catalogue that the plans know
	Withdrawn []int              `json:"withdrawn,omitempty"`
	Upto      int64              `json:"upto"` // outcomes told
	Next      Position           `json:"next"` // of the next question
	Out       map[Position][]int `json:"out"`  // questions without an outcome
	Answers   int                `json:"answers"`
	Digest    string             `json:"digest"` // of what was told, see [Verdict]
}

// A DivergedError says that a log does not lead to what it says it does.
type DivergedError struct {
	Plan    int
	Problem string
}

func (e *DivergedError) Error() string { return fmt.Sprintf("study: plan %d: %s", e.Plan, e.Problem) }

// newRunner is what a study is before the first plan.
func newRunner(s Study, saved []byte) (*runner, error) {
	loaded, err := catalogue.Load(bytes.NewReader(saved), int64(len(saved)), "the catalogue of "+s.Name)
	if err != nil {
		return nil, err
	}
	return &runner{settings: s.Settings.Strategy, arms: loaded, state: runnerState{Out: map[Position][]int{}}}, nil
}

// change lets arms come and go: there are so many of the catalogue now, and some are withdrawn. The
// first time it makes the strategy.
func (r *runner) change(arms int, withdrawn []int) error {
	if arms < r.state.Arms || !r.has(arms) {
		return fmt.Errorf("there are %d arms after %d, of %d", arms, r.state.Arms, r.arms.Arms.Len())
	}
	var err error
	switch first := r.arms.First(arms).Arms; {
	case r.strategy == nil:
		r.strategy, err = racing.New(first, r.settings)
	case arms > r.state.Arms:
		err = r.strategy.Extend(first)
	}
	if err != nil {
		return err
	}
	r.state.Arms = arms
	for _, arm := range withdrawn {
		if err := r.strategy.Withdraw(arm); err != nil {
			return err
		}
		r.state.Withdrawn = append(r.state.Withdrawn, arm)
	}
	return nil
}

// follow lets arms come and go as the owner wants, and puts into a plan what has changed.
func (r *runner) follow(study Study, plan *Plan) error {
	arms := study.Arms
	if arms == 0 {
		arms = r.arms.Arms.Len()
	}
	if arms > r.state.Arms {
		plan.Arms = arms
	}
	for _, arm := range study.Withdrawn {
		if !slices.Contains(r.state.Withdrawn, arm) {
			plan.Withdrawn = append(plan.Withdrawn, arm)
		}
	}
	if plan.Arms == 0 && plan.Withdrawn == nil {
		return nil
	}
	return r.change(arms, plan.Withdrawn)
}

// has reports whether the first so many of the catalogue can be all there are.
func (r *runner) has(arms int) bool {
	return arms == r.arms.Arms.Len() || arms >= 2 && arms < r.arms.Arms.Len() && r.arms.Arms.Product() == nil
}

// tell tells the strategy outcomes up to a number, as far as they stand. log has what follows the
// last that was told, as far as it is known: what comes after the number says which answers were
// taken back.
func (r *runner) tell(log []Outcome, upto int64) error {
	back := takenBack(log)
	for at, o := range log {
		if o.Number > upto {
			break
		}
		if o.Kind != Undone && o.Kind != Erased && !back[at] {
			if err := r.tellOne(o); err != nil {
				return fmt.Errorf("outcome %d: %w", o.Number, err)
			}
			r.state.Digest = digest(r.state.Digest, o)
		}
		r.state.Upto = o.Number
	}
	return nil
}

func (r *runner) tellOne(o Outcome) error {
	answer := choice.Answer{Question: o.Shown, Picks: o.Picks, Respondent: o.Respondent, Segment: o.Segment}
	if o.Kind == Imported {
		r.state.Answers++
		return r.strategy.Import(answer)
	}
	if o.Position < r.state.Began {
		if o.Kind != Answered {
			return nil // the strategy knows nothing of the question
		}
		r.state.Answers++
		return r.strategy.Recount(answer)
	}
	question, out := r.state.Out[o.Position]
	if !out {
		return fmt.Errorf("question %d is not out", o.Position)
	}
	delete(r.state.Out, o.Position)
	if o.Kind != Answered {
		return r.strategy.Lose(question)
	}
	r.state.Answers++
	answer.Question = question
	return r.strategy.Tell(answer)
}

// takenBack says for each outcome whether it was taken back: an answer is if the next outcome of its
// question says so.
func takenBack(log []Outcome) []bool {
	next, back := map[Position]Kind{}, make([]bool, len(log))
	for at, o := range slices.Backward(log) {
		back[at] = o.Kind == Answered && next[o.Position] == Undone
		next[o.Position] = o.Kind
	}
	return back
}

// digest is the hash of an earlier digest and one more outcome.
func digest(before string, o Outcome) string {
	o.Asked, o.At = o.Asked.UTC().Truncate(time.Microsecond), o.At.UTC().Truncate(time.Microsecond)
	text, err := json.Marshal(o)
	if err != nil {
		panic("study: " + err.Error())
	}
	sum := sha256.Sum256(append([]byte(before), text...))
	return hex.EncodeToString(sum[:])
}

// ask asks the strategy for up to so many questions.
func (r *runner) ask(most int) ([][]int, error) {
	var questions [][]int
	for range most {
		q, err := r.strategy.Ask()
		if errors.Is(err, strategy.ErrStopped) {
			break
		}
		if err != nil {
			return nil, err
		}
		r.state.Out[r.state.Next] = slices.Clone(q)
		r.state.Next++
		questions = append(questions, slices.Clone(q))
	}
	return questions, nil
}

// apply does again what a plan did, and checks that the same comes of it. log has the outcomes that
// were known and not told.
func (r *runner) apply(p Plan, log []Outcome) error {
	if p.Afresh != nil {
		if err := r.begin(p); err != nil {
			return &DivergedError{p.Number, err.Error()}
		}
	}
	if p.Number != r.state.Plans+1 || p.Upto < r.state.Upto || p.Known < p.Upto || p.First != r.state.Next {
		return &DivergedError{p.Number, "it does not follow the one before"}
	}
	arms := p.Arms
	if arms == 0 {
		arms = r.state.Arms
		if r.strategy == nil {
			arms = r.arms.Arms.Len()
		}
	}
	if err := r.change(arms, p.Withdrawn); err != nil {
		return &DivergedError{p.Number, err.Error()}
	}
	if err := r.tell(log, p.Upto); err != nil {
		return &DivergedError{p.Number, err.Error()}
	}
	if r.state.Upto != p.Upto {
		return &DivergedError{p.Number, fmt.Sprintf("it tells outcomes up to %d, the log has them up to %d", p.Upto, r.state.Upto)}
	}
	questions, err := r.ask(len(p.Questions))
	if err != nil {
		return err
	}
	r.state.Plans = p.Number
	if !slices.EqualFunc(questions, p.Questions, slices.Equal) {
		return &DivergedError{p.Number, fmt.Sprintf("the questions are %v, the log says %v", questions, p.Questions)}
	}
	if p.Verdict != nil && !bytes.Equal(p.Verdict, r.verdict().written()) {
		return &DivergedError{p.Number, "the verdict is another one"}
	}
	return nil
}

// begin begins anew, in place of plans that were removed.
func (r *runner) begin(p Plan) error {
	if r.state.Plans > 0 {
		return errors.New("it begins afresh, but there are plans before")
	}
	r.settings.Seed = p.Afresh.Seed
	r.state.Plans, r.state.Afresh = p.Number-1, p.Number
	r.state.Next, r.state.Began = p.First, p.First
	return r.change(p.Afresh.Arms, nil)
}

// reason says whether the study is over, and why.
func (r *runner) reason(budget int) Reason {
	switch status := r.strategy.Verdict().Status; {
	case status == strategy.Certified:
		return Certified
	case status == strategy.Decided:
		return Refuted
	case budget > 0 && r.state.Answers >= budget:
		return Spent
	}
	return ""
}

// The name and version of a snapshot ([strategy.Seal]). The version changes with savedRunner.
const (
	snapshotName    = "study"
	snapshotVersion = 1
)

// savedRunner is a snapshot.
type savedRunner struct {
	Strategy json.RawMessage `json:"strategy"`
	State    runnerState     `json:"state"`
}

func (r *runner) snapshot() ([]byte, error) {
	state, err := r.strategy.Snapshot()
	if err != nil {
		return nil, err
	}
	return strategy.Seal(snapshotName, snapshotVersion, savedRunner{state, r.state})
}

// restore loads a snapshot. On any error, such as a snapshot of an earlier version, r is unchanged and
// the caller replays the plans.
func (r *runner) restore(data []byte) error {
	var saved savedRunner
	if err := strategy.Unseal(data, snapshotName, snapshotVersion, &saved); err != nil {
		return err
	}
	if !r.has(saved.State.Arms) {
		return errors.New("study: the snapshot is of another catalogue")
	}
	restored, err := racing.Restore(r.arms.First(saved.State.Arms).Arms, saved.Strategy)
	if err != nil {
		return err
	}
	r.strategy, r.state = restored, saved.State
	return nil
}

// catchUp applies the plans that a runner does not know yet, up to a number.
func (r *runner) catchUp(ctx context.Context, store Store, id string, last int) error {
	const page = 100
	for r.state.Plans < last {
		plans, err := store.Plans(ctx, id, r.state.Plans, min(page, last-r.state.Plans))
		if err != nil || len(plans) == 0 {
			return err
		}
		known := int64(0)
		for _, p := range plans {
			known = max(known, p.Known)
		}
		log, err := logBetween(ctx, store, id, r.state.Upto, known)
		if err != nil {
			return err
		}
		for _, p := range plans {
			known, _ := split(log, p.Known)
			if err := r.apply(p, known); err != nil {
				return err
			}
			_, log = split(log, p.Upto)
		}
	}
	return nil
}

// unlessErased returns why plans could not be done again: ErrChanged if somebody was erased since a study was read, or
// what went wrong otherwise.
func unlessErased(ctx context.Context, store Studies, study Study, wrong error) error {
	now, err := store.Study(ctx, study.ID)
	if err == nil && now.Afresh != study.Afresh {
		return ErrChanged
	}
	return wrong
}

// lastPlan returns the number of the last plan, 0 if there is none.
func lastPlan(ctx context.Context, store Plans, id string) (int, error) {
	plan, err := store.Last(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	return plan.Number, err
}

// split divides a log after the outcome with a number.
func split(log []Outcome, upto int64) (before, after []Outcome) {
	at, _ := slices.BinarySearchFunc(log, upto+1, func(o Outcome, number int64) int { return int(o.Number - number) })
	return log[:at], log[at:]
}

// logBetween returns the outcomes after one, up to another.
func logBetween(ctx context.Context, store Outcomes, id string, after, upto int64) ([]Outcome, error) {
	const page = 10_000
	var all []Outcome
	for after < upto {
		some, err := store.Log(ctx, id, after, int(min(page, upto-after)))
		if err != nil || len(some) == 0 {
			return all, err
		}
		all = append(all, some...)
		after = some[len(some)-1].Number
	}
	return all, nil
}
