package choice

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Mixture fits latent classes: person i belongs to one of C classes, to class c with probability
// π_c, and picks by a softmax with the θ_c of the class. It maximises
//
//	f = Σ_i log Σ_c π_c·L_i(θ_c) − Ridge·Σ_c ‖θ_c‖²,   L_i the likelihood of all picks of person i.
//
// The EM algorithm (Dempster, Laird and Rubin 1977) climbs from several starts: the probabilities of the classes, given a
// person's picks, are the weights with which an [Estimator] fits each θ_c. Newton's method on f finishes. f has local maxima, so
// Fit returns the best that it finds. Starts depend on the seed and the records alone, so a fit is repeatable.
type Mixture struct {
	Classes int
	Ridge   float64 // defaults to 0
	Seed    uint64  // of the starts
}

// Classes are a fitted mixture, the largest class first.
type Classes struct {
	Shares  []float64   // π
	Theta   [][]float64 // of each class
	Members [][]float64 // for each person, in order of appearance, the probability of each class

	// Estimate has log(π_c/π_1) of the classes after the first, and then θ of all classes. Its
	// covariance is the inverse of −∇²f, the observed information.
	Estimate *Estimate

	// Reached is how many of the Ended starts, those followed to the end, reached this maximum.
	Reached, Ended int

	scores [][]float64
}

// Scores iterates over the gradients of the log-likelihood of each person, for [Estimate.RobustCovariance].
func (c *Classes) Scores(yield func([]float64, float64) bool) {
	for _, score := range c.scores {
		if !yield(score, 1) {
			return
		}
	}
}

// A MixtureError reports that the likelihood of this many classes has no maximum with finite
// parameters, or that some classes are equal or empty.
type MixtureError struct{ Classes int }

// Error states the problem.
func (e *MixtureError) Error() string {
	return fmt.Sprintf("the picks do not determine %d classes: part-worths would be infinite, or a class empty", e.Classes)
}

const (
	startsPerClass = 8
	startTasks     = 2000 // times the classes: about the tasks of the people on whom starts are compared
	startSteps     = 10   // of EM, before starts are compared
	followedStarts = 2    // more than classes: followed to the end
	maxRounds      = 24   // of EM and Newton's method in turn
	roundSteps     = 6    // of EM in a round
	maxNewton      = 12   // Newton steps in a round
	emTolerance    = 1e-3 // of the fits within EM
	leastWeight    = 1e-290
)

// Fit fits the mixture to records. person[t] is the person of task t. A weight of a task is the power
// of its likelihood within L_i.
func (m Mixture) Fit(records *Records, person []int) (*Classes, error) {
	if m.Classes < 1 || len(person) != records.Tasks() {
		panic("choice: a mixture needs at least one class, and a person for each task")
	}
	pooled := make([]float64, len(records.names))
	if _, err := (&Estimator{RidgeOnSum: m.Ridge}).Fit(records, pooled); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(m.Seed, 0x4d495854555245))
	all := m.newClimb(records, person)
	some := all
	if wanted := startTasks * m.Classes; records.Tasks() > wanted {
		some = m.newClimb(sample(rng, records, person, wanted))
	}
	result := &Classes{}
	var best *climb
	for _, start := range m.starts(rng, some, pooled) {
		start.finish()
		result.Ended++
		const slack = 1e-9 // of log-likelihoods that count as equal, relative
		switch {
		case best == nil || start.value > best.value+slack*math.Abs(best.value):
			best, result.Reached = start, 1
		case start.value > best.value-slack*math.Abs(best.value):
			result.Reached++
		}
	}
	if some != all && best.err == nil {
		best = all.at(best.shares, best.theta)
		best.finish()
	}
	if best.err != nil {
		return nil, best.err
	}
	best.complete(result)
	return result, nil
}

