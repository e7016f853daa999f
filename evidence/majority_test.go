package evidence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// person is how one kind of people chooses between the rival, the nominee and others: the
// probabilities of the first two, for each of two questions.
type person [2][2]float64

// expected returns the mean of 1 + λg of one person, each kind equally likely, with a hand of questions of
// which they answer the next one while stays reports true, given the choices so far.
func expected(kinds []person, hand []int, points, lambda float64, stays func(kind int, choices []int) bool,
	payoff func(*Bet, Level) float64,
) float64 {
	total := 0.0
	var follow func(kind int, choices []int, probability float64)
	follow = func(kind int, choices []int, probability float64) {
		if len(choices) == len(hand) || !stays(kind, choices) {
			b := Bet{Cards: len(hand), Shown: len(choices), Ended: true}
			for _, c := range choices {
				b.Rival += [...]int{1, 0, 0}[c]
				b.Nominee += [...]int{0, 1, 0}[c]
			}
			total += probability * (1 + lambda*payoff(&b, Level{Share: 0.5 + points})) / float64(len(kinds))
			return
		}
		of := kinds[kind][hand[len(choices)]]
		for c, p := range []float64{of[0], of[1], 1 - of[0] - of[1]} {
			if p > 0 {
				follow(kind, append(slices.Clip(choices), c), probability*p)
			}
		}
	}
	for kind := range kinds {
		follow(kind, nil, 1)
	}
	return total
}

func everything(int, []int) bool { return true }

// drawKinds draws people, and the largest tolerance of at most 0.3 at which the hypothesis holds.
func drawKinds(rng *rand.Rand) (kinds []person, points float64) {
	for range 1 + rng.IntN(4) {
		var kind person
		for q := range kind {
			a, b := rng.Float64(), rng.Float64()
			kind[q] = [2]float64{a * b, a * (1 - b)}
		}
		kinds = append(kinds, kind)
	}
	points = 0.3
	for q := range 2 {
		var rival, either float64
		for _, kind := range kinds {
			rival, either = rival+kind[q][0], either+kind[q][0]+kind[q][1]
		}
		points = min(points, rival/either-0.5)
	}
	return kinds, points
}

// TestMajorityIsFair: for any people and any hand the capital does not grow under the hypothesis, by an exact
// sum over all answers: if everyone answers the whole hand, or leaves after a number of questions that is
// the same for all, or if the hand asks one question and how many times a person answers it depends on
// their taste.
func TestMajorityIsFair(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		kinds, points := drawKinds(rng)
		hand := make([]int, 1+rng.IntN(4))
		for card := range hand {
			hand[card] = rng.IntN(2)
		}
		lambda := rng.Float64() * boldest / (0.5 - points)
		same := rng.IntN(len(hand) + 1)
		all := expected(kinds, hand, points, lambda, everything, (*Bet).Payoff)
		early := expected(kinds, hand, points, lambda, func(_ int, done []int) bool { return len(done) < same }, (*Bet).Payoff)
		stay := make([]int, len(kinds))
		for kind := range stay {
			stay[kind] = rng.IntN(len(hand) + 1)
		}
		byTaste := expected(kinds, make([]int, len(hand)), points, lambda,
			func(kind int, done []int) bool { return len(done) < stay[kind] }, (*Bet).Payoff)
		if !(max(all, early, byTaste) <= 1+1e-12) {
			t.Fatalf("the capital grows by %v, %v if all leave early, %v if some do: %v", all, early, byTaste, kinds)
		}
	}
}

// polarised is a population in which each person always chooses the same, and half choose the rival:
// with a tolerance of 0 the hypothesis holds with equality.
func polarised() []person { return []person{{{1, 0}, {1, 0}}, {{0, 1}, {0, 1}}} }

// TestMajorityNeedsConditions: where leaving depends on a person's own choices, the capital grows under the
// hypothesis, so that assumption is needed. It also grows if the bet on a person without an answered comparison of the
// pair is void instead of lost, where people who choose the rival leave before.
func TestMajorityNeedsConditions(t *testing.T) {
	undecided, twice := []person{{{0.5, 0.5}, {0.5, 0.5}}}, []int{0, 0}
	again := func(_ int, choices []int) bool { return len(choices) == 0 || choices[0] == 0 }
	if mean := expected(undecided, twice, 0, 1, again, (*Bet).Payoff); !(mean > 1.1) {
		t.Errorf("if people who chose the nominee leave, the capital grows by %v only", mean)
	}
	approx.Equal(t, "answered completely", expected(undecided, twice, 0, 1, everything, (*Bet).Payoff), 1, 1e-12)
	approx.Equal(t, "polarised people", expected(polarised(), twice, 0, 1, everything, (*Bet).Payoff), 1, 1e-12)

	leave := func(kind int, _ []int) bool { return kind == 1 } // fans of the rival answer nothing of this pair
	void := func(b *Bet, at Level) float64 {
		if b.Shown == 0 {
			return 0
		}
		return b.Payoff(at)
	}
	if mean := expected(polarised(), twice, 0, 1, leave, void); !(mean > 1.2) {
		t.Errorf("void bets let the capital grow by %v only", mean)
	}
	approx.Equal(t, "lost bets", expected(polarised(), twice, 0, 1, leave, (*Bet).Payoff), 1, 1e-12)
}

