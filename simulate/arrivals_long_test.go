//go:build long

package simulate_test

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestLongArrivals: in real time, without leavers, with 12 names, three options ranked and ten questions each, bets that
// are placed on arrival take at most 1.1, 1.15 and 1.4 times the answers of a rule that counts a person when
// they finish, at 2, 10 and 100 arrivals a minute and 12 seconds for an answer.
func TestLongArrivals(t *testing.T) {
	const instances, runs, n, each = 5, 12, 12, 10
	for _, c := range []struct{ perMinute, most float64 }{{2, 1.1}, {10, 1.15}, {100, 1.4}} {
		arrivals := c.perMinute / 5
		var placed, finished float64
		for seed := range uint64(instances) {
			rng := rand.New(rand.NewPCG(seed, 77))
			u := make([]float64, n)
			for arm := range u {
				u[arm] = rng.NormFloat64()
			}
			in := namedArms(t, u)
			settings := racing.Settings{K: 3, Delta: 0.1, Epsilon: 0.2, Assume: strategy.Majority}
			s := simulate.Summarise(race(t, in, settings, func(e *simulate.Experiment) {
				e.Runs, e.Seed, e.Picks, e.Arrivals, e.MaxQuestions = runs, seed, 2, arrivals, 40_000
				e.Crowd = func(rng *rand.Rand) crowd.Respondent {
					return crowd.Drawn(func(*rand.Rand) []float64 { return u }, each, rng)
				}
			}))
			placed += s.Questions.Mean / instances
			for r := range uint64(runs) {
				f := finishing{utilities: u, each: each, rng: rand.New(rand.NewPCG(seed, 100+r)), cash: 1}
				finished += float64(f.run(arrivals)) / instances / runs
			}
		}
		ratio := placed / finished
		t.Logf("%g arrivals a minute: %.0f answers, %.0f if people count when they finish, %.2f times", c.perMinute, placed,
			finished, ratio)
		if !(ratio <= c.most) {
			t.Errorf("%g arrivals a minute: %.2f times the answers, more than %g", c.perMinute, ratio, c.most)
		}
	}
}

// namedArms is arms without features.
func namedArms(t *testing.T, utilities []float64) simulate.Instance {
	t.Helper()
	n := len(utilities)
	ids, rows := make([]string, n), make([][]float64, n)
	for i := range ids {
		ids[i], rows[i] = fmt.Sprint("a", i+1), make([]float64, n)
		rows[i][i] = 1
	}
	c, err := choice.NewCatalogue(ids, ids, rows)
	if err != nil {
		t.Fatal(err)
	}
	return simulate.Instance{Catalogue: c, Theta: utilities}
}

// finishing is a race in which a person counts when they finish, with stakes of that moment: simple, and wrong where
// people differ in pace. Half of the cash is invested in every new leader, the arm with the largest score in a
// model of Bradley and Terry with a N(0, 1) prior.
type finishing struct {
	utilities []float64
	each      int
	rng       *rand.Rand

	scores   []float64
	wins     [][]float64 // of the first over the second, over all answers
	compared [][]float64 // people
	people   int
	cash     float64
	nominees []finalist
}

// A finalist is a nominee with the capital invested in it, and by rival the log of the product since, now and at
// its highest.
type finalist struct {
	arm     int
	capital float64
	logs    []float64
	highest []float64
}

const finishShare, finishDelta = 0.55, 0.1 // p₀ and δ

// run returns the answers until an arm is elected.
func (f *finishing) run(arrivals float64) (answers int) {
	n := len(f.utilities)
	f.scores = make([]float64, n)
	for range n {
		f.wins, f.compared = append(f.wins, make([]float64, n)), append(f.compared, make([]float64, n))
	}
	type visitor struct {
		wins     [][]float64
		answered int
	}
	var people []visitor
	var queue moments
	next := 0.0
	for {
		if len(queue) == 0 || next <= queue[0].at {
			own := make([][]float64, n)
			for arm := range own {
				own[arm] = make([]float64, n)
			}
			people = append(people, visitor{wins: own})
			heap.Push(&queue, moment{next + f.rng.ExpFloat64(), len(people) - 1})
			next += f.rng.ExpFloat64() / arrivals
			continue
		}
		m, _ := heap.Pop(&queue).(moment)
		person := &people[m.who]
		order := f.question()
		noisy := make([]float64, n)
		for _, arm := range order {
			noisy[arm] = f.utilities[arm] + crowd.Gumbel(f.rng)
		}
		slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, noisy[b]-noisy[a])) })
		for i, winner := range order {
			for _, loser := range order[i+1:] {
				person.wins[winner][loser]++
			}
		}
		answers++
		if person.answered++; person.answered < f.each {
			heap.Push(&queue, moment{m.at + f.rng.ExpFloat64(), m.who})
		} else if f.count(person.wins) {
			return answers
		}
	}
}

