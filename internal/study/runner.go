package study

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
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// A runner is a strategy as it stands after the plans so far.
type runner struct {
	settings racing.Settings
	arms     *archive.Catalogue // all there are, perhaps more than the plans so far know
	strategy *racing.Racing     // nil before the first plan
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
	Rule      rule               `json:"rule,omitempty"`      // what Digest covers
	Settings  string             `json:"settings,omitempty"`  // see [Verdict]
	Catalogue string             `json:"catalogue,omitempty"` // see [Verdict]
	Digest    string             `json:"digest"`              // see [Verdict]
}

// A DivergedError reports a plan that does not follow from the log before it. Field names the field
// that differs, if there is a single one.
type DivergedError struct {
	Plan            int
	Field           string
	Found, Expected string
	Problem         string
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("study: plan %d: %s", e.Plan, mismatch(e.Field, e.Found, e.Expected, e.Problem))
}

// mismatch describes a field that differs from its expected value, or else a problem.
func mismatch(field, found, expected, problem string) string {
	if field == "" {
		return problem
	}
	text := fmt.Sprintf("field %s: found %s, expected %s", field, found, expected)
	if problem != "" {
		text += ": " + problem
	}
	return text
}

// newRunner returns the runner of a study before its first plan.
func newRunner(s Study, saved []byte) (*runner, error) {
	loaded, err := archive.Load(bytes.NewReader(saved), int64(len(saved)), "the catalogue of "+s.Name)
	if err != nil {
		return nil, err
	}
	return &runner{settings: s.Settings.Strategy, arms: loaded, state: runnerState{Out: map[Position][]int{}, Rule: allOfIt}}, nil
}