// TestOpenBetsAreLowest: at every level an open bet pays at most what it pays at any later time, however the hand
// ends, and the same is true of an ended one if more of what is missing counts for the rival. A bet on a person from whose
// hand questions were taken stays at that.
func TestOpenBetsAreLowest(t *testing.T) {
	levels := Levels(0.05, 0)
	for cards := range 4 {
		for nominee := range cards + 1 {
			for rival := range cards + 1 - nominee {
				for neither := range cards + 1 - nominee - rival {
					b := Bet{Cards: cards, Shown: nominee + rival + neither, Rival: rival, Nominee: nominee}
					for _, level := range levels {
						checkLater(t, b, level)
					}
				}
			}
		}
	}
}

func checkLater(t *testing.T, b Bet, level Level) {
	t.Helper()
	now, ended := b.Payoff(level), b
	later := []Bet{}
	ended.Ended = true
	later = append(later, ended)
	if b.Shown == 0 {
		none := b
		none.Void()
		later = append(later, none)
	}
	if b.Shown < b.Cards {
		for _, more := range []Bet{{Rival: 1}, {Nominee: 1}, {}} {
			next := b
			next.Shown, next.Rival, next.Nominee = b.Shown+1, b.Rival+more.Rival, b.Nominee+more.Nominee
			later = append(later, next) // which is checked by itself
		}
	}
	cut := ended
	if cut.Cut = true; cut.Payoff(level) != now {
		t.Fatalf("%+v pays %v at %+v, and once questions are taken off the hand %v", b, now, level, cut.Payoff(level))
	}
	for _, then := range later {
		if then.Payoff(level) < now-1e-15 {
			t.Fatalf("%+v pays %v at %+v, and then %v as %+v", b, now, level, then.Payoff(level), then)
		}
	}
	heavier := level
	heavier.Missing = min(1, level.Missing+0.1)
	if ended.Payoff(heavier) > ended.Payoff(level)+1e-15 {
		t.Fatalf("%+v pays more at %+v", ended, heavier)
	}
}

// TestCapitalOfPrefixes: in a random sequence of arrivals, answers, ends, investments and settlements, the
// highest capital is that of a brute force over all prefixes of the arrivals, from the whole history. Where people may
// be fake, it is that without the largest factors if it is invested at once, and else at most that.
func TestCapitalOfPrefixes(t *testing.T) {
	for seed := range uint64(30) {
		levels, most := Levels(0.05, int(seed%3)), 6
		if seed%2 == 0 {
			most = 1
		}
		rng := rand.New(rand.NewPCG(seed, 3))
		m := NewMajority(0, 2, len(levels))
		var all []Bet // the same bets, of which none is forgotten
		var parts []investment
		highest := slices.Repeat([]float64{math.Inf(-1)}, len(levels))
		for range 100 {
			switch act := rng.IntN(10); {
			case act == 0 && len(parts) < most:
				m.Invest(0.1, len(all))
				parts = append(parts, investment{len(all), 0.1})
			case act < 4:
				b := Bet{Arrival: len(all) + 1, Cards: 1 + rng.IntN(3), Stake: 1.9 * rng.Float64(), Chosen: rng.Float64(), Variance: 0.2}
				all = append(all, b)
				m.Rivals[1].Place(b)
			case len(all) > 0:
				b := &all[rng.IntN(len(all))]
				if b.Ended {
					continue
				}
				if b.Ended = b.Shown == b.Cards || rng.IntN(3) == 0; !b.Ended {
					b.Shown++
					b.Nominee += rng.IntN(2)
					b.Rival = b.Shown - b.Nominee
				}
				*m.Rivals[1].Bet(b.Arrival) = *b
			}
			ended := 0
			for ended < len(all) && all[ended].Ended {
				ended++
			}
			if len(all)%3 > 0 {
				m.Settle(levels, ended)
			}
			var votes Votes
			for _, b := range all {
				votes.add(b, levels[0].Share)
			}
			if got := m.Rivals[1].Votes(0.05); got != votes {
				t.Fatalf("seed %d: votes %+v, want %+v", seed, got, votes)
			}
			m.Settle(levels, ended)
			for i, level := range levels {
				highest[i] = max(highest[i], bestPrefix(level, all, parts))
				got, fakes := m.Rivals[1].Highest[i], level.Fakes+level.Beyond
				if len(parts) > 0 && (fakes == 0 || most == 1) {
					approx.Equal(t, "highest", got, highest[i], 1e-9)
				}
				if len(parts) > 0 && !(got <= highest[i]+1e-9) {
					t.Fatalf("seed %d: highest %v with %d fakes, want at most %v", seed, got, fakes, highest[i])
				}
			}
		}
		if len(m.Rivals[1].Bets) == len(all) || len(parts) == 0 {
			t.Fatal("nothing was settled for good")
		}
		checkMonotone(t, levels, highest)
	}
}

