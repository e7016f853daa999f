package strategy

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/evidence"
)

// A Standing is what is known of an arm that is not refuted.
type Standing struct {
	Arm int `json:"arm"`

	// Evidence is a lower bound on the log of the evidence against this arm's being better
	// than the leader by more than ε. It is refuted at log(1/δ).
	Evidence float64 `json:"evidence"`

	// Lead is the leader's estimated lead in utility. The true lead lies between Low and
	// High, of all arms and at all looks at once, with probability 1 − δ.
	Lead float64 `json:"lead"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// A Forecast is how many more answers are likely to be needed.
type Forecast struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`  // with Low and High, an interval that holds the number in
	High   float64 `json:"high"` // four of five studies

	// Known is false while nothing can be said yet; then there are no numbers.
	Known bool `json:"known"`

	// Hopeless says that to tell the best arm, whatever ε is, is likely to take more than any
	// reasonable budget: a hundred thousand answers.
	Hopeless bool `json:"hopeless"`

	// Epsilon is the ε that as many answers again as are in would certify.
	Epsilon float64 `json:"epsilon"`
}

// judge notes, from a look at the evidence, which arms are not refuted and how many
// answers are still needed, and reports whether the leader is certified. An arm that was
// refuted stays so while the leader does: what Ville's inequality bounds is the probability
// that the truth is ever refuted.
func (r *Racing) judge(z float64) bool {
	threshold := math.Log(1 / r.settings.Delta)
	r.weighDuels()
	look, settled := r.evidence.Look(r.state.Least)
	if settled {
		copy(r.state.Least, look.Theta)
	} else {
		clear(r.state.Least)
	}
	if !settled && !r.settings.Model.Clicks {
		r.state.Forecast = Forecast{}
		return false
	}
	radius := math.Inf(1)
	if settled {
		radius = look.Radius(r.settings.Delta)
	}
	if r.views.white != nil && settled {
		r.refuteOthers(look, threshold)
	}
	kept := r.state.Contenders[:0]
	for _, s := range r.state.Contenders {
		if s = r.stand(s.Arm, look, radius); !(s.Evidence >= threshold) { // whatever is not sure stays
			kept = append(kept, s)
		} else {
			r.strike(s.Arm)
		}
	}
	if r.state.Contenders = kept; settled {
		r.refute(look, threshold)
	}
	if len(r.state.Contenders) == 0 && r.state.Others > 0 {
		return false
	}
	if len(r.state.Contenders) == 0 {
		r.state.Forecast = Forecast{}
		return true
	}
	if r.state.Forecast = (Forecast{}); settled {
		r.state.Forecast = r.forecast(z)
	}
	slices.SortStableFunc(r.state.Contenders, func(a, b Standing) int { return cmp.Compare(a.Lead, b.Lead) })
	return false
}

// stand says how an arm stands against the leader, without a search, from a look and its
// radius. There is no look where the evidence is from duels alone.
func (r *Racing) stand(arm int, look *evidence.Look, radius float64) Standing {
	place := r.field.place(arm)
	if look == nil {
		r.guesses[place] = r.duelled[place]
		return Standing{
			Arm: arm, Evidence: max(r.duelled[place], leastEvidence), Lead: r.utilities[r.top()] - r.utilities[place],
			Low: -evidence.MaxSpread, High: evidence.MaxSpread,
		}
	}
	lead, width := look.Lead(r.lead(place))
	r.guesses[place] = choice.LogSumExp([]float64{r.duelled[place], look.Guess(r.z(place))})
	return Standing{
		Arm: arm, Lead: lead,
		Evidence: choice.LogSumExp([]float64{r.duelled[place], look.AgainstLead(lead+r.epsilon, width)}),
		Low:      max(lead-radius*width, -evidence.MaxSpread),
		High:     min(lead+radius*width, evidence.MaxSpread),
	}
}

// leastEvidence is said where there is none at all.
const leastEvidence = -1e9

// lead returns the difference of the leader and the arm at a place.
func (r *Racing) lead(place int) []float64 {
	g := make([]float64, r.field.rows.Dim())
	floats.SubTo(g, r.field.rows.Arm(r.top()), r.field.rows.Arm(place))
	return g
}

// strike notes that an arm is refuted, where it may not stay in the field.
func (r *Racing) strike(arm int) {
	if r.views.white != nil {
		r.state.refute(arm)
	}
}

// refute searches for the evidence against those contenders that are likely to be refuted,
// the most likely first, some at a look, and strikes out the refuted.
func (r *Racing) refute(look *evidence.Look, threshold float64) {
	slices.SortStableFunc(r.state.Contenders, func(a, b Standing) int {
		return cmp.Compare(r.guesses[r.field.place(b.Arm)], r.guesses[r.field.place(a.Arm)])
	})
	kept := r.state.Contenders[:0]
	for at, s := range r.state.Contenders {
		place := r.field.place(s.Arm)
		if at < searches && r.guesses[place] >= threshold-searchMargin && r.worthASearch(s.Arm) {
			found := look.Infimum(r.lead(place), r.epsilon)
			s.Evidence = max(s.Evidence, choice.LogSumExp([]float64{r.duelled[place], found}))
		}
		if !(s.Evidence >= threshold) {
			kept = append(kept, s)
		} else {
			r.strike(s.Arm)
		}
	}
	r.state.Contenders = kept
}

// worthASearch reports whether to search for the evidence against an arm. Where not all arms
// are weighed there are many to search for, and many answers to search in, so one that was
// searched for in vain is left until there are a tenth more answers.
func (r *Racing) worthASearch(arm int) bool {
	if r.field.arms == nil {
		return true
	}
	if r.state.Answered*10 < r.state.Searched[arm]*11 {
		return false
	}
	if r.state.Searched == nil {
		r.state.Searched = map[int]int{}
	}
	r.state.Searched[arm] = r.state.Answered
	return true
}

