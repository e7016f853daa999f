// Package prospects estimates, before the first answer, how many answers a study needs, and how settings change that.
//
//	expected := prospects.New(catalogue).Expect(prospects.Questionnaire{Settings: settings, Picks: 1, Each: 10})
package prospects

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
	"bestpick/strategy/majority"
)

// An Expectation estimates, before the first answer, how many answers a study needs: half of all studies need between Low and
// High, as many below Median as above. People is the number of respondents that give Median answers.
type Expectation struct {
	Low    float64 `json:"low"`
	Median float64 `json:"median"`
	High   float64 `json:"high"`
	People float64 `json:"people"`

	features int     // independent features of the arms
	learning float64 // the share of answers that grows with the number of features
}

// Rounded returns the expectation with two significant digits.
func (e Expectation) Rounded() Expectation {
	e.Low, e.Median, e.High, e.People = twoDigits(e.Low), twoDigits(e.Median), twoDigits(e.High), twoDigits(e.People)
	return e
}

func twoDigits(x float64) float64 {
	if !(x >= 1 && x <= math.MaxFloat64) {
		return math.Ceil(x)
	}
	unit := max(1, math.Pow(10, math.Floor(math.Log10(x))-1))
	return math.Round(x/unit) * unit
}

// WithFeatures returns the expectation for arms with another number of independent features, all
// else being equal. Only what is learned about features costs more, not direct comparisons.
func (e Expectation) WithFeatures(features int) Expectation {
	factor := 1 + e.learning*(moreFeatures(e.features, features)-1)
	e.Low, e.Median, e.High, e.People, e.features = factor*e.Low, factor*e.Median, factor*e.High, factor*e.People, features
	return e
}

// moreFeatures is how much longer a study takes with more features, from simulations.
func moreFeatures(now, then int) float64 {
	return math.Pow(float64(max(then, 1))/float64(max(now, 1)), 1.3)
}

// The prices are the one place where the estimate is calibrated: what a race takes, relative to the prediction of a [rehearsal],
// and the standard deviation of the logarithm of that. TestLongExpectation and TestLongMajorityExpectation measure both:
//
//	go test -tags long -run 'TestLong.*Expectation' -v ./simulate
const (
	linearPrice  = 1.05
	linearSpread = 0.45
)

// majorityPrice is the price under majority. People who answer many questions teach less with each, and few arms are all
// compared with each other while the first questions are asked.
func majorityPrice(arms, each int) float64 {
	return 0.85 * math.Pow(float64(each), 0.14) * math.Pow(min(1, float64(arms)/8), 0.65)
}

// majoritySpread is the standard deviation under majority.
func majoritySpread(each int) float64 { return 0.6 + 0.15/float64(each) }

// The sizes that bound the work of an estimate.
const (
	drawnPreferences = 36
	drawnArms        = 2048 // of a large catalogue, evenly spaced
	drawnFeatures    = 32   // beyond, answers are extrapolated
	bestArms         = 24   // of these, in a rehearsal: the best
	otherArms        = 16   // and some of the others
)

// spreads returns the standard deviations of utilities over the arms that preferences are drawn with.
func spreads() []float64 { return []float64{0.7, 1.3, 2} }

// Prospects are possible preferences in a study of some arms. In whitened coordinates ([choice.Whiten]) every direction of θ is
// equally likely, and utilities have a standard deviation of 0.7, 1.3 or 2 over the arms. So there are close and clear races, as
// many as the arms lead to. All respondents share the preferences. The draws depend on the arms alone.
//
// For each of them a race is rehearsed: its questions are planned for the known θ, and their expected
// information is added until it suffices. This takes no answers, so that it is fast. What races with
// unknown θ take, relative to that, is calibrated by simulations.
type Prospects struct {
	arms      int
	features  int     // independent ones
	electable bool    // by majority
	groups    float64 // of a product
	scale     float64 // for features beyond those drawn
	draws     []prospect
}

// New draws preferences for the arms of a catalogue. Arms that do not differ have none, and a study of them takes no answers.
func New(c *choice.Catalogue) *Prospects {
	p := &Prospects{arms: c.Len(), features: min(c.Dim(), c.Len()-1), electable: majority.CheckArms(c) == nil}
	reduced := fewer(c)
	white, err := choice.Whiten(reduced)
	if err != nil {
		return p
	}
	p.groups = survey.Groups(white.Product())
	if p.scale = 1; c.Dim() > drawnFeatures {
		p.scale = moreFeatures(min(white.Dim(), drawnFeatures), p.features)
	}
	for i := range drawnPreferences {
		rng := rand.New(survey.NewPCG(uint64(i)))
		theta := make([]float64, white.Dim())
		for k := range theta {
			theta[k] = rng.NormFloat64()
		}
		floats.Scale(spreads()[i%len(spreads())]/floats.Norm(theta, 2), theta)
		p.draws = append(p.draws, newProspect(white, theta))
	}
	return p
}

// fewer returns a catalogue with at most drawnArms arms and drawnFeatures features: evenly spaced arms,
// and random combinations of the features. Products remain as they are.
func fewer(c *choice.Catalogue) *choice.Catalogue {
	if c.Product() != nil || c.Len() <= drawnArms && c.Dim() <= drawnFeatures {
		return c
	}
	combine := newProjection(c.Dim())
	var ids []string
	var rows [][]float64
	for _, arm := range evenly(c.Len(), drawnArms) {
		ids, rows = append(ids, c.ID(arm)), append(rows, combine.row(c.Arm(arm)))
	}
	features := make([]string, len(rows[0]))
	for k := range features {
		features[k] = strconv.Itoa(k)
	}
	reduced, err := choice.NewCatalogue(ids, features, rows)
	if err != nil {
		return c
	}
	return reduced
}