// bestPrefix returns the log of the largest capital after any number of arrivals, if the people with the largest
// factors of each part are fake.
func bestPrefix(level Level, bets []Bet, parts []investment) float64 {
	best := 0.0
	for prefix := range len(bets) + 1 {
		sum := 0.0
		for _, part := range parts {
			if part.After > prefix {
				continue
			}
			product, factors := part.Weight, []float64{}
			for _, b := range bets[part.After:prefix] {
				factors = append(factors, 1+b.stakeAt(level)*b.Payoff(level))
			}
			slices.Sort(factors)
			for i, factor := range factors {
				if genuine := i < len(factors)-level.Fakes-level.Beyond; genuine || factor < 1 {
					product *= factor
				}
			}
			sum += product
		}
		best = max(best, sum)
	}
	return math.Log(best)
}

// checkMonotone: the capital is larger at larger shares, and smaller where more of what is missing counts.
func checkMonotone(t *testing.T, levels []Level, logs []float64) {
	t.Helper()
	for i, a := range levels {
		for j, b := range levels {
			less := a.Share <= b.Share && a.Missing >= b.Missing && a.Beyond >= b.Beyond
			if !a.Predicted && !b.Predicted && less && logs[i] > logs[j]+1e-9 {
				t.Errorf("the log is %v at %+v and %v at %+v", logs[i], a, logs[j], b)
			}
		}
	}
}

// TestVotesAndGrowth: votes have what people answered, those without an answer about the pair apart; a rival that is
// added has the capital that was invested before.
func TestVotesAndGrowth(t *testing.T) {
	points := Points(0.2)
	approx.Equal(t, "points", points, 1/(1+math.Exp(-0.2))-0.5, 1e-15)
	levels := Levels(points, 0)
	m := NewMajority(0, 3, len(levels))
	if m.Rivals[1].Logs[0] > -1e8 {
		t.Errorf("without an investment the capital is %v", m.Rivals[1].Logs[0])
	}
	m.Invest(0.6, 0)
	m.Rivals[1].Bets = []Bet{
		{Arrival: 1, Cards: 2, Shown: 2, Nominee: 2, Ended: true},
		{Arrival: 2, Cards: 4, Shown: 4, Rival: 1, Nominee: 2, Ended: true},
		{Arrival: 3, Cards: 1, Ended: true},
		{Arrival: 4, Cards: 2, Shown: 1, Rival: 1},
		{Arrival: 5, Cards: 2},
	}
	for _, ended := range []int{0, 3} {
		m.Settle(levels, ended)
		v := m.Rivals[1].Votes(points)
		if v.People != 3 || v.Lost != 1 || len(m.Rivals[1].Bets) != 5-ended {
			t.Errorf("%+v", v)
		}
		approx.Equal(t, "chosen", v.Chosen, 0.25+1, 1e-12)
		approx.Equal(t, "refused", v.Refused, 1+0.5, 1e-12)
	}
	m.Grow(4, len(levels))
	for _, rival := range []int{2, 3} {
		approx.Equal(t, "a rival without bets", m.Rivals[rival].Logs[0], math.Log(0.6), 1e-12)
	}
}

