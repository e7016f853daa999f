package theory

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
)

// A Characteristic is the difficulty of a problem, the characteristic time T*: any strategy that
// asks questions of K different arms and errs with probability at most δ for every θ asks at least
// T*·kl(δ, 1−δ) of them on average ([Problem.BinaryDivergence]), which exceeds the T*·log(1/(2.4δ))
// of [Problem.LogError]. T* is the value of a game, bounded from both sides:
//
//	1/T* = max over mixes w of questions, min over θ with another best arm, of
//	       Σ_S w_S·KL(μ^S(θ*) ‖ μ^S(θ)).
type Characteristic struct {
	// Time is a lower bound on T*: no question distinguishes θ* from some mix of alternatives at a
	// rate above 1/Time.
	Time float64

	// Reached is an upper bound on T*: Mix distinguishes θ* from every alternative at a rate of at
	// least 1/Reached.
	Reached float64

	// Mix is the mix of questions that attains Reached, the largest share first.
	Mix []Share

	// Contenders are the arms that are hardest to distinguish from the best arm, with their weight
	// in the mix of alternatives, the largest first.
	Contenders []Contender

	// Rounds is the number of rounds of the game.
	Rounds int
}

// Gap returns the relative distance of the two bounds on T*, Reached/Time − 1.
func (c Characteristic) Gap() float64 { return c.Reached/c.Time - 1 }

// A Share is a question with its share in a mix.
type Share struct {
	Question choice.Question
	Share    float64
}

// A Contender is an arm with its weight in the mix of alternatives.
type Contender struct {
	Arm    int
	Weight float64
}

// A Method selects the questions to examine.
type Method int

const (
	// Automatic enumerates if there are few questions and generates otherwise.
	Automatic Method = iota

	// Enumerate examines every question in every round.
	Enumerate

	// Generate finds good questions by local search. If all can be examined once, they are at the
	// end, for the lower bound on T*; otherwise the bound comes from a relaxation.
	Generate
)

// Largest numbers of questions to examine in every round, and at the end.
const (
	maxToEnumerate = 20_000
	maxToCertify   = 2_000_000
)

// CharacteristicTime computes T* to the relative gap, or as close as it gets. It returns an error
// if two arms are best or K exceeds the number of arms.
//
// Both players of the game have few good moves. [solveGame] solves the matrix of the moves found so
// far. Then each player looks for a better move against the other's mix: the best question by
// search ([arms.search], [arms.scan]), the best alternative for each arm by Newton's method
// ([arms.nearest]). To keep the steps from oscillating, the search uses a mix half-way between the
// best so far and the new one.
func (p Problem) CharacteristicTime(form Form, method Method, gap float64) (Characteristic, error) {
	if err := p.Check(); err != nil {
		return Characteristic{}, err
	}
	if p.K > p.Catalogue.Len() {
		return Characteristic{}, fmt.Errorf( //nolint:staticcheck // K is a symbol
			"K must be at most the number of arms, got K = %d and %d arms", p.K, p.Catalogue.Len())
	}
	a, err := newArms(p, form)
	if err != nil {
		return Characteristic{}, err
	}
	g := newSearch(a, method)
	const maxRounds = 300
	for done := false; !done && g.rounds < maxRounds; {
		g.rounds++
		done = g.round(gap)
	}
	if !(g.slow > 0 && g.slow <= g.fast*(1+1e-9) && g.fast <= math.MaxFloat64) {
		return Characteristic{}, errors.New("the utilities are too far apart for double precision")
	}
	return g.result(), nil
}

// A search holds both players' moves and the best bounds so far.
type search struct {
	*arms

	enumerate    bool
	certify      bool // whether all questions can be examined
	questions    []choice.Question
	known        map[string]bool
	alternatives []alternative
	payoffs      [][]float64 // payoffs of each question against each alternative

	mix    []float64 // the best mix of the questions so far
	floor  []float64 // lower bounds on its rates against each arm's alternatives
	slow   float64   // min over alternatives of its rate, 1/Reached
	fast   float64   // some mix against which no question has a higher rate, 1/Time
	weight []float64 // of the arms in that mix
	rounds int
}

// An alternative is a truth under which arm is at least as good as the best arm.
type alternative struct {
	arm    int
	shifts []float64 // of all arms' utilities
	idle   int       // rounds without weight in the mix
}

func newSearch(a *arms, method Method) *search {
	n := len(a.utilities)
	count := binomial(n, a.k)
	s := &search{
		arms: a, fast: math.Inf(1), known: map[string]bool{},
		enumerate: method == Enumerate || method == Automatic && count <= maxToEnumerate,
		certify:   count <= maxToCertify,
	}
	// Neighbours in a circle connect all arms, so that every difference is observed.
	for i := range n {
		q := make(choice.Question, a.k)
		for slot := range q {
			q[slot] = (i + slot) % n
		}
		s.addQuestion(q)
	}
	s.mix = make([]float64, len(s.questions))
	for i := range s.mix {
		s.mix[i] = 1 / float64(len(s.mix))
	}
	s.floor = make([]float64, n)
	s.slow, s.floor = s.respond(s.mix, 1)
	return s
}

// round lets both players move once. It reports whether the bounds have met, or whether no better
// question can be found although the alternatives are optimal.
func (s *search) round(gap float64) (done bool) {
	mix, against := solveGame(s.payoffs)
	against = s.drop(against)
	known := 0.0 // the highest rate of a question so far against them
	for _, row := range s.payoffs {
		known = max(known, floats.Dot(row, against))
	}
	near := s.slow*(1+gap/2) >= known
	added := s.challenge(against, near)
	if s.slow*(1+gap) >= s.fast || near && !added {
		return true
	}
	s.mix = append(s.mix, make([]float64, len(s.questions)-len(s.mix))...)
	mix = append(mix, make([]float64, len(s.questions)-len(mix))...)
	for step := 0.5; step > 1e-3; step /= 4 {
		between := make([]float64, len(mix))
		for i := range between {
			between[i] = s.mix[i] + step*(mix[i]-s.mix[i])
		}
		if rate, floor := s.respond(between, step); rate > s.slow {
			s.slow, s.mix, s.floor = rate, between, floor
			break
		}
	}
	return false
}