// change adds the catalogue's arms up to a number and withdraws some. The first call makes the
// strategy.
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
	if arms > r.state.Arms && r.state.Rule == allOfIt {
		if r.state.Catalogue, err = linkArms(r.state.Catalogue, r.arms, r.state.Arms, arms); err != nil {
			return err
		}
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

// follow applies the owner's changes of settings and arms, and adds those of arms to the plan.
func (r *runner) follow(study Study, plan *Plan) error {
	if r.state.Rule == allOfIt {
		r.state.Settings = termsOf(study)
	}
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

// tell tells the strategy outcomes up to a number, as far as they stand. log has what follows the last
// outcome that was told, and every later undo of one of these: an answer that was taken back is not told.
// tell calls pause after every outcome and ends when pause returns an error; if that is errEnough it
// returns nil.
func (r *runner) tell(log []Outcome, upto int64, pause func() error) error {
	back := takenBack(log)
	for at, o := range log {
		if o.Number > upto {
			break
		}
		told := o.Kind != Undone && o.Kind != Erased && !back[at]
		if told {
			if err := r.tellOne(o); err != nil {
				return fmt.Errorf("outcome %d: %w", o.Number, err)
			}
		}
		if told || r.state.Rule == allOfIt {
			r.state.Digest = linkOutcome(r.state.Digest, o, r.state.Rule)
		}
		r.state.Upto = o.Number
		if err := pause(); errors.Is(err, errEnough) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// count tells the strategy the outcomes of a slice that can no longer be undone: all of them if the study is
// done. It reports whether more can be told right away.
func (r *runner) count(study Study, untold slice, now time.Time, pause func() error) (more bool, err error) {
	var upto int64
	switch n := len(untold.log); {
	case n == 0:
		return false, nil
	case study.State == Done:
		upto = untold.log[n-1].Number
	default:
		upto = settled(untold.log, r.state, now, study.Settings.Grace)
	}
	if upto == r.state.Upto {
		return false, nil
	}
	err = r.tell(untold.all(), upto, pause)
	return untold.more(r.state.Upto, upto), err
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

// conclude adds a plan, which is complete but for its verdict, to the digest.
func (r *runner) conclude(p Plan) Verdict {
	if r.state.Rule == allOfIt {
		r.state.Digest = linkPlan(r.state.Digest, r.verdict(), p)
	}
	return r.verdict()
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

// apply repeats a plan and checks that the questions and the verdict are those recorded. log has
// the outcomes that were known and not told.
func (r *runner) apply(p Plan, log []Outcome) error {
	if err := r.prepare(p); err != nil {
		return err
	}
	if err := r.tell(log, p.Upto, func() error { return nil }); err != nil {
		return &DivergedError{Plan: p.Number, Problem: err.Error()}
	}
	return r.compare(p)
}

// prepare does again what a plan did before it told outcomes.
func (r *runner) prepare(p Plan) error {
	if err := r.adopt(p); err != nil {
		return err
	}
	if p.Afresh != nil {
		if err := r.begin(p); err != nil {
			return &DivergedError{Plan: p.Number, Problem: err.Error()}
		}
	}
	if err := r.follows(p); err != nil {
		return err
	}
	arms := p.Arms
	if arms == 0 {
		arms = r.state.Arms
		if r.strategy == nil {
			arms = r.arms.Arms.Len()
		}
	}
	if err := r.change(arms, p.Withdrawn); err != nil {
		return &DivergedError{Plan: p.Number, Problem: err.Error()}
	}
	return nil
}

// compare repeats what a plan did after it told outcomes, and compares the questions and the verdict.
func (r *runner) compare(p Plan) error {
	if r.state.Upto != p.Upto {
		return differs(p, "upto", p.Upto, r.state.Upto)
	}
	questions, err := r.ask(len(p.Questions))
	if err != nil {
		return err
	}
	if !slices.EqualFunc(questions, p.Questions, slices.Equal) {
		return otherQuestions(p, questions)
	}
	verdict := r.conclude(p)
	r.state.Plans = p.Number
	if p.Verdict != nil && !bytes.Equal(p.Verdict, verdict.written()) {
		return otherVerdict(p, verdict)
	}
	return nil
}

// adopt takes from a plan's verdict the digest of the settings, which only the planner knew. The
// first plan says which rule digests follow.
func (r *runner) adopt(p Plan) error {
	var recorded Verdict
	if p.Verdict != nil {
		if err := json.Unmarshal(p.Verdict, &recorded); err != nil {
			return &DivergedError{Plan: p.Number, Problem: "the verdict cannot be read: " + err.Error()}
		}
	}
	if r.strategy == nil && recorded.Settings == "" {
		r.state.Rule = outcomesOnly
	}
	if r.state.Rule == allOfIt {
		r.state.Settings = recorded.Settings
	}
	return nil
}

// follows returns an error unless a plan is the next one.
func (r *runner) follows(p Plan) error {
	switch {
	case p.Number != r.state.Plans+1:
		return differs(p, "number", p.Number, r.state.Plans+1)
	case p.First != r.state.Next:
		return differs(p, "first", p.First, r.state.Next)
	case p.Upto < r.state.Upto:
		return differs(p, "upto", p.Upto, fmt.Sprintf("at least %d", r.state.Upto))
	case p.Known < p.Upto:
		return differs(p, "known", p.Known, fmt.Sprintf("at least %d", p.Upto))
	}
	return nil
}

// differs reports a field of a plan that is not as expected.
func differs(p Plan, field string, found, expected any) error {
	return &DivergedError{Plan: p.Number, Field: field, Found: fmt.Sprint(found), Expected: fmt.Sprint(expected)}
}

// otherQuestions names the first arm in which a plan's questions differ from the recomputed ones.
func otherQuestions(p Plan, recomputed [][]int) error {
	e := DivergedError{Plan: p.Number, Problem: "the questions do not follow from the log up to here"}
	e.Field, e.Found, e.Expected = firstDifference("questions", p.Questions, recomputed)
	return &e
}

// otherVerdict names the first field in which a plan's verdict differs from the recomputed one.
func otherVerdict(p Plan, recomputed Verdict) error {
	field, found, expected := firstDifference("verdict", p.Verdict, recomputed)
	problem := ""
	switch field {
	case "verdict.catalogue":
		problem = "the options are not those of the study"
	case "verdict.digest":
		problem = "the study, an option, an outcome or a plan up to here was altered"
	}
	return &DivergedError{Plan: p.Number, Field: field, Found: found, Expected: expected, Problem: problem}
}

// begin starts over with a plan that replaces those before.
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

// savedRunner is a snapshot, see [runner.snapshot].
type savedRunner struct {
	Strategy json.RawMessage `json:"strategy"`
	State    runnerState     `json:"state"`
}

func (r *runner) snapshot() ([]byte, error) {
	saved, err := r.strategy.Snapshot()
	if err != nil {
		return nil, err
	}
	state, err := json.Marshal(r.state)
	if err != nil {
		return nil, err
	}
	// What Seal would write for a savedRunner, without another two copies of the strategy's tens of megabytes.
	return strategy.SealEncoded(snapshotName, snapshotVersion, []byte(`{"strategy":`), saved, []byte(`,"state":`), state, []byte(`}`)), nil
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

// listed is how many contenders a verdict in the log lists.
const listed = 100

// verdict is what is known after the outcomes told so far.
func (r *runner) verdict() Verdict {
	if r.strategy == nil {
		return noVerdict()
	}
	v := r.strategy.Verdict()
	contenders := v.Standings[:min(listed, len(v.Standings))]
	return Verdict{
		Status: v.Status.String(), Leader: v.Leader, Contenders: contenders, Others: v.Others + len(v.Standings) - len(contenders), Forecast: v.Forecast,
		Verifying: v.Verifying, Answered: v.Answered, Model: v.Model, Settings: r.state.Settings, Catalogue: r.state.Catalogue, Digest: r.state.Digest,
	}
}

// place gives a runner that has begun with a plan the number and positions that the plan has got.
func (r *runner) place(plan Plan) {
	r.state.Plans, r.state.Afresh = plan.Number, plan.Number
	r.state.Began, r.state.Next = plan.First, plan.First+Position(len(plan.Questions))
	clear(r.state.Out)
	for i, q := range plan.Questions {
		r.state.Out[plan.First+Position(i)] = slices.Clone(q)
	}
}
