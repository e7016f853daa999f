// Package checks tests whether answers fit the model: one softmax, the same for all respondents and
// at all times, with utilities linear in the features. The certificate of a strategy is valid only
// if they do.
//
// # Use
//
// [Study] checks recorded answers, in the order in which they were given:
//
//	s, err := checks.NewStudy(catalogue)
//	…
//	for _, answer := range answers {
//		err := s.Tell(answer)
//		…
//	}
//	finding := s.Look() // finding.Status is Fits, Doubtful or Refuted
//
// A running strategy uses a [Monitor], which observes each pick with the prediction made for it. [Rules]
// say what is no evidence; they do not depend on preferences. A [Finding] describes the result.
//
// # Method
//
// Each check is a bet against the model. It predicts every pick from earlier answers by a richer
// model. Its capital is
//
//	E_t = ∏ q(y_s) / sup_θ ∏ p_θ(y_s),
//
// the probability of the picks under the richer model, divided by their largest probability under
// the plain one. If the plain model holds with some θ*, then ∏ q/p_θ* is a non-negative martingale
// with mean 1 and E is never larger. By Ville's inequality E ever reaches 1/α with probability at
// most α, at any number of looks.
//
// All richer models but one tilt the plain model's own predictions p̄, so that
//
//	log E = log ∏ p̄/sup_θ ∏ p_θ + log ∏ q/p̄.
//
// The first term, the price of not knowing θ, is the same for all checks and computed once per
// look. It grows as (d/2)·log t; so, as in [evidence.Anytime], a part of the capital is invested
// later, when θ is better known.
package checks

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
)

// A Pick is one pick of an answer, with the prediction made before the pick was known.
type Pick struct {
	Arms       []int            // the arms to pick from
	Shown      []int            // their rows of features
	Slots      []int            // their slots on the screen
	Shares     []float64        // the plain model's prediction
	Belief     *evidence.Belief // the belief that the prediction was made with
	Picked     int              // the index of the picked arm in Arms
	Respondent string           // empty if unknown

	person int // the respondent's number, −1 if unknown
}

// A Monitor makes all checks on the answers of a study. It observes every pick before the pick is
// counted in the tally, and weighs the bets at a look. It is not safe for concurrent use.
type Monitor struct {
	arms  *choice.Catalogue
	shown *choice.Catalogue // the rows of features, whitened
	tally *choice.Tally
	state State

	capacity int            // the number of respondents remembered
	index    map[string]int // of the respondents
	prices   []*evidence.Anytime
	shared   *evidence.Anytime // its workspace is used for the prices
}

// State is the state of a Monitor apart from the tally.
type State struct {
	Respondents []string `json:"respondents,omitempty"` // remembered ones
	Met         int      `json:"met"`                   // respondents in all
	Position    position `json:"position"`
	Appeal      appeal   `json:"appeal"`
	Context     context  `json:"context"`
	Clicks      clicks   `json:"clicks"`
	Drift       drift    `json:"drift"`
	People      people   `json:"people"`

	Before float64 `json:"before"` // picks before the monitor began
	Begun  int     `json:"begun"`  // starts in all
	Starts []start `json:"starts"`

	Evidence []float64 `json:"evidence"` // the largest so far, of each check
	Said     []string  `json:"said"`     // its sentence at that time
	Combined float64   `json:"combined"` // the largest so far, of all checks together
	Now      float64   `json:"now"`      // of all checks together at the last look
	Carried  float64   `json:"carried"`  // from before the arms changed
}

// A start is a part of the capital, invested at one time.
type start struct {
	Weight float64               `json:"weight"`
	Price  evidence.AnytimeState `json:"price"`
	Theta  []float64             `json:"theta"` // where the plain model fits best since then
}

// keptStarts is the number of starts kept: the first and the latest. The capital of the others is
// given up, so that the cost of a look is bounded.
const keptStarts = 3

// State returns the state, for Restore.
func (m *Monitor) State() State {
	s := m.state
	s.Starts = slices.Clone(s.Starts)
	for k, price := range m.prices {
		s.Starts[k].Price = price.State()
	}
	return s
}

// Restore sets the state to one that State returned for the same arms and tally.
func (m *Monitor) Restore(s State) {
	m.prices = make([]*evidence.Anytime, len(s.Starts))
	for k := range s.Starts {
		m.prices[k] = m.price()
		m.prices[k].Restore(s.Starts[k].Price)
	}
	m.state = s
	m.reindex()
}

// Succeed makes m continue the checks of another monitor of the same study, which had other arms.
// It multiplies the evidence from now on by the other's evidence at a look just made.
func (m *Monitor) Succeed(other *Monitor) {
	m.state.Carried = min(other.state.Now, 0)
	m.state.Now = m.state.Carried
	m.state.Evidence, m.state.Said, m.state.Combined = other.state.Evidence, other.state.Said, other.state.Combined
}

// Share makes the monitor use the workspace of evidence on the same tally, which must not look at
// the same time.
func (m *Monitor) Share(other *evidence.Anytime) {
	m.shared = other
	for _, price := range m.prices {
		price.Share(other)
	}
}

// price returns evidence without invested capital.
func (m *Monitor) price() *evidence.Anytime {
	price := evidence.NewAnytime(m.shown, m.tally, 1)
	if m.shared != nil {
		price.Share(m.shared)
	}
	return price
}

