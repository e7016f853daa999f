package prospects

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"bestpick/design"
	"bestpick/evidence"
	"bestpick/strategy/internal/survey"
	"bestpick/strategy/majority"
	"bestpick/strategy/racing"
)

// maxRehearsal is the number of answers after which a rehearsal ends.
const maxRehearsal = 1e6

// A Questionnaire is what a study asks of its respondents. An estimate uses K, Delta, Epsilon,
// Assume, Fallback and Fakes of the settings; the model is plain.
type Questionnaire struct {
	Settings racing.Settings

	// Picks is the number of arms ranked in an answer. Defaults to 1.
	Picks int

	// Each is the number of questions per respondent. Defaults to 1.
	Each int
}

func (q Questionnaire) withDefaults() Questionnaire {
	q.Settings = q.Settings.WithDefaults()
	q.Picks, q.Each = max(q.Picks, 1), max(q.Each, 1)
	return q
}

// A prospect is one draw. Arms are in decreasing order of their utilities.
type prospect struct {
	utilities []float64   // of all arms
	rows      [][]float64 // of the arms in a rehearsal, in whitened coordinates
	rehearsed []float64   // their utilities
}

// A rehearsal predicts how many answers a race takes if θ is known: it plans the questions of the
// race and adds their expected information, without drawing answers.
type rehearsal struct {
	questions Questionnaire
	epsilon   float64   // the largest lead of a rival
	all       []float64 // utilities of all arms, the leader first
	utilities []float64 // of the arms in the rows
	rows      [][]float64
	inverse   []float64 // H⁻¹
	widths    []float64 // ‖a_b − a_j‖²_{H⁻¹}
	widest    design.Widest
	planned   int // questions
}

func newRehearsal(q Questionnaire, epsilon float64, p *prospect) *rehearsal {
	n, d := len(p.rows), len(p.rows[0])
	r := &rehearsal{
		questions: q, epsilon: epsilon, all: p.utilities, utilities: p.rehearsed, rows: p.rows,
		inverse: evidence.NewBelief(d).Inverse, widths: make([]float64, n),
		widest: design.Widest{Picks: q.Picks, Values: make([]float64, n), Weights: make([]float64, n)},
	}
	for j, row := range r.rows {
		distance := floats.Distance(row, r.rows[0], 2)
		r.widths[j] = distance * distance / evidence.PriorPrecision
		r.widest.Weights[j] = max(math.Exp(r.utilities[j]-r.utilities[0]), 1e-300)
	}
	return r
}

// doubtful returns the rival with the least Z, and that Z.
func (r *rehearsal) doubtful() (rival int, z float64) {
	rival, z = -1, math.Inf(1)
	for j, width := range r.widths {
		if !(width > 0) {
			continue
		}
		lead := r.utilities[0] - r.utilities[j] + r.epsilon
		if own := lead * lead / (2 * width); own < z {
			rival, z = j, own
		}
	}
	return rival, z
}

// answersUntil returns after how many answers every rival's Z has reached a level. A question is asked several times in a row,
// more often later on, so that the work grows with the logarithm of the answers.
func (r *rehearsal) answersUntil(level float64) float64 {
	pace := float64(len(r.rows[0]))/2 + 4
	rival, z := r.doubtful()
	var q []int
	for t := 0.0; ; {
		if rival < 0 || z >= level || t >= maxRehearsal {
			return t
		}
		times := max(1, t/pace)
		r.planned++
		r.aim(rival)
		q = r.widest.Near(append(q[:0], 0, rival), min(r.questions.Settings.K, len(r.rows)))
		for left := range r.widest.Picked(q) {
			r.expect(left, times)
		}
		next, after := r.doubtful()
		if after >= level {
			return t + times*(level-z)/(after-z)
		}
		t, rival, z = t+times, next, after
	}
}

// aim sets the values of the arms for learning about the leader's lead over a rival.
func (r *rehearsal) aim(rival int) {
	g, towards := make([]float64, len(r.rows[0])), make([]float64, len(r.rows[0]))
	floats.SubTo(g, r.rows[0], r.rows[rival])
	survey.Multiply(towards, r.inverse, g)
	for j, row := range r.rows {
		r.widest.Values[j] = floats.Dot(row, towards)
	}
}

// expect adds the expected information of a pick from a question, a number of times.
func (r *rehearsal) expect(q []int, times float64) {
	rows, weights := make([][]float64, len(q)), make([]float64, len(q))
	for i, j := range q {
		rows[i], weights[i] = r.rows[j], r.widest.Weights[j]
	}
	survey.AddPick(r.inverse, rows, weights, times, func(solved []float64, scale float64) {
		own := floats.Dot(solved, r.rows[0])
		for i, row := range r.rows {
			if r.widths[i] > 0 {
				x := own - floats.Dot(row, solved)
				r.widths[i] = max(r.widths[i]-scale*x*x, 1e-300)
			}
		}
	})
}

// duelling returns how many answers it takes to refute every rival by direct comparisons with the
// leader, each by a number of nats.
func (r *rehearsal) duelling(need float64) float64 {
	others, total, longest := float64(r.questions.Settings.K-1), 0.0, 0.0
	for _, u := range r.all[1:] {
		lead := r.all[0] - u + r.epsilon
		worse := 1 / (1 + math.Exp(lead))
		gain := math.Ln2 + worse*math.Log(worse) + (1-worse)*math.Log1p(-worse)
		either := (1 + math.Exp(-lead)) / (1 + others*math.Exp(-lead)) // of the two is picked first
		answers := need / (gain * (1 - math.Pow(1-min(either, 1), float64(r.questions.Picks))))
		total, longest = total+answers, max(longest, answers)
	}
	return max(total/others, longest)
}

// electing returns how many answers it takes to refute that the majority chooses a rival, for every
// rival, each by a number of nats.
func (r *rehearsal) electing(need float64) float64 {
	var odds []float64
	for _, u := range r.all[1:] {
		odds = append(odds, math.Exp(u-r.all[0]))
	}
	s := r.questions.Settings
	return majority.ExpectAnswers(odds, need, s.Epsilon, s.K, r.questions.Picks, r.questions.Each, s.Fakes)
}