// TestMajorityOfSeveralNominees: the sum of cash and of the capitals of bad nominees does not grow,
// however it is invested: here half of what is left goes to the nominee that leads so far. The mean is
// an exact sum over all answers of ten people, who compare each of two nominees in turn with the arm
// that beats both by exactly ε. Stakes and investments come before the answers of a person.
func TestMajorityOfSeveralNominees(t *testing.T) {
	const people, points = 10, 0.05
	levels, total := Levels(points, 0)[:1], 0.0
	for answers := range 1 << people {
		nominees := []Majority{NewMajority(0, 3, 1), NewMajority(1, 3, 1)}
		cash, probability := 1.0, 1.0
		for person := range people {
			m := &nominees[person%2]
			before, other := m.Rivals[2].Votes(points), nominees[1-person%2].Rivals[2].Votes(points)
			if before.Refused >= other.Refused {
				m.Invest(cash/2, person)
				cash /= 2
			}
			b := Bet{Arrival: person + 1, Cards: 1, Shown: 1, Rival: answers >> person & 1, Ended: true}
			b.Nominee = 1 - b.Rival
			b.Stake = before.Update(Prediction{Mean: 0.05, Squares: 0.25}, points, 5).Kelly(points)
			probability *= (0.5+points)*float64(b.Rival) + (0.5-points)*float64(b.Nominee)
			m.Rivals[2].Place(b)
			m.Settle(levels, person+1)
		}
		total += probability * (cash + math.Exp(nominees[0].Rivals[2].Logs[0]) + math.Exp(nominees[1].Rivals[2].Logs[0]))
	}
	approx.Equal(t, "mean capital", total, 1, 1e-12)
}

// TestPredictionStaysInRange: no prediction makes a bet that could lose everything, at any level.
func TestPredictionStaysInRange(t *testing.T) {
	for _, p := range []Prediction{
		{Mean: 0.5, Squares: 1e-9}, {Mean: -1, Squares: 1}, {Mean: 0.1}, {Mean: math.NaN(), Squares: 1}, {Mean: 1e300, Squares: 1e-300},
	} {
		for _, points := range []float64{-0.05, 0, 0.05, 0.4} {
			worst := 1 - p.Kelly(points)*max(0.5, 0.5-points)
			if !(worst > 0 && worst <= 1) {
				t.Errorf("%+v at ε = %v leaves %v", p, points, worst)
			}
		}
	}
}

// TestBetsCount: answers count where both arms are shown equally often; rankings count the higher one.
func TestBetsCount(t *testing.T) {
	b := Bet{Arm: 3}
	for _, a := range []choice.Answer{
		{Question: choice.Question{3, 1, 2}, Picks: []int{0}},       // the nominee
		{Question: choice.Question{1, 3, 2}, Picks: []int{2}},       // neither
		{Question: choice.Question{1, 3, 2}, Picks: []int{2, 0, 1}}, // ranked higher: the rival
		{Question: choice.Question{1, 2}, Picks: []int{0}},          // the nominee is not shown
		{Question: choice.Question{3, 3, 1}, Picks: []int{0}},       // an advantage for the nominee
		{Question: choice.Question{3, 1, 3, 1}, Picks: []int{2, 1}}, // equally often
	} {
		if Compares(a.Question, 1, 3) {
			b.Count(a, 1)
		}
	}
	if b.Shown != 4 || b.Rival != 1 || b.Nominee != 2 {
		t.Errorf("%+v", b)
	}
}

// TestInterval: of people who all compare a rival with a nominee once, three in ten choose the rival, and the interval
// tightens around that share. An end counts a level only if all larger ones are refuted.
func TestInterval(t *testing.T) {
	levels := Levels(Points(0.2), 0)
	m := NewMajority(0, 2, len(levels))
	m.Invest(1, 0)
	low, high := m.Rivals[1].Interval(levels, 3)
	approx.Equal(t, "low", low, 0, 0)
	approx.Equal(t, "high", high, 1, 0)
	for i := range 1000 {
		b := Bet{Arrival: i + 1, Stake: 1, Cards: 1, Shown: 1, Nominee: 1, Ended: true, Chosen: 0.3, Variance: 0.21}
		if i%10 < 3 {
			b.Rival, b.Nominee = 1, 0
		}
		m.Rivals[1].Place(b)
	}
	m.Settle(levels, 1000)
	low, high = m.Rivals[1].Interval(levels, 3)
	approx.Equal(t, "low", low, 0.25, 1e-12)
	approx.Equal(t, "high", high, 0.35, 1e-12)
	at := slices.IndexFunc(levels, func(l Level) bool { return l.Share == 0.4 && !l.Opposite })
	m.Rivals[1].Highest[at] = 0
	_, high = m.Rivals[1].Interval(levels, 3)
	approx.Equal(t, "high", high, 0.45, 1e-12)
}