// everyone is what is known when nothing is.
func (r *Racing) everyone() []Standing {
	var all []Standing
	for place := range r.leads {
		arm := r.field.arm(place)
		if arm != r.state.Leader && r.leads[place] > 0 {
			all = append(all, Standing{
				Arm: arm, Lead: r.utilities[r.top()] - r.utilities[place],
				Low: -evidence.MaxSpread, High: evidence.MaxSpread,
			})
		}
	}
	slices.SortStableFunc(all, func(a, b Standing) int { return cmp.Compare(a.Lead, b.Lead) })
	return all
}

// forecast says how long it will take. If the most doubtful arm's lead is ξ standard
// errors, the evidence E against it goes on as
//
//	E(T) = E(t) + ξ²/2·(T/t − 1) − (d/2)·log(T/t),
//
// the last term being what learning costs. ξ is known up to a standard error: from the
// estimate, and from what the answers to come will do.
func (r *Racing) forecast(z float64) Forecast {
	threshold := math.Log(1 / r.settings.Delta)
	now, epsilon := threshold, 0.0
	for _, s := range r.state.Contenders {
		now = min(now, s.Evidence)
		epsilon = max(epsilon, (s.Lead-s.Low)/math.Sqrt2-s.Lead)
	}
	t, d := float64(r.state.Answered), float64(r.views.judged.Dim())
	if t == 0 {
		return Forecast{}
	}
	when := func(now, xi float64) float64 {
		rate := max(xi, 0) * max(xi, 0) / 2
		evidence := func(ratio float64) float64 { return now + rate*(ratio-1) - d/2*math.Log(ratio) }
		low, high := 1.0, 2.0
		for evidence(high) < threshold {
			if low, high = high, 2*high; high*t > 1e15 {
				return math.Inf(1)
			}
		}
		for range 60 {
			if middle := (low + high) / 2; evidence(middle) < threshold {
				low = middle
			} else {
				high = middle
			}
		}
		return t * (high - 1)
	}
	// Ten per cent of a normal distribution lie beyond 1.28; a quarter more because learning
	// is not known either. TestLongForecast counts how often the range holds.
	const doubt = 1.28 * 1.25
	xi := math.Sqrt(2 * z)
	f := Forecast{
		Known: true, Median: when(now, xi), Low: when(now, xi+doubt), High: when(now, xi-doubt), Epsilon: epsilon * r.groups,
	}
	doubtful := math.Inf(1) // the least lead in standard errors, whatever ε is
	for place, width := range r.leads {
		if width > 0 {
			doubtful = min(doubtful, (r.utilities[r.top()]-r.utilities[place])/math.Sqrt(width))
		}
	}
	f.Hopeless = when(0, doubtful) > certainlyOver
	f.Median, f.Low, f.High = min(f.Median, 1e15), min(f.Low, 1e15), min(f.High, 1e15)
	return f
}

// Verdict says where things stand as of the last look: the contenders by their lead.
func (r *Racing) Verdict() Verdict {
	v := Verdict{
		Leader: r.state.Leader, Asked: r.state.Asked, Answered: r.state.Answered, Contenders: []int{r.state.Leader},
		Model: r.monitor.Finding(),
	}
	if r.state.Decided {
		if v.Status = Certified; v.Model.Status == checks.Refuted && !r.settings.Model.Clicks {
			v.Status = Decided
		}
		return v
	}
	for _, s := range r.state.Contenders {
		v.Contenders = append(v.Contenders, s.Arm)
	}
	v.Others = r.state.Others
	v.Standings = slices.Clone(r.state.Contenders)
	v.Forecast, v.Verifying = r.state.Forecast, slices.Clone(r.state.Verifying)
	return v
}

// Theta returns θ̂ of all answers, for the features of the catalogue as they were given; nil
// where a [Model] has more in it than these, and before the first answer.
func (r *Racing) Theta() []float64 {
	if r.views.slots > 1 || r.views.segments > 1 || r.settings.Model.Intercepts || r.tally.Picks() == 0 {
		return nil
	}
	estimator := choice.Estimator{RidgeOnMean: 1e-6}
	theta := make([]float64, r.catalogue.Dim())
	_, _ = estimator.Fit(choice.NewLinear(r.catalogue, r.tally), theta) // with a ridge there is always a maximum
	return theta
}

// Capital returns the log of the capital at θ, of the features as they were given and with
// nothing else that a [Model] may add, that stands against the arm that is best under θ. At
// the truth it reaches log(1/δ) with probability at most δ, and the verdict can only be wrong
// if it does. After arms have come or gone only the evidence about all of θ counts.
//
// Of a product it is the capital against all best options together.
func (r *Racing) Capital(theta []float64) float64 {
	if p := r.catalogue.Product(); p != nil {
		return r.productCapital(p, theta)
	}
	n, best := r.catalogue.Len(), 0
	own, squares := make([]float64, r.views.judged.Dim()), make([]float64, r.views.judged.Dim())
	for arm := range n {
		u := r.catalogue.Utility(arm, theta)
		for k, x := range r.views.judged.Arm(arm) {
			own[k] += u * x
			squares[k] += x * x
		}
		if u > r.catalogue.Utility(best, theta) {
			best = arm
		}
	}
	for k, square := range squares {
		if square > 0 {
			own[k] /= square
		}
	}
	parts := []float64{r.evidence.Log(own)}
	for _, d := range r.state.Duels {
		if d.Arm == best && !r.state.Changed {
			parts = append(parts, d.Log(r.catalogue.Utility(best, theta)-r.catalogue.Utility(d.Against, theta)))
		}
	}
	return choice.LogSumExp(parts)
}