// NewMonitor returns the checks of answers about arms. shown has their rows of features in whitened
// coordinates, and tally counts the answers.
func NewMonitor(arms, shown *choice.Catalogue, tally *choice.Tally) *Monitor {
	m := &Monitor{arms: arms, shown: shown, tally: tally, capacity: maxRespondents, state: State{
		Before: tally.Picks(), Evidence: make([]float64, checkCount), Said: make([]string, checkCount),
		Drift: drift{Belief: evidence.NewBelief(shown.Dim()), Information: make([]float64, shown.Dim()*shown.Dim())},
	}}
	m.reindex()
	m.begin()
	return m
}

func (m *Monitor) reindex() {
	m.index = make(map[string]int, len(m.state.Respondents))
	for i, name := range m.state.Respondents {
		m.index[name] = i
	}
	m.state.Appeal.reindex()
	m.state.Context.reindex()
}

// all returns the bets of the checks, in the order of [All].
func (m *Monitor) all() []*bets {
	s := &m.state
	return []*bets{&s.Position.bets, &s.Appeal.bets, &s.Context.bets, &s.Clicks.bets, &s.Drift.bets, &s.People.bets}
}

// alternatives returns the number of bets of each check, listed or not.
func (m *Monitor) alternatives() []float64 {
	n := float64(m.arms.Len())
	return []float64{1, n, n * (n - 1), float64(len(clickShares()) * len(sureness())), 1, float64(len(differences()))}
}

// Observe settles the bets on a pick.
func (m *Monitor) Observe(p Pick) {
	p.person = -1
	if p.Respondent != "" {
		p.person = m.meet(p.Respondent)
	}
	m.Predict(math.Log(p.Shares[p.Picked]))
	m.state.Position.observe(p)
	m.state.Appeal.observe(p, m.shown)
	m.state.Context.observe(p, m.shown)
	m.state.Clicks.observe(p)
	m.state.Drift.observe(p, m.shown)
	m.state.People.observe(p, m.shown)
}

// Predict records the log-probability given to what no check bets on: a choice other than a pick of
// the best arm, or that the best arm is picked instead of another answer. Observe records that of
// its pick.
func (m *Monitor) Predict(logProbability float64) {
	for _, price := range m.prices {
		price.Predict(logProbability)
	}
}

// clicking returns the log-odds that a respondent clicks at random rather than picks like the
// others; 0 for an unknown respondent. Do not exclude respondents by it: it measures agreement with
// others.
func (m *Monitor) clicking(respondent string) float64 {
	if at, known := m.index[respondent]; known && at < len(m.state.Clicks.Clicking) {
		return m.state.Clicks.Clicking[at][0]
	}
	return 0
}

// begin invests a part of the capital: 1/((k+1)(k+2)) of it in the k-th start. These shares sum to
// 1.
func (m *Monitor) begin() {
	k := float64(m.state.Begun)
	m.state.Begun++
	at := len(m.prices)
	if at == keptStarts {
		// Keep the first start; give up the oldest of the others.
		at--
		copy(m.prices[1:], m.prices[2:])
		copy(m.state.Starts[1:], m.state.Starts[2:])
		for _, b := range m.all() {
			copy(b.Marks[1:], b.Marks[2:])
		}
	} else {
		m.prices, m.state.Starts = append(m.prices, nil), append(m.state.Starts, start{})
	}
	m.prices[at] = m.price()
	m.prices[at].Start(1)
	m.state.Starts[at] = start{Weight: 1 / ((k + 1) * (k + 2)), Theta: make([]float64, m.shown.Dim())}
	for _, b := range m.all() {
		b.mark(at)
	}
}

// leastLog keeps logs finite.
const leastLog = -1e9

// Look computes the evidence of all checks. theta is near the best fit of the plain model.
func (m *Monitor) Look(theta []float64) Finding {
	prices := make([]float64, len(m.prices))
	for k, anytime := range m.prices {
		s := &m.state.Starts[k]
		if k == 0 {
			copy(s.Theta, theta)
		}
		prices[k] = math.Inf(-1)
		if look, settled := anytime.Look(s.Theta); settled {
			prices[k] = math.Log(s.Weight) + look.Least()
			copy(s.Theta, look.Theta)
		} else {
			copy(s.Theta, theta)
		}
	}
	alternatives := m.alternatives()
	together := make([]float64, checkCount)
	for c, b := range m.all() {
		parts := make([]float64, len(prices))
		top := 0
		for k, price := range prices {
			parts[k] = price + b.value(k, alternatives[c])
			if parts[k] > parts[top] {
				top = k
			}
		}
		together[c] = m.state.Carried + choice.LogSumExp(parts)
		if together[c] > m.state.Evidence[c] {
			m.state.Evidence[c], m.state.Said[c] = together[c], m.sentence(Check(c), b.best(top))
		}
	}
	m.state.Now = max(choice.LogSumExp(together)-math.Log(float64(checkCount)), leastLog)
	m.state.Combined = max(m.state.Combined, m.state.Now)
	if m.tally.Picks()-m.state.Before >= 8*float64(m.shown.Dim()+1)*math.Pow(4, float64(m.state.Begun-1)) {
		m.begin()
	}
	return m.Finding()
}