// TestDistrustedOnlyLose: at every level, and at every stage of a hand, a bet on a distrusted person pays at most what it
// paid before, and at most nothing; votes leave the person out.
func TestDistrustedOnlyLose(t *testing.T) {
	for cards := 1; cards <= 4; cards++ {
		for shown := 0; shown <= cards; shown++ {
			for rival := 0; rival <= shown; rival++ {
				for _, level := range Levels(0.05, 2) {
					for _, ended := range []bool{false, true} {
						bet := Bet{Stake: 1, Cards: cards, Shown: shown, Rival: rival, Nominee: shown - rival, Ended: ended}
						trusted := bet.Payoff(level)
						bet.Distrusted = true
						if got := bet.Payoff(level); !(got <= trusted && got <= 0) {
							t.Fatalf("%+v pays %v at %+v, and %v if trusted", bet, got, level, trusted)
						}
						c := Capital{Bets: []Bet{bet}}
						if v := c.Votes(0.05); v != (Votes{}) {
							t.Fatalf("%+v votes %+v", bet, v)
						}
					}
				}
			}
		}
	}
}

// TestWithoutAnyPerson: the capital that withstands one fake more is, at every moment, at most the capital without any one
// person, whose bets count as placed and pay nothing, and at most the capital with everyone. So a certificate at that level
// holds with and without a person whom the owner excludes for whatever reason.
func TestWithoutAnyPerson(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for range 200 {
		const people, fakes = 12, 2
		levels := []Level{{Share: 0.55, Fakes: fakes}, {Share: 0.55, Fakes: fakes, Beyond: 1}}
		of := make([]Majority, people+1) // without each person, and with all of them
		for i := range of {
			of[i] = NewMajority(0, 2, len(levels))
			of[i].Invest(0.5, 0)
		}
		for n := 1; n <= people; n++ {
			bet := Bet{Arrival: n, Stake: 1.5 * rng.Float64(), Cards: 3, Shown: 3, Rival: rng.IntN(4), Ended: true}
			bet.Nominee = 3 - bet.Rival
			for i := range of {
				placed := bet
				if i == n-1 {
					placed.Void()
				}
				of[i].Rivals[1].Place(placed)
				if n == people/2 {
					of[i].Invest(0.25, n)
				}
				of[i].Settle(levels, n-rng.IntN(2))
			}
			with := of[people].Rivals[1]
			for i := range people {
				if without := of[i].Rivals[1].Highest[0]; with.Highest[1] > min(without, with.Highest[0])+1e-9 {
					t.Fatalf("%v with one fake more; %v without person %d, %v with them", with.Highest[1], without, i+1, with.Highest[0])
				}
			}
		}
	}
}

// TestNear: a mean moves to the given one by at most two standard errors, which are 0.02 for 100 people and squares of 0.04,
// and the variance stays.
func TestNear(t *testing.T) {
	for _, c := range []struct{ mean, near float64 }{{0.2, 0.16}, {0.09, 0.07}, {0.07, 0.07}, {0.05, 0.07}, {-0.1, -0.06}} {
		before := Prediction{Mean: c.mean, Squares: 0.04, People: 60}
		p := before.Near(0.07, 2, 40)
		approx.Equal(t, "mean", p.Mean, c.near, 1e-12)
		approx.Equal(t, "variance", p.Squares-p.Mean*p.Mean, before.Squares-before.Mean*before.Mean, 1e-12)
	}
}

// TestClosedTest: a hypothesis whose capital is a little more than the least one is in no set whose weighted mean is less than
// enough, and with a little less it is in one.
func TestClosedTest(t *testing.T) {
	const n, enough = 7, 20.0
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		capitals, weights := make([]float64, n), make([]float64, n)
		for i := range capitals {
			capitals[i], weights[i] = math.Exp(3*rng.NormFloat64()), math.Exp(rng.NormFloat64())
		}
		for j, least := range ClosedTest(capitals, weights, enough) {
			for _, factor := range []float64{1 - 1e-9, 1 + 1e-9} {
				changed := slices.Clone(capitals)
				changed[j] = factor * least
				lowest := math.Inf(1)
				for set := range 1 << n {
					mean, sum := 0.0, 0.0
					for i := range n {
						if set>>i&1 == 1 {
							mean, sum = mean+weights[i]*changed[i], sum+weights[i]
						}
					}
					if set>>j&1 == 1 {
						lowest = min(lowest, mean/sum)
					}
				}
				if lowest >= enough != (factor > 1) {
					t.Fatalf("capitals %v, weights %v: with %v for hypothesis %d the lowest mean is %v", capitals, weights, changed[j], j, lowest)
				}
			}
		}
	}
}
