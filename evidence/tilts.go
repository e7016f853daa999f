package evidence

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
)

// Tilts are evidence against single arms that does not pay for nuisance parameters. The answers come in batches. Before a batch
// every arm j may get a direction h, from earlier answers only. Then, for every θ,
//
//	E_t(θ) = ∏_s p_{θ+h_s}(y_s|S_s)/p_θ(y_s|S_s)
//	       = exp Σ_s [ h_s'x_{y_s} − A_s(θ+h_s) + A_s(θ) ],   A_s(θ) = log Σ_{i∈S_s} exp x_i'θ,
//
// is a non-negative martingale with mean 1 if θ is the truth: given the past, Σ_y p_θ(y|S)·p_{θ+h}(y|S)/
// p_θ(y|S) = 1. Unlike the prediction of [Anytime], which is one for all θ, every θ has its own. The
// capital of an arm is invested in such products in parts, at any times,
//
//	T_t(θ) = cash + Σ_m w_m·E^{τ_m}_t(θ),
//
// which is a martingale as well. Each arm has its own capital: a verdict is wrong only if the arm that is truly best was
// eliminated, and that is one arm, whatever the answers. So there is no union over arms.
//
// With h along H⁻¹c, where c'θ is the lead that is to be shown and H the information so far, Σ_s I_s·h_s
// is proportional to c. So to first order log E depends on θ through the lead c'θ alone, and its
// infimum over all θ with the same lead costs nothing: one number is learned instead of d.
//
// In each question h is scaled down so that its range over the arms is at most maxTilt.
//
// Tilts are not safe for concurrent use.
type Tilts struct {
	arms  *choice.Catalogue
	tally *choice.Tally
	state TiltsState

	expansions map[int]*expanded // by arm
	scratch    evaluation
}

// maxTilt is the largest range of a tilt over the arms of a question.
const maxTilt = 0.5

// TiltsState is the state of Tilts apart from the tally.
type TiltsState struct {
	Before  []float64 `json:"before"`  // answers to each question when the present batch began
	Batches []Batch   `json:"batches"` // the complete ones
	List    []Tilt    `json:"list"`
}

// A Batch counts the answers that were given under the same directions.
type Batch struct {
	Questions []int32   `json:"questions"`
	Asked     []float64 `json:"asked"`
}

// A Tilt is the evidence against one arm.
type Tilt struct {
	Arm    int         `json:"arm"`
	Picked float64     `json:"picked"` // Σ_s h_s'x_{y_s}, relative to the least h_s'x_i of the question
	Aims   []Aim       `json:"aims"`
	Starts []tiltStart `json:"starts"`
}

// An Aim is the direction of one batch.
type Aim struct {
	Batch     int       `json:"batch"`
	Direction []float64 `json:"direction"`
}

// A tiltStart is an invested part of the capital: it counts the batches from Batch on.
type tiltStart struct {
	Weight float64 `json:"weight"`
	Batch  int     `json:"batch"`
	Picked float64 `json:"picked"`
}

// NewTilts returns evidence from the answers that are counted in tally from now on.
func NewTilts(arms *choice.Catalogue, tally *choice.Tally) *Tilts {
	return &Tilts{arms: arms, tally: tally, expansions: map[int]*expanded{}}
}

// State returns the state, for Restore.
func (t *Tilts) State() TiltsState { return t.state }

// Restore sets the state to one that State returned for the same tally.
func (t *Tilts) Restore(s TiltsState) {
	t.state = s
	clear(t.expansions)
}

// find returns the evidence against an arm, or nil.
func (t *Tilts) find(arm int) *Tilt {
	for i := range t.state.List {
		if t.state.List[i].Arm == arm {
			return &t.state.List[i]
		}
	}
	return nil
}

// Terms returns the number of terms of an arm that had a direction in every complete batch: the questions
// with answers in each. Time and memory grow with it.
func (t *Tilts) Terms() int {
	terms := 0
	for _, b := range t.state.Batches {
		terms += len(b.Questions)
	}
	return terms
}

// NextBatch ends the present batch. The next one has no directions yet.
func (t *Tilts) NextBatch() {
	maps.DeleteFunc(t.expansions, func(_ int, e *expanded) bool { return !t.aimed(e.tilt) })
	t.state.Batches = append(t.state.Batches, t.present())
	t.state.Before = slices.Clone(t.tally.Asked())
}