// respond adds the nearest alternative of every arm that is about as near as any to the mix. It
// returns the least rate at which the mix distinguishes θ* from an alternative, with lower bounds
// on the rates of all arms. The mix is a step away from the best so far. Rates are concave in the
// mix and not negative, so a rate is at least 1 − step of its previous value: arms that are far by
// this bound need no search.
func (s *search) respond(mix []float64, step float64) (least float64, floor []float64) {
	const near, far = 1.5, 2
	asked := s.weigh(s.questions, mix)
	floor = make([]float64, len(s.utilities))
	order := make([]int, 0, len(floor))
	for arm := range floor {
		if floor[arm] = (1 - step) * s.floor[arm]; arm != s.best {
			order = append(order, arm)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(floor[i], floor[j]) })
	least = math.Inf(1)
	var found []alternative
	for _, arm := range order {
		if floor[arm] > far*least {
			continue
		}
		rate, shifts := s.nearest(arm, asked, far*least)
		floor[arm] = max(floor[arm], rate)
		least = min(least, floor[arm])
		if shift := shifts[arm]; shift > 0 { // the rounding error of the gap
			floats.Scale(max(1, s.gaps[arm]/shift), shifts)
			found = append(found, alternative{arm: arm, shifts: shifts})
		}
	}
	for _, alternative := range found {
		if floor[alternative.arm] <= near*least {
			s.addAlternative(alternative)
		}
	}
	return least, floor
}

// challenge adds questions that distinguish the alternatives of the mix from θ* faster than any so
// far, and reports whether there were any. It keeps the bound that they give. If questions are
// generated, it computes that bound once the end is near.
func (s *search) challenge(against []float64, near bool) (added bool) {
	var mix []weighted
	for at, weight := range against {
		if weight > 0 {
			mix = append(mix, weighted{weight, s.alternatives[at].shifts})
		}
	}
	var found []choice.Question
	var fastest float64
	switch {
	case s.enumerate:
		found, fastest = s.scan(mix)
	case s.addAll(s.search(mix)) > 0:
		return true
	case !near:
		return false
	case s.certify:
		found, fastest = s.scan(mix)
	default:
		fastest = s.relaxed(mix)
	}
	if fastest < s.fast {
		s.fast = fastest
		s.weight = make([]float64, len(s.utilities))
		for at, weight := range against {
			s.weight[s.alternatives[at].arm] += weight
		}
	}
	return s.addAll(found) > 0
}

// addAll adds questions and returns how many were new.
func (s *search) addAll(questions []choice.Question) int {
	before := len(s.questions)
	for _, q := range questions {
		s.addQuestion(q)
	}
	return len(s.questions) - before
}

// addQuestion adds a question unless it is known.
func (s *search) addQuestion(q choice.Question) {
	q = slices.Sorted(slices.Values(q))
	if s.known[key(q)] {
		return
	}
	s.known[key(q)] = true
	s.questions = append(s.questions, q)
	row := make([]float64, len(s.alternatives))
	for at, alternative := range s.alternatives {
		row[at] = s.rate(q, alternative.shifts)
	}
	s.payoffs = append(s.payoffs, row)
}

func (s *search) addAlternative(a alternative) {
	s.alternatives = append(s.alternatives, a)
	for i, q := range s.questions {
		s.payoffs[i] = append(s.payoffs[i], s.rate(q, a.shifts))
	}
}

// drop removes alternatives that have had no weight for a while, and returns the weights of the
// others.
func (s *search) drop(against []float64) []float64 {
	const patience = 20
	kept := 0
	for at := range s.alternatives {
		s.alternatives[at].idle++
		if against[at] > 0 {
			s.alternatives[at].idle = 0
		}
		if s.alternatives[at].idle > patience {
			continue
		}
		s.alternatives[kept], against[kept] = s.alternatives[at], against[at]
		for i := range s.payoffs {
			s.payoffs[i][kept] = s.payoffs[i][at]
		}
		kept++
	}
	s.alternatives = s.alternatives[:kept]
	for i := range s.payoffs {
		s.payoffs[i] = s.payoffs[i][:kept]
	}
	return against[:kept]
}

// key returns the map key of a question.
func key(q choice.Question) string { return fmt.Sprint([]int(q)) }

// binomial returns n over k, or infinity.
func binomial(n, k int) float64 {
	product := 1.0
	for i := range k {
		product *= float64(n-i) / float64(i+1)
	}
	return math.Round(product)
}

func compareDown(a, b float64) int { return cmp.Compare(b, a) }

// result combines the best of both sides.
func (s *search) result() Characteristic {
	const negligible = 1e-4
	c := Characteristic{Time: 1 / s.fast, Reached: 1 / s.slow, Rounds: s.rounds}
	for i, share := range s.mix {
		if share > negligible {
			c.Mix = append(c.Mix, Share{s.questions[i], share})
		}
	}
	slices.SortStableFunc(c.Mix, func(a, b Share) int { return compareDown(a.Share, b.Share) })
	for arm, weight := range s.weight {
		if weight > negligible {
			c.Contenders = append(c.Contenders, Contender{arm, weight})
		}
	}
	slices.SortStableFunc(c.Contenders, func(a, b Contender) int { return compareDown(a.Weight, b.Weight) })
	return c
}