// starts returns the best of some starts, each after a few steps of EM.
func (m Mixture) starts(rng *rand.Rand, c *climb, pooled []float64) []*climb {
	shares := slices.Repeat([]float64{1 / float64(m.Classes)}, m.Classes)
	if m.Classes == 1 {
		return []*climb{c.at(shares, [][]float64{pooled})}
	}
	deviations := c.deviations(pooled)
	var starts []*climb
	for range startsPerClass * m.Classes {
		theta := make([][]float64, m.Classes)
		for k := range theta {
			theta[k] = make([]float64, len(pooled))
			floats.AddTo(theta[k], pooled, deviations[rng.IntN(len(deviations))])
		}
		start := c.at(shares, theta)
		for step := 0; step < startSteps && start.err == nil; step++ {
			start.step()
		}
		starts = append(starts, start)
	}
	slices.SortStableFunc(starts, func(a, b *climb) int { return cmp.Compare(b.value, a.value) })
	return starts[:m.Classes+followedStarts]
}

// sample returns the tasks of random people, at least the given number, and the people.
func sample(rng *rand.Rand, records *Records, person []int, wanted int) (*Records, []int) {
	groups := grouped(person)
	var tasks, people []int
	for i, at := range rng.Perm(len(groups)) {
		if len(tasks) >= wanted {
			break
		}
		tasks = append(tasks, groups[at]...)
		people = append(people, slices.Repeat([]int{i}, len(groups[at]))...)
	}
	return records.Select(tasks), people
}

// A climb is a point of f on the way to a maximum.
type climb struct {
	records *Records
	person  []int // of each task, numbered in order of appearance
	people  int
	ridge   float64

	shares []float64
	theta  [][]float64
	value  float64 // f
	err    error   // set where there is no maximum

	// Scratch: records weighted by the probabilities of each class, the log-likelihoods of tasks, and for
	// each person the probabilities of the classes at this point.
	weighted  []*Records
	estimator *Estimator
	logs      []float64
	members   []float64

	gradient    []float64 // ∇f
	information *mat.SymDense
	scores      [][]float64 // of each person
}

func (m Mixture) newClimb(records *Records, person []int) *climb {
	c := &climb{
		records: records, ridge: m.Ridge, estimator: &Estimator{RidgeOnSum: m.Ridge, Tolerance: emTolerance},
		person: make([]int, len(person)), logs: make([]float64, len(person)),
	}
	for i, tasks := range grouped(person) {
		for _, t := range tasks {
			c.person[t] = i
		}
		c.people++
	}
	c.members = make([]float64, c.people*m.Classes)
	for range m.Classes {
		weighted := *records
		weighted.weights = make([]float64, len(person))
		weighted.shard()
		c.weighted = append(c.weighted, &weighted)
	}
	return c
}

// at returns a climb at a point. It shares the scratch memory of c.
func (c *climb) at(shares []float64, theta [][]float64) *climb {
	made := *c
	made.shares, made.theta, made.value, made.err = slices.Clone(shares), cloneRows(theta), math.Inf(-1), nil
	return &made
}

func cloneRows(rows [][]float64) [][]float64 {
	cloned := make([][]float64, len(rows))
	for i, row := range rows {
		cloned[i] = slices.Clone(row)
	}
	return cloned
}

// deviations returns for each person half of the Newton step from θ to their own maximum, taken with
// the mean information of a person.
func (c *climb) deviations(theta []float64) [][]float64 {
	c.estimator.resize(len(theta))
	c.estimator.differentiate(c.records, c.ridge, theta)
	deviations := c.personScores(theta)
	regular := c.estimator.factorise(false)
	for _, deviation := range deviations {
		if clear(c.estimator.step); regular {
			copy(c.estimator.gradient, deviation)
			c.estimator.solve()
		}
		floats.ScaleTo(deviation, float64(c.people)/2, c.estimator.step)
	}
	return deviations
}

// personScores returns the gradient of log L_i(θ) for each person.
func (c *climb) personScores(theta []float64) [][]float64 {
	scores := make([][]float64, 0, c.people)
	for score := range c.records.Scores(theta, c.person) {
		scores = append(scores, slices.Clone(score))
	}
	return scores
}

