package baseline

import (
	"cmp"
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/strategy"
)

// Adaptive is BAI-Lin-MNL-Adap (Algorithm 2, in full in the appendix): batches of questions that do
// not depend on the answers within the batch, each followed by eliminating the arms that are
// certainly worse than another. Later batches shrink only the differences of the active arms.
// Adaptive discards the answers of earlier batches, so that the bound of a batch is for questions
// fixed in advance.
//
// A batch ends by the uncertainty of its questions alone (see [BatchRule]), so all of its questions
// may be outstanding at once; then Ask waits for the answers. The strategy returns the last active
// arm, as in the main text; the appendix returns the best of all arms by the last estimate, which
// may be an arm eliminated long ago.
type Adaptive struct {
	baseline

	greedy design.Greedy
	state  adaptiveState
}

// adaptiveState is the part of a snapshot that baseline does not have.
type adaptiveState struct {
	Ledger   strategy.Ledger `json:"ledger"`
	Active   []int           `json:"active"`   // arms not eliminated
	Asked    int             `json:"asked"`    // in all
	Answered int             `json:"answered"` // in all
	Planned  int             `json:"planned"`  // questions of this batch planned so far
	Counted  int             `json:"counted"`  // answers of this batch
	Closed   bool            `json:"closed"`   // no more questions in this batch
	Target   float64         `json:"target"`   // the uncertainty below which the batch ends
}

// NewAdaptive returns BAI-Lin-MNL-Adap.
func NewAdaptive(c *choice.Catalogue, settings Settings) (*Adaptive, error) {
	b, err := newBaseline(adaptive, c, settings)
	if err != nil {
		return nil, err
	}
	a := &Adaptive{baseline: b}
	a.greedy = design.NewGreedy(a.precision, a.settings.Criterion, a.settings.Ties, a.rng)
	for arm := range c.Len() {
		a.state.Active = append(a.state.Active, arm)
	}
	d := float64(c.Dim())
	a.state.Target = a.settings.Alpha / (d*(d+1) + 1) // α·ρ_0/n_0
	return a, nil
}

// Ask returns a lost question, or the next question of the batch.
func (a *Adaptive) Ask() (choice.Question, error) {
	if a.decided() {
		return nil, strategy.ErrStopped
	}
	if q, ok := a.state.Ledger.AskAgain(); ok {
		a.state.Asked++
		return q, nil
	}
	if a.state.Closed {
		return nil, strategy.ErrWaiting
	}
	a.state.Asked++
	a.state.Planned++
	if a.state.Planned <= a.settings.Explore {
		a.question = randomQuestion(a.rng, a.question, a.settings.K, a.catalogue.Len())
		for _, arm := range a.question {
			a.precision.Show(arm)
		}
	} else {
		a.question = a.greedy.Question(a.question[:0], a.settings.K)
		a.state.Closed = a.progress() < a.state.Target
	}
	return a.state.Ledger.Ask(a.question), nil
}

// progress returns ρ_j/t, literally or normalised.
func (a *Adaptive) progress() float64 {
	rho := a.greedy.Uncertainty()
	if a.settings.Batches == Literal {
		return rho / float64(a.state.Planned)
	}
	return rho
}

// Tell counts an answer. The last answer of a batch starts the next batch.
func (a *Adaptive) Tell(answer choice.Answer) error {
	if err := answer.Check(a.catalogue.Len()); err != nil {
		return err
	}
	if err := a.state.Ledger.Settle(answer.Question); err != nil {
		return err
	}
	a.state.Answered++
	a.state.Counted++
	if err := a.estimate.tally.Add(answer); err != nil {
		return err
	}
	if !a.state.Closed || a.state.Counted < a.state.Planned {
		return nil
	}
	a.closeBatch()
	return nil
}

// closeBatch estimates from the answers of the batch, eliminates arms (Lemma 2) and opens the next
// batch.
func (a *Adaptive) closeBatch() {
	clear(a.estimate.theta)
	a.estimate.update()
	width := a.width(a.state.Planned)
	for _, better := range a.rivals() {
		a.state.Active = slices.DeleteFunc(a.state.Active, func(arm int) bool {
			lead := a.estimate.utilities[better] - a.estimate.utilities[arm]
			if lead == 0 { // of copies keep the first
				return better < arm && slices.Equal(a.catalogue.Arm(better), a.catalogue.Arm(arm))
			}
			return lead > 0 && a.estimate.decides(a.bound, better, arm, width, a.precision)
		})
	}
	if a.decided() {
		return
	}
	a.state.Target = a.settings.Alpha * a.progress()
	a.state.Planned, a.state.Counted, a.state.Closed = 0, 0, false
	a.precision.Reset(a.settings.Mu)
	a.greedy.Activate(a.state.Active)
	a.estimate.tally.Reset()
}

// manyRivals is the number of arms that all others are compared with at the end of a batch, if
// there are too many to compare all pairs.
const manyRivals = 64

// rivals returns the active arms that may eliminate others: all of them, or of very many the best
// by the estimate. An arm that only other rivals would eliminate stays active for another batch.
func (a *Adaptive) rivals() []int {
	rivals := slices.Clone(a.state.Active)
	if a.catalogue.Len() > design.MaxProducts && len(rivals) > manyRivals {
		slices.SortStableFunc(rivals, func(i, j int) int {
			return cmp.Compare(a.estimate.utilities[j], a.estimate.utilities[i])
		})
		rivals = rivals[:manyRivals]
	}
	return rivals
}

// decided reports whether only one arm is active.
func (a *Adaptive) decided() bool { return len(a.state.Active) == 1 }

// Lose queues a question to be asked again.
func (a *Adaptive) Lose(q choice.Question) error {
	if err := a.state.Ledger.Lose(q); err != nil {
		return err
	}
	a.state.Asked--
	return nil
}

// Verdict returns the active arms, the best of them by the estimate of the last batch first.
func (a *Adaptive) Verdict() strategy.Verdict {
	v := strategy.Verdict{Asked: a.state.Asked, Answered: a.state.Answered, Contenders: slices.Clone(a.state.Active)}
	v.Elimination = strategy.NewElimination(a.catalogue, 0, len(v.Contenders)-1)
	if a.decided() {
		v.Status = strategy.Decided
	}
	best, top := 0, math.Inf(-1)
	for at, arm := range v.Contenders {
		if u := a.estimate.utilities[arm]; u > top {
			best, top = at, u
		}
	}
	v.Contenders[0], v.Contenders[best] = v.Contenders[best], v.Contenders[0]
	v.Leader = v.Contenders[0]
	return v
}