// A projection reduces vectors to drawnFeatures random combinations of their entries. Vectors of mean
// square one keep that on average. It is nil if there are no more entries.
type projection [][]float64

func newProjection(dim int) projection {
	if dim <= drawnFeatures {
		return nil
	}
	rng := rand.New(survey.NewPCG(drawnPreferences))
	p := make(projection, drawnFeatures)
	for i := range p {
		p[i] = make([]float64, dim)
		for k := range p[i] {
			p[i][k] = rng.NormFloat64() / math.Sqrt(float64(dim))
		}
	}
	return p
}

// row returns the combinations, or a copy.
func (p projection) row(x []float64) []float64 {
	if p == nil {
		return slices.Clone(x)
	}
	y := make([]float64, len(p))
	for i := range p {
		y[i] = floats.Dot(p[i], x)
	}
	return y
}

// evenly returns at most the given number of indices below n, evenly spaced.
func evenly(n, most int) []int {
	indices := make([]int, min(n, most))
	for i := range indices {
		indices[i] = i * n / len(indices)
	}
	return indices
}

// newProspect returns the utilities at θ, and the arms that matter in a race: the best ones and some
// others. In a race of profiles, the best one meets the profiles that differ from it in one attribute.
func newProspect(white *choice.Catalogue, theta []float64) prospect {
	var arms []int
	if product := white.Product(); product != nil {
		best := product.Best(product.Utilities(theta))
		arms = append([]int{best}, product.Changes(best)...)
	} else {
		for arm := range white.Len() {
			arms = append(arms, arm)
		}
	}
	utilities := make(map[int]float64, len(arms))
	for _, arm := range arms {
		utilities[arm] = white.Utility(arm, theta)
	}
	slices.SortStableFunc(arms, func(a, b int) int { return cmp.Compare(utilities[b], utilities[a]) })
	var p prospect
	for _, arm := range arms {
		p.utilities = append(p.utilities, utilities[arm])
	}
	best := min(len(arms), bestArms)
	chosen := slices.Clone(arms[:best])
	for _, i := range evenly(len(arms)-best, otherArms) {
		chosen = append(chosen, arms[best+i])
	}
	reduce := newProjection(white.Dim())
	for _, arm := range chosen {
		p.rows, p.rehearsed = append(p.rows, reduce.row(white.Arm(arm))), append(p.rehearsed, utilities[arm])
	}
	return p
}

// Expect estimates how many answers a study with a questionnaire needs. It is deterministic.
func (p *Prospects) Expect(q Questionnaire) Expectation {
	if len(p.draws) == 0 || q.Settings.Top != 0 {
		return Expectation{}
	}
	q = q.withDefaults()
	q.Settings.K = min(q.Settings.K, p.arms)
	q.Picks = min(q.Picks, q.Settings.K-1)
	e, spread, least := Expectation{features: p.features}, linearSpread, 0.0
	if q.Settings.Assume == strategy.Majority {
		spread, least = majoritySpread(q.Each), float64(q.Each)*q.fewestPeople(p.arms)
	}
	var answers []float64
	for i := range p.draws {
		learning, comparing := p.rehearse(&p.draws[i], q)
		for _, z := range deciles() {
			answers = append(answers, least+max(0, learning+comparing-least)*math.Exp(spread*z))
		}
		e.learning += learning / (learning + comparing) / float64(len(p.draws))
	}
	slices.Sort(answers)
	e.Low, e.Median, e.High = answers[len(answers)/4], answers[len(answers)/2], answers[3*len(answers)/4]
	e.People = math.Ceil(e.Median / float64(q.Each))
	return e
}

// fewestPeople returns about how many people a study by majority needs at least: each multiplies the capital against an arm by
// at most 1 + λ(½ + ε) for the largest stake λ = 1.9, about two, until it is (arms-1)/δ without the people who may be fakes.
func (q Questionnaire) fewestPeople(arms int) float64 {
	return math.Log2(float64(arms-1)/q.Settings.Delta) + float64(q.Settings.Fakes)
}

// deciles returns the quantiles 0.1, 0.3, 0.5, 0.7 and 0.9 of a standard normal distribution.
func deciles() []float64 { return []float64{-1.2816, -0.5244, 0, 0.5244, 1.2816} }

// rehearse predicts the answers that a race takes: those from which it learns about features, whose number
// grows with the number of features, and direct comparisons.
func (p *Prospects) rehearse(draw *prospect, q Questionnaire) (learning, comparing float64) {
	const start, feature, duel, credible = 3, 0.3, 4, 1.5 // nats
	s := q.Settings
	r := newRehearsal(q, s.Epsilon/p.groups, draw)
	if s.Assume == strategy.Majority {
		learning = p.scale * r.answersUntil(credible)
		price := majorityPrice(p.arms, q.Each)
		return price * learning, price * r.electing(math.Log(1/s.Delta)+start)
	}
	threshold := math.Log(1 / (s.Delta * (1 - s.Fallback)))
	learning = p.scale * r.answersUntil(threshold+start+feature*float64(len(draw.rows[0])))
	if comparing = float64(p.arms) / float64(len(draw.utilities)) * r.duelling(threshold+duel); comparing < learning {
		return 0, linearPrice * comparing
	}
	return linearPrice * learning, 0
}
