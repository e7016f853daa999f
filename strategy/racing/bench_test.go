package racing

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/crowd"
)

// racingAfter returns the certified strategy after a number of answers about n arms. It cannot
// stop: δ is beyond all evidence.
func racingAfter(b *testing.B, n, d, k, answers int) *Linear {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	rows, ids, features, theta := make([][]float64, n), make([]string, n), make([]string, d), make([]float64, d)
	for i := range rows {
		ids[i], rows[i] = fmt.Sprint("a", i), make([]float64, d)
		for j := range rows[i] {
			rows[i][j] = rng.NormFloat64() / 4
		}
	}
	for j := range theta {
		features[j], theta[j] = fmt.Sprint("x", j), rng.NormFloat64()
	}
	c := must(choice.NewCatalogue(ids, features, rows))
	r := must(newLinear(c, Settings{K: k, Delta: 1e-300}, defaultLookSizes()))
	respondent := crowd.NewMNL(c, theta, rng)
	for range answers {
		q := must(r.Ask())
		if err := r.Tell(choice.Answer{Question: q, Picks: respondent.Pick(q, 1)}); err != nil {
			b.Fatal(err)
		}
	}
	return r
}

// BenchmarkRacingLook is a full look: estimate, challengers, stop check, deck. Every
// look directs the tilts anew, which is twice as often as in a race. The evidence is far from the
// threshold, so that there are no searches.
func BenchmarkRacingLook(b *testing.B) {
	r := racingAfter(b, 1000, 16, 4, 10_000)
	b.ReportMetric(float64(r.tally.Distinct()), "questions")
	for b.Loop() {
		r.state.Tilting.Next = 0
		r.look()
	}
}

// BenchmarkRacingAsk is asking from the deck.
func BenchmarkRacingAsk(b *testing.B) {
	r := racingAfter(b, 200, 8, 4, 3000)
	deck := append([]choice.Question(nil), r.state.Course.Deck...)
	for len(deck) < 2 {
		r.plan(r.planner())
		deck = append(deck, r.state.Course.Deck...)
	}
	b.ReportAllocs()
	for b.Loop() {
		if len(r.state.Course.Deck) == 0 {
			r.state.Course.Deck = append(r.state.Course.Deck[:0], deck...)
		}
		if _, err := r.Ask(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRacingMany is a full look at a million arms, with a deck of 200 questions, in passes:
// a pass is one matrix–vector product with the features, in the same run. The memory is the
// most that was in use from making the catalogue on, over that of the 32-bit features. Asking
// is from the deck, in microseconds.
func BenchmarkRacingMany(b *testing.B) {
	const n, d, answers = 1_000_000, 32, 500
	peak := watchMemory()
	ids, features, cells, theta := make([]string, n), make([]string, d), make([]float32, n*d), make([]float64, d)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range cells {
		cells[i] = float32(rng.NormFloat64())
	}
	for i := range ids {
		ids[i] = strconv.Itoa(i)
	}
	for k := range d {
		features[k], theta[k] = fmt.Sprint("x", k), rng.NormFloat64()/2
	}
	c := must(choice.NewDense(ids, features, cells))
	r := must(newLinear(c, Settings{K: 4, LookEvery: 1}, defaultLookSizes()))
	respondent := crowd.NewMNL(c, theta, rng)
	for range answers {
		q := must(r.Ask())
		if err := r.Tell(choice.Answer{Question: q, Picks: respondent.Pick(q, 1)}); err != nil {
			b.Fatal(err)
		}
	}
	var pass, look, ask float64
	seconds := func(f func()) float64 {
		start := time.Now()
		f()
		return time.Since(start).Seconds()
	}
	products := r.numbers.values
	for b.Loop() {
		pass += seconds(func() { c.Multiply(products, theta) })
		look += seconds(func() {
			r.look()
			for planned := len(r.state.Course.Deck); planned < 200; planned += len(r.state.Course.Deck) {
				r.plan(r.planner())
			}
		})
		asked := len(r.state.Course.Deck)
		ask += seconds(func() {
			for range asked {
				if _, err := r.Ask(); err != nil {
					b.Fatal(err)
				}
			}
		}) / float64(asked)
	}
	b.ReportMetric(1e3*pass/float64(b.N), "pass-ms")
	b.ReportMetric(look/pass, "passes/look")
	b.ReportMetric(1e6*ask/float64(b.N), "ask-µs")
	b.ReportMetric(peak()/(4*n*d), "memory/features")
}

// watchMemory collects garbage and watches the memory in use until what it returns is called,
// which returns the most there was.
func watchMemory() (peak func() float64) {
	inUse := func() uint64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	before, most := inUse(), uint64(0)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			most = max(most, inUse())
			select {
			case <-end:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	return func() float64 {
		close(end)
		<-ended
		return float64(most - before)
	}
}

// BenchmarkChecks is what the checks of the model add to a look: the bets on all answers since
// the last one, and as much of the weighing as falls to it. The ratio is to a look without.
func BenchmarkChecks(b *testing.B) {
	r := racingAfter(b, 1000, 16, 4, 10_000)
	q := r.state.Course.Deck[0]
	pick := checks.Pick{
		Arms: q, Shown: q, Slots: []int{0, 1, 2, 3},
		Shares: r.state.Belief.Predict(r.problem.rows.screen, q), Belief: &r.state.Belief, Respondent: "anna",
	}
	seconds := func(times int, f func()) float64 {
		start := time.Now()
		for range times {
			f()
		}
		return time.Since(start).Seconds() / float64(times)
	}
	var look, weigh, observe float64
	for b.Loop() {
		look += seconds(1, r.look)
		weigh += seconds(1, func() { r.monitor.Look(r.state.Belief.Fitted) })
		observe += seconds(100, func() { r.monitor.Observe(pick) })
	}
	n := float64(b.N)
	b.ReportMetric(1e3*look/n, "look-ms")
	b.ReportMetric(1e3*weigh/n, "weigh-ms")
	b.ReportMetric(1e6*observe/n, "observe-µs")
	b.ReportMetric((weigh/64/checkEvery+float64(r.pause())*observe)/look, "share-of-look")
}