// A moment is when a person answers.
type moment struct {
	at  float64
	who int
}

type moments []moment //nolint:recvcheck // as package heap has it

func (m moments) Len() int           { return len(m) }
func (m moments) Less(i, j int) bool { return m[i].at < m[j].at }
func (m moments) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *moments) Push(x any) {
	if at, ok := x.(moment); ok {
		*m = append(*m, at)
	}
}

func (m *moments) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

// leader returns the arm with the largest score.
func (f *finishing) leader() int { return slices.Index(f.scores, slices.Max(f.scores)) }

// question returns the leader and two rivals, drawn by the people that each still takes; at first, and sometimes later, any
// three arms.
func (f *finishing) question() []int {
	n := len(f.scores)
	if f.people < 6 || f.rng.Float64() < 0.05 {
		return f.rng.Perm(n)[:3]
	}
	leader := f.leader()
	at := slices.IndexFunc(f.nominees, func(x finalist) bool { return x.arm == leader })
	takes, least := make([]float64, n), make([]float64, n)
	for rival := range takes {
		if rival == leader {
			continue
		}
		least[rival], takes[rival] = 1e-9, 1
		if at >= 0 {
			loses := 1 / (1 + math.Exp(f.scores[leader]-f.scores[rival]))
			edge := max(finishShare-loses, 0.03)
			need := max(0, -math.Log(finishDelta*f.nominees[at].capital)-f.nominees[at].highest[rival])
			takes[rival] = need / (edge * edge / 2 / (edge*edge + loses*(1-loses)))
		}
	}
	q := []int{leader}
	for len(q) < 3 {
		total := 0.0
		for rival := range takes {
			total += takes[rival] + least[rival]
		}
		drawn, last := f.rng.Float64()*total, -1
		for rival := range takes {
			if w := takes[rival] + least[rival]; w > 0 {
				if last = rival; drawn < w {
					break
				}
				drawn -= w
			}
		}
		takes[last], least[last] = 0, 0
		q = append(q, last)
	}
	return q
}

// count counts a person who has finished, and reports whether an arm is elected.
func (f *finishing) count(own [][]float64) bool {
	for i := range f.nominees {
		x, elected := &f.nominees[i], true
		for rival := range x.logs {
			if rival == x.arm {
				continue
			}
			if won, lost := own[x.arm][rival], own[rival][x.arm]; won+lost > 0 {
				payoff := (finishShare*won - (1-finishShare)*lost) / (won + lost)
				x.logs[rival] += math.Log1p(f.stake(x.arm, rival) * payoff)
				x.highest[rival] = max(x.highest[rival], x.logs[rival])
			}
			elected = elected && math.Log(x.capital)+x.highest[rival] >= -math.Log(finishDelta)
		}
		if elected {
			return true
		}
	}
	for a := range own {
		for b := range own {
			f.wins[a][b] += own[a][b]
			if own[a][b]+own[b][a] > 0 {
				f.compared[a][b]++
			}
		}
	}
	if f.people++; f.people < 40 || f.people%4 == 0 {
		f.fit()
	}
	leader := f.leader()
	if f.people >= 6 && !slices.ContainsFunc(f.nominees, func(x finalist) bool { return x.arm == leader }) {
		f.cash /= 2
		n := len(f.scores)
		f.nominees = append(f.nominees, finalist{leader, f.cash, make([]float64, n), make([]float64, n)})
	}
	return false
}

// stake is Kelly's, shrunk while little is known.
func (f *finishing) stake(arm, rival int) float64 {
	const weight = 4
	total := f.wins[arm][rival] + f.wins[rival][arm]
	people := f.compared[arm][rival]
	times := max(1, float64(f.each)*2/float64(len(f.scores)))
	if people >= 3 {
		times = max(1, total/people)
	}
	loses := (f.wins[rival][arm] + weight/(1+math.Exp(f.scores[arm]-f.scores[rival]))) / (total + weight)
	edge := finishShare - loses
	if edge <= 0 {
		return 0.05
	}
	return min(edge/(edge*edge+loses*(1-loses)*(0.85/times+0.15)+0.25/(people+4)), 0.9/(1-finishShare))
}

// fit takes Newton steps towards the scores, one arm after the other.
func (f *finishing) fit() {
	for range 6 {
		for i := range f.scores {
			gradient, curvature := -f.scores[i], 1.0
			for j := range f.scores {
				if times := f.wins[i][j] + f.wins[j][i]; times > 0 {
					p := 1 / (1 + math.Exp(f.scores[j]-f.scores[i]))
					gradient += f.wins[i][j] - times*p
					curvature += times * p * (1 - p)
				}
			}
			f.scores[i] += gradient / curvature
		}
	}
}