// present returns the answers since the last batch.
func (t *Tilts) present() Batch {
	var b Batch
	for q, asked := range t.tally.Asked() {
		if q < len(t.state.Before) {
			asked -= t.state.Before[q]
		}
		if asked > 0 {
			b.Questions, b.Asked = append(b.Questions, int32(q)), append(b.Asked, asked)
		}
	}
	return b
}

// Aim sets an arm's direction for the batch that begins, before any of its answers is counted.
func (t *Tilts) Aim(arm int, direction []float64) {
	tilt := t.find(arm)
	if tilt == nil {
		t.state.List = append(t.state.List, Tilt{Arm: arm})
		tilt = &t.state.List[len(t.state.List)-1]
	}
	tilt.Aims = append(tilt.Aims, Aim{len(t.state.Batches), slices.Clone(direction)})
}

// Start invests a part of an arm's capital from the batch that begins. The arm must have an Aim.
func (t *Tilts) Start(arm int, weight float64) {
	tilt := t.find(arm)
	tilt.Starts = append(tilt.Starts, tiltStart{weight, len(t.state.Batches), tilt.Picked})
}

// aimed reports whether a tilt has a direction in the present batch.
func (t *Tilts) aimed(tilt *Tilt) bool {
	last := len(tilt.Aims) - 1
	return last >= 0 && tilt.Aims[last].Batch == len(t.state.Batches)
}

// Count counts a pick from the arms shown.
func (t *Tilts) Count(shown []int, picked int) {
	if len(t.state.List) == 0 {
		return
	}
	tilts := make([]float64, len(shown))
	for i := range t.state.List {
		tilt := &t.state.List[i]
		if !t.aimed(tilt) {
			continue
		}
		direction := tilt.Aims[len(tilt.Aims)-1].Direction
		for slot, arm := range shown {
			tilts[slot] = t.arms.Utility(arm, direction)
		}
		limit(tilts)
		tilt.Picked += tilts[picked]
	}
}

// limit scales the tilts of a question's arms to a range of at most maxTilt, the least of them zero.
func limit(tilts []float64) {
	least, most := slices.Min(tilts), slices.Max(tilts)
	scale := 1.0
	if most-least > maxTilt {
		scale = maxTilt / (most - least)
	}
	for i := range tilts {
		tilts[i] = scale * (tilts[i] - least)
	}
}

// Log returns the log of the capital at work against an arm, at θ; −∞ if there is none.
func (t *Tilts) Log(arm int, theta []float64) float64 {
	tilt := t.find(arm)
	if tilt == nil || len(tilt.Starts) == 0 {
		return math.Inf(-1)
	}
	e := t.expand(tilt)
	e.evaluate(theta)
	return choice.LogSumExp(e.values)
}

// expanded is a Tilt with its terms: one for every batch and question from the first start on.
type expanded struct {
	*evaluation

	tilts *Tilts
	tilt  *Tilt

	terms    []term
	factors  []float64 // e^{h'x} of the terms, slot by slot
	aims     int       // whose batches are complete, with these numbers of terms and factors
	complete struct{ terms, factors int }

	values []float64 // log w·E of the starts
}

// An evaluation has the values of the terms of the arm that was evaluated last.
type evaluation struct {
	logs   []float64 // log Σ_i p_i·e^{h'x_i} of the terms, at the evaluated θ
	shares []float64 // p_i, slot by slot

	utilities, exps []float64 // of the seen arms
}

// A term is a number of answers to a question in one batch.
type term struct {
	asked    float64
	batch    int32
	question int32
	slot     int32 // of its first factor
}

// places returns the arms of a term's question, see [choice.Tally.Places].
func (e *expanded) places(t term) []int32 { return e.tilts.tally.Places(int(t.question)) }

// expand returns the terms of a tilt that has starts. Those of complete batches are kept.
func (t *Tilts) expand(tilt *Tilt) *expanded {
	e := t.expansions[tilt.Arm]
	if e == nil {
		e = &expanded{evaluation: &t.scratch, tilts: t}
		t.expansions[tilt.Arm] = e
	}
	e.tilt = tilt
	e.terms, e.factors = e.terms[:e.complete.terms], e.factors[:e.complete.factors]
	for _, aim := range tilt.Aims[e.aims:] {
		if aim.Batch == len(t.state.Batches) {
			e.add(aim, t.present())
			break
		}
		if aim.Batch >= tilt.Starts[0].Batch {
			e.add(aim, t.state.Batches[aim.Batch])
		}
		e.aims++
		e.complete.terms, e.complete.factors = len(e.terms), len(e.factors)
	}
	e.logs, e.shares = resized(e.logs, len(e.terms)), resized(e.shares, len(e.factors))
	e.values = make([]float64, len(tilt.Starts))
	return e
}

