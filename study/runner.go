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
)

// A runner is a strategy as it stands after the plans so far.
type runner struct {
	arms     *choice.Catalogue
	strategy *strategy.Racing
	state    runnerState
}

// runnerState is what a snapshot holds besides the strategy's.
type runnerState struct {
	Plans   int                `json:"plans"` // applied so far
	Upto    int64              `json:"upto"`  // outcomes told
	Next    Position           `json:"next"`  // of the next question
	Out     map[Position][]int `json:"out"`   // questions without an outcome
	Answers int                `json:"answers"`
	Digest  string             `json:"digest"` // of what was told, see [Verdict]
}

// A DivergedError says that a log does not lead to what it says it does.
type DivergedError struct {
	Plan    int
	Problem string
}

func (e *DivergedError) Error() string { return fmt.Sprintf("study: plan %d: %s", e.Plan, e.Problem) }

// newRunner is the strategy of a study before the first plan.
func newRunner(s Study, saved []byte) (*runner, error) {
	loaded, err := catalogue.Load(bytes.NewReader(saved), int64(len(saved)), "the catalogue of "+s.Name)
	if err != nil {
		return nil, err
	}
	racing, err := strategy.NewRacing(loaded.Arms, s.Settings.Strategy)
	if err != nil {
		return nil, err
	}
	return &runner{arms: loaded.Arms, strategy: racing, state: runnerState{Out: map[Position][]int{}}}, nil
}

// tell tells the strategy the outcomes up to a number that stand. log has all outcomes after the
// last that was told.
func (r *runner) tell(log []Outcome, upto int64) error {
	for at, o := range log {
		if o.Number > upto {
			break
		}
		if o.Number <= r.state.Upto || o.Kind == Undone || o.Kind == Answered && undone(log[at+1:], o.Position, upto) {
			continue
		}
		question, out := r.state.Out[o.Position]
		if !out {
			return fmt.Errorf("outcome %d is of question %d, which is not out", o.Number, o.Position)
		}
		var err error
		if o.Kind == Answered {
			r.state.Answers++
			err = r.strategy.Tell(choice.Answer{Question: question, Picks: o.Picks, Respondent: o.Respondent, Segment: o.Segment})
		} else {
			err = r.strategy.Lose(question)
		}
		if err != nil {
			return fmt.Errorf("outcome %d: %w", o.Number, err)
		}
		delete(r.state.Out, o.Position)
		r.state.Digest = digest(r.state.Digest, o)
	}
	r.state.Upto = upto
	return nil
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

// undone reports whether an answer was taken back: the next outcome of its question is that.
func undone(later []Outcome, position Position, upto int64) bool {
	at := slices.IndexFunc(later, func(o Outcome) bool { return o.Position == position })
	return at >= 0 && later[at].Kind == Undone && later[at].Number <= upto
}

// ask asks the strategy for up to so many questions.
func (r *runner) ask(most int) ([][]int, error) {
	var questions [][]int
	for range most {
		q, err := r.strategy.Ask()
		if errors.Is(err, strategy.ErrStopped) || errors.Is(err, strategy.ErrWaiting) {
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

// apply does again what a plan did, and checks that the same comes of it. log has all outcomes after
// the last that was told.
func (r *runner) apply(p Plan, log []Outcome) error {
	if p.Number != r.state.Plans+1 || p.Upto < r.state.Upto || p.First != r.state.Next {
		return &DivergedError{p.Number, "it does not follow the one before"}
	}
	if err := r.tell(log, p.Upto); err != nil {
		return &DivergedError{p.Number, err.Error()}
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
	return json.Marshal(savedRunner{state, r.state})
}

func (r *runner) restore(data []byte) error {
	var saved savedRunner
	if err := json.Unmarshal(data, &saved); err != nil {
		return err
	}
	restored, err := strategy.Restore(r.arms, saved.Strategy)
	if err != nil {
		return err
	}
	racing, ok := restored.(*strategy.Racing)
	if !ok {
		return errors.New("study: the snapshot is of another strategy")
	}
	r.strategy, r.state = racing, saved.State
	return nil
}

// catchUp applies the plans that a runner does not know yet.
func (r *runner) catchUp(ctx context.Context, store Store, id string) error {
	const page = 1000
	for {
		plans, err := store.Plans(ctx, id, r.state.Plans, page)
		if err != nil || len(plans) == 0 {
			return err
		}
		log, err := logAfter(ctx, store, id, r.state.Upto)
		if err != nil {
			return err
		}
		for _, p := range plans {
			if err := r.apply(p, log); err != nil {
				return err
			}
		}
	}
}

// logAfter returns all outcomes after one.
func logAfter(ctx context.Context, store Outcomes, id string, after int64) ([]Outcome, error) {
	const page = 10_000
	var all []Outcome
	for {
		some, err := store.Log(ctx, id, after, page)
		if err != nil || len(some) == 0 {
			return all, err
		}
		all = append(all, some...)
		after = some[len(some)-1].Number
	}
}
