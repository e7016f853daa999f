package baseline

import (
	"slices"

	"bestpick/choice"
	"bestpick/design"
)

// adaptive is BAI-Lin-MNL-Adap (Algorithm 2, in full in the appendix): batches of questions that do not depend on the answers
// within the batch, each followed by eliminating the arms that are certainly worse than another. Later batches shrink only the
// differences of the active arms. It discards the answers of earlier batches, so that the bound of a batch is for questions fixed
// in advance.
//
// A batch ends by the uncertainty of its questions alone (see [BatchRule]), so all of its questions may be outstanding at once;
// then Ask waits for the answers. The strategy returns the last active arm, as in the main text; the appendix returns the best of
// all arms by the last estimate, which may be an arm eliminated long ago.
type adaptive struct {
	*runner

	greedy  *design.Greedy
	active  []int   // arms not eliminated
	planned int     // questions of this batch planned so far
	counted int     // answers of this batch
	closed  bool    // no more questions in this batch
	target  float64 // the uncertainty below which the batch ends
}

func newAdaptive(r *runner) policy {
	a := &adaptive{runner: r, greedy: design.NewGreedy(r.precision, r.settings.Criterion, r.settings.Ties, r.rng)}
	for arm := range r.catalogue.Len() {
		a.active = append(a.active, arm)
	}
	d := float64(r.catalogue.Dim())
	a.target = r.settings.Alpha / (d*(d+1) + 1) // α·ρ_0/n_0
	return a
}

// next returns the next question of the batch.
func (a *adaptive) next(q choice.Question) (choice.Question, bool) {
	if a.closed {
		return nil, false
	}
	if a.planned++; a.planned <= a.settings.Explore {
		q = a.randomQuestion(q)
		a.show(q)
		return q, true
	}
	q = a.greedy.Question(q, a.settings.K)
	a.closed = a.progress() < a.target
	return q, true
}

// progress returns ρ_j/t, literally or normalised.
func (a *adaptive) progress() float64 {
	rho := a.greedy.Uncertainty()
	if a.settings.Batches == Literal {
		return rho / float64(a.planned)
	}
	return rho
}

// count counts an answer. The last answer of a batch starts the next batch.
func (a *adaptive) count(answer choice.Answer) error {
	a.counted++
	if err := a.estimate.tally.Add(answer); err != nil {
		return err
	}
	if a.closed && a.counted >= a.planned {
		a.closeBatch()
	}
	return nil
}

// closeBatch estimates from the answers of the batch, eliminates arms (Lemma 2) and opens the next batch.
func (a *adaptive) closeBatch() {
	clear(a.estimate.theta)
	a.estimate.update()
	width := a.bound.Width(a.planned)
	for _, better := range slices.Clone(a.active) {
		a.active = slices.DeleteFunc(a.active, func(arm int) bool {
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
	a.target = a.settings.Alpha * a.progress()
	a.planned, a.counted, a.closed = 0, 0, false
	a.precision.Reset(a.settings.Mu)
	a.greedy.Activate(a.active)
	a.estimate.tally.Reset()
}

// decided reports whether only one arm is active.
func (a *adaptive) decided() bool { return len(a.active) == 1 }

// contenders returns the active arms, the best of them by the estimate of the last batch first.
func (a *adaptive) contenders() []int {
	contenders := slices.Clone(a.active)
	best := 0
	for at, arm := range contenders {
		if a.estimate.utilities[arm] > a.estimate.utilities[contenders[best]] {
			best = at
		}
	}
	contenders[0], contenders[best] = contenders[best], contenders[0]
	return contenders
}