// add adds the terms of a batch.
func (e *expanded) add(aim Aim, b Batch) {
	tally, seen := e.tilts.tally, e.tilts.tally.Seen()
	for i, q := range b.Questions {
		places, slot := tally.Places(int(q)), len(e.factors)
		e.terms = append(e.terms, term{b.Asked[i], int32(aim.Batch), q, int32(slot)})
		for _, place := range places {
			e.factors = append(e.factors, e.tilts.arms.Utility(seen[place], aim.Direction))
		}
		factors := e.factors[slot:]
		limit(factors)
		for i, x := range factors {
			factors[i] = math.Exp(x)
		}
	}
}

// evaluate sets logs, shares and values at θ.
func (e *expanded) evaluate(theta []float64) {
	seen := e.tilts.tally.Seen()
	e.utilities = resized(e.utilities, len(seen))
	for i, arm := range seen {
		e.utilities[i] = e.tilts.arms.Utility(arm, theta)
	}
	e.evaluateAt(e.utilities)
}

// evaluateAt is evaluate for the utilities of the seen arms.
func (e *expanded) evaluateAt(utilities []float64) {
	starts := e.tilt.Starts
	for m, start := range starts {
		e.values[m] = math.Log(start.Weight) + e.tilt.Picked - start.Picked
	}
	top := slices.Max(utilities)
	e.exps = resized(e.exps, len(utilities))
	for i, u := range utilities {
		e.exps[i] = math.Exp(u - top)
	}
	for at, term := range e.terms {
		places := e.places(term)
		shares, factors := e.shares[term.slot:][:len(places)], e.factors[term.slot:][:len(places)]
		sum := 0.0
		for i, place := range places {
			shares[i] = e.exps[place]
			sum += shares[i]
		}
		if sum < 1e-290 { // far below the best arm
			sum = weighFarBelow(shares, places, utilities)
		}
		tilted := 0.0
		for i := range shares {
			shares[i] /= sum
			tilted += shares[i] * factors[i]
		}
		e.logs[at] = math.Log(tilted)
		for m, start := range starts {
			if start.Batch <= int(term.batch) {
				e.values[m] -= term.asked * e.logs[at]
			}
		}
	}
}

// weighFarBelow sets the weights of a question's arms relative to the best of them, and returns their sum.
func weighFarBelow(weights []float64, places []int32, utilities []float64) float64 {
	top, sum := math.Inf(-1), 0.0
	for _, place := range places {
		top = max(top, utilities[place])
	}
	for i, place := range places {
		weights[i] = math.Exp(utilities[place] - top)
		sum += weights[i]
	}
	return sum
}

// mixed returns the share of the starts that count a term.
func (e *expanded) mixed(t term, mix []float64) float64 {
	sum := 0.0
	for m, start := range e.tilt.Starts {
		if start.Batch <= int(t.batch) {
			sum += mix[m]
		}
	}
	return sum
}

// Drift returns −∇ log T of an arm at θ: Σ_s (E_{θ+h_s}x − E_θ x), over the answers of the starts in
// proportion to their capital. Where it is along c, T depends on θ through c'θ alone, to first order.
func (t *Tilts) Drift(arm int, theta []float64) []float64 {
	sum := make([]float64, t.arms.Dim())
	tilt := t.find(arm)
	if tilt == nil || len(tilt.Starts) == 0 {
		return sum
	}
	e := t.expand(tilt)
	e.evaluate(theta)
	mix := choice.Probabilities(nil, e.values)
	seen := t.tally.Seen()
	picks := make([]float64, len(seen))
	for at, term := range e.terms {
		n, scale := term.asked*e.mixed(term, mix), math.Exp(-e.logs[at])
		shares, factors := e.shares[term.slot:], e.factors[term.slot:]
		for i, place := range e.places(term) {
			picks[place] += n * shares[i] * (factors[i]*scale - 1)
		}
	}
	for i, arm := range seen {
		floats.AddScaled(sum, picks[i], t.arms.Arm(arm))
	}
	return sum
}