// expect sets the value and the members.
func (c *climb) expect() {
	classes := len(c.shares)
	c.value = 0
	for k, theta := range c.theta {
		c.records.taskLogLikelihoods(c.logs, theta)
		for i := range c.people {
			c.members[i*classes+k] = math.Log(c.shares[k])
		}
		for t, i := range c.person {
			c.members[i*classes+k] += c.logs[t]
		}
		c.value -= c.ridge * floats.Dot(theta, theta)
	}
	for own := range slices.Chunk(c.members, classes) {
		total := LogSumExp(own)
		c.value += total
		for k := range own {
			own[k] = math.Exp(own[k] - total)
		}
	}
}

// weigh sets the weights of the records of each class.
func (c *climb) weigh() {
	for k, weighted := range c.weighted {
		for t, i := range c.person {
			weighted.weights[t] = max(c.members[i*len(c.shares)+k]*c.records.weight(t), leastWeight)
		}
	}
}

// step takes a step of EM. The value is that before the step.
func (c *climb) step() {
	c.expect()
	c.weigh()
	for k, weighted := range c.weighted {
		c.shares[k] = 0
		for i := range c.people {
			c.shares[k] += c.members[i*len(c.shares)+k] / float64(c.people)
		}
		c.shares[k] = max(c.shares[k], leastWeight)
		if _, err := c.estimator.Fit(weighted, c.theta[k]); err != nil {
			c.err = &MixtureError{len(c.shares)}
			return
		}
	}
}

// finish climbs to the maximum: by steps of EM, and by Newton's method as soon as it gains.
func (c *climb) finish() {
	for range maxRounds {
		for step := 0; step < roundSteps && c.err == nil; step++ {
			c.step()
		}
		if c.err != nil {
			return
		}
		if c.expect(); c.newton() {
			return
		}
	}
	c.err = &MixtureError{len(c.shares)}
}

// newton takes Newton steps while they gain and reports whether they reached a maximum.
func (c *climb) newton() bool {
	const (
		settled = 1e-14 // half squared decrement
		regular = 1e14  // condition
	)
	var factor mat.Cholesky
	var step mat.VecDense
	for range maxNewton {
		c.differentiate()
		gradient := mat.NewVecDense(len(c.gradient), c.gradient)
		if !factor.Factorize(c.information) || factor.Cond() > regular || factor.SolveVecTo(&step, gradient) != nil {
			return false
		}
		before := c.at(c.shares, c.theta)
		before.value = c.value
		c.move(step.RawVector().Data)
		c.expect()
		if mat.Dot(&step, gradient)/2 < settled {
			return true
		}
		if !(c.value >= before.value) {
			*c = *before
			c.expect()
			return false
		}
	}
	return false
}

// move adds a step of all parameters.
func (c *climb) move(step []float64) {
	odds, d := len(c.shares)-1, len(c.theta[0])
	logs := make([]float64, len(c.shares))
	for k, share := range c.shares {
		if logs[k] = math.Log(share); k > 0 {
			logs[k] += step[k-1]
		}
		floats.Add(c.theta[k], step[odds+k*d:odds+(k+1)*d])
	}
	c.shares = Probabilities(c.shares[:0], logs)
}

// differentiate sets the scores of people, ∇f and the information −∇²f by Louis's formula (1982). With the probability w_ic that
// person i is in class c, and with the gradient s_ic and the Hessian H_ic of log π_c·L_i(θ_c),
//
//	∇ℓ = Σ_i g_i,   g_i = Σ_c w_ic·s_ic,   ∇²ℓ = Σ_i (Σ_c w_ic·(H_ic + s_ic·s_ic') − g_i·g_i').
//
// The members must be those at this point.
func (c *climb) differentiate() {
	classes, d := len(c.shares), len(c.theta[0])
	odds := classes - 1
	size := odds + classes*d
	h := make([]float64, size*size) // upper triangle
	c.scores = make([][]float64, c.people)
	for i := range c.scores {
		c.scores[i] = make([]float64, size)
	}
	for k := range odds {
		h[k*size+k] = float64(c.people) * c.shares[k+1]
		for l := k; l < odds; l++ {
			h[k*size+l] -= float64(c.people) * c.shares[k+1] * c.shares[l+1]
		}
	}
	c.weigh()
	for k := range c.theta {
		c.addClass(k, h)
	}
	c.gradient = make([]float64, size)
	for _, score := range c.scores {
		addOuter(h, 1, score)
		floats.Add(c.gradient, score)
	}
	for k, theta := range c.theta {
		addScaled(c.gradient[odds+k*d:odds+(k+1)*d], -2*c.ridge, theta)
	}
	c.information = mat.NewSymDense(size, h)
}

// addClass adds what class k contributes to the scores, and −Σ_i w_ik·(H_ik + s_ik·s_ik') without the part of the
// shares in H to h, the upper triangle of the information.
func (c *climb) addClass(k int, h []float64) {
	classes, d := len(c.shares), len(c.theta[k])
	odds := classes - 1
	size, width := odds+classes*d, odds+d
	sum, information := make([]float64, d), mat.NewSymDense(d, nil)
	c.weighted[k].Derivatives(c.theta[k], sum, information)
	own := make([]float64, width) // the gradient by the log odds and this θ
	for l := range odds {
		if own[l] = -c.shares[l+1]; l+1 == k {
			own[l]++
		}
	}
	outer := make([]float64, width*width)
	for i, score := range c.personScores(c.theta[k]) {
		w := c.members[i*classes+k]
		copy(own[odds:], score)
		addOuter(outer, w, own)
		addScaled(c.scores[i][:odds], w, own[:odds])
		addScaled(c.scores[i][odds+k*d:odds+(k+1)*d], w, score)
	}
	for a := range d {
		outer[(odds+a)*width+odds+a] -= 2 * c.ridge
		addScaled(outer[(odds+a)*width+odds+a:(odds+a+1)*width], -1, information.RawSymmetric().Data[a*d+a:(a+1)*d])
	}
	for a := range width {
		row := a
		if a >= odds {
			row += k * d
		} else {
			addScaled(h[row*size+a:row*size+odds], -1, outer[a*width+a:a*width+odds])
		}
		from := max(a, odds)
		addScaled(h[row*size+from+k*d:row*size+width+k*d], -1, outer[a*width+from:(a+1)*width])
	}
}

// complete sets the result to the maximum reached.
func (c *climb) complete(result *Classes) {
	order := UpTo(len(c.shares))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.shares[b], c.shares[a]) })
	sorted := c.at(c.shares, c.theta)
	for to, from := range order {
		sorted.shares[to], sorted.theta[to] = c.shares[from], c.theta[from]
	}
	sorted.expect()
	sorted.differentiate()
	result.Shares, result.Theta, result.scores = sorted.shares, sorted.theta, sorted.scores
	for own := range slices.Chunk(sorted.members, len(order)) {
		result.Members = append(result.Members, slices.Clone(own))
	}
	var factor mat.Cholesky
	e := &Estimate{
		Covariance: new(mat.SymDense), Picks: c.records.Picks(), LogLikelihood: sorted.value,
		NullLogLikelihood: c.records.NullLogLikelihood(), GradientNorm: floats.Norm(sorted.gradient, 2),
	}
	factor.Factorize(sorted.information) // positive definite, as Newton's method needs it
	_ = factor.InverseTo(e.Covariance)
	for k, share := range sorted.shares[1:] {
		e.Names, e.Theta = append(e.Names, fmt.Sprintf("log odds of class %d", k+2)), append(e.Theta, math.Log(share/sorted.shares[0]))
	}
	for k, theta := range sorted.theta {
		for _, name := range c.records.names {
			e.Names = append(e.Names, fmt.Sprintf("class %d: %s", k+1, name))
		}
		e.Theta = append(e.Theta, theta...)
		e.LogLikelihood += c.ridge * floats.Dot(theta, theta)
	}
	result.Estimate = e
}
