package checks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// arms are six in two dimensions.
func arms(t *testing.T) *choice.Catalogue {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 1))
	var ids []string
	var rows [][]float64
	for i := range 6 {
		ids, rows = append(ids, fmt.Sprint("a", i)), append(rows, []float64{rng.NormFloat64(), rng.NormFloat64()})
	}
	return must(choice.NewCatalogue(ids, []string{"x", "y"}, rows))
}

// study has answers of up to two picks by respondents who favour the first slot, some of them
// unknown.
func study(t *testing.T, answers int) *Study {
	t.Helper()
	s := must(NewStudy(arms(t)))
	more(t, s, answers, 1)
	return s
}

func more(t *testing.T, s *Study, answers int, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	for i := range answers {
		q := choice.Question(rng.Perm(6)[:3])
		utilities := s.arms.Utilities(nil, q, []float64{0.8, -0.4})
		utilities[0] += 0.5
		a := choice.Answer{Question: q, Picks: []int{choice.SamplePick(rng, utilities)}}
		if i%4 == 3 {
			a.Picks = append(a.Picks, (a.Picks[0]+1)%3)
		}
		if i%5 > 0 {
			a.Respondent = fmt.Sprint("r", i/7)
		}
		if err := s.Tell(a); err != nil {
			t.Fatal(err)
		}
	}
}

// copyOf makes a copy through what is saved.
func copyOf(t *testing.T, m *Monitor) *Monitor {
	t.Helper()
	data := must(json.Marshal(m.State()))
	var state State
	if err := json.Unmarshal(data, &state); err != nil {
		t.Fatal(err)
	}
	other := NewMonitor(m.arms, m.shown, m.tally)
	other.Restore(state)
	return other
}

// TestBetsAreFair: whatever was learned, the capital of every alternative is on average, over
// the picks by the plain model's own probabilities, what it was: Σ p̄·(q/p̄) = Σ q = 1.
func TestBetsAreFair(t *testing.T) {
	for _, answers := range []int{0, 1, 30, 300} {
		s := study(t, answers)
		for _, respondent := range []string{"", "r1", "r2000"} {
			shown := []int{4, 1, 3}
			if respondent == "r1" {
				shown[2] = 4 // an arm twice
			}
			p := Pick{Arms: shown, Shown: shown, Slots: []int{2, 0, 1}, Belief: &s.belief, Respondent: respondent}
			p.Shares = s.belief.Predict(s.arms, p.Arms)
			means := make([][]float64, checkCount)
			for picked, share := range p.Shares {
				m := copyOf(t, s.monitor)
				before := m.all()
				logs := make([][]float64, checkCount)
				for c, b := range before {
					logs[c] = append([]float64(nil), b.Logs...)
				}
				p.Picked = picked
				m.Observe(p)
				for c, b := range m.all() {
					for i, log := range b.Logs {
						if i < len(logs[c]) {
							log -= logs[c][i]
						}
						if i == len(means[c]) {
							means[c] = append(means[c], 0)
						}
						means[c][i] += share * math.Exp(log)
					}
				}
			}
			for c, mean := range means {
				if len(mean) == 0 {
					t.Errorf("%v bets on nothing", Check(c))
				}
				for _, x := range mean {
					approx.Equal(t, Check(c).String(), x, 1, 1e-9)
				}
			}
		}
	}
}

// TestBetsOnManyAreFair: also where there are too many arms to bet on all of them, and one is
// shown twice.
func TestBetsOnManyAreFair(t *testing.T) {
	var ids []string
	var rows [][]float64
	for i := range fewKeys + 6 {
		ids, rows = append(ids, fmt.Sprint("a", i)), append(rows, []float64{float64(i % 7), float64(i % 11)})
	}
	c := must(choice.NewCatalogue(ids, []string{"x", "y"}, rows))
	s := must(NewStudy(c))
	for i := range 400 {
		q := choice.Question{i % c.Len(), (3*i + 1) % c.Len(), (i + 5) % c.Len()}
		if err := s.Tell(choice.Answer{Question: q, Picks: []int{i % 3}}); err != nil {
			t.Fatal(err)
		}
	}
	shown := []int{8, 3, 8}
	p := Pick{Arms: shown, Shown: shown, Slots: []int{0, 1, 2}, Belief: &s.belief, Shares: s.belief.Predict(s.arms, shown)}
	means := map[int]float64{}
	for picked, share := range p.Shares {
		m := copyOf(t, s.monitor)
		before := append([]float64(nil), m.state.Appeal.Logs...)
		p.Picked = picked
		m.Observe(p)
		for i, log := range m.state.Appeal.Logs {
			means[i] += share * math.Exp(log-before[i])
		}
	}
	for i := range means {
		approx.Equal(t, "mean", means[i], 1, 1e-9)
	}
}

// TestEvidenceByDefinition: before there is a second start the evidence of a check is its
// weight, the mean of its bets and ∏p̄ over the largest likelihood.
func TestEvidenceByDefinition(t *testing.T) {
	s := study(t, 15)
	if len(s.monitor.prices) != 1 {
		t.Fatalf("%d starts", len(s.monitor.prices))
	}
	estimator := choice.Estimator{RidgeOnSum: 1e-9}
	theta := make([]float64, 2)
	if _, err := estimator.Fit(s.linear, theta); err != nil {
		t.Fatal(err)
	}
	predicted := s.monitor.prices[0].State().Predicted
	price := predicted - s.linear.LogLikelihood(theta)
	fresh := copyOf(t, s.monitor)
	for c := range fresh.state.Evidence {
		fresh.state.Evidence[c] = math.Inf(-1)
	}
	f := fresh.Look(s.belief.Fitted)
	for c, b := range fresh.all() {
		sum := fresh.alternatives()[c] - float64(len(b.Logs))
		for _, log := range b.Logs {
			sum += math.Exp(log)
		}
		want := math.Log(0.5) + price + math.Log(sum/fresh.alternatives()[c])
		approx.Equal(t, Check(c).String(), f.Each[c], want, 0.01)
		if f.Each[c] > want+1e-6 {
			t.Errorf("%v: %v is more than %v", Check(c), f.Each[c], want)
		}
	}
	approx.Equal(t, "the combination", fresh.state.Now, choice.LogSumExp(f.Each)-math.Log(6), 1e-12)
}

// TestStarts: bets count from the start, the first start stays, and of the others the oldest is
// given up.
func TestStarts(t *testing.T) {
	s := study(t, 0)
	m := s.monitor
	for begun := 2; begun <= 5; begun++ {
		for c, b := range m.all() {
			b.Logs = []float64{float64(begun), float64(10 * begun)}[:min(2, int(m.alternatives()[c]))]
		}
		m.begin()
		if got := m.state.Starts[len(m.state.Starts)-1].Weight; got != 1/float64(begun*(begun+1)) {
			t.Errorf("start %d has a weight of %v", begun, got)
		}
	}
	if len(m.prices) != keptStarts || m.state.Starts[0].Weight != 0.5 || m.state.Starts[1].Weight != 1./20 {
		t.Fatalf("kept %+v", m.state.Starts)
	}
	b := &m.state.Context.bets
	b.Logs = []float64{6, 60, 1}
	for k, want := range []float64{60, 20, 10} { // since the first, the fourth and the fifth
		approx.Equal(t, "value", b.value(k, 30), math.Log((math.Exp([]float64{6, 2, 1}[k])+math.Exp(want)+math.E+27)/30), 1e-12)
		if b.best(k) != 1 {
			t.Errorf("the best since start %d is %d", k, b.best(k))
		}
	}
}

// TestSucceed: the capital there was goes on, however often the arms change.
func TestSucceed(t *testing.T) {
	s := study(t, 30)
	s.monitor.state.Now = -5
	for range 2 {
		next := NewMonitor(s.arms, s.arms, s.tally)
		next.Succeed(s.monitor)
		approx.Equal(t, "carried", next.state.Carried, -5, 0)
		s.monitor = next
	}
	s.monitor.Look(s.belief.Fitted)
	if !(s.monitor.state.Now < -5) {
		t.Errorf("%v at once", s.monitor.state.Now)
	}
}

// TestRestoreIsReplay: a copy goes on as the original does.
func TestRestoreIsReplay(t *testing.T) {
	s := study(t, 400)
	other := *s
	other.monitor = copyOf(t, s.monitor)
	if len(s.monitor.prices) != keptStarts {
		t.Fatalf("%d starts", len(s.monitor.prices))
	}
	p := Pick{Arms: []int{4, 1, 3}, Shown: []int{4, 1, 3}, Slots: []int{2, 0, 1}, Belief: &s.belief, Respondent: "r3", Picked: 1}
	p.Shares = s.belief.Predict(s.arms, p.Arms)
	for range 50 {
		s.monitor.Observe(p)
		other.monitor.Observe(p)
	}
	if diff := cmp.Diff(s.monitor.Look(s.belief.Fitted), other.monitor.Look(s.belief.Fitted)); diff != "" {
		t.Error(diff)
	}
	one := must(json.Marshal(s.monitor.State()))
	two := must(json.Marshal(other.monitor.State()))
	if !bytes.Equal(one, two) {
		t.Error("the states differ")
	}
}

// TestRefuted: a strong bias is noticed, said in words, and stays.
func TestRefuted(t *testing.T) {
	s := study(t, 1500)
	f := s.Finding()
	if f.Status != Refuted || f.Check != Position || f.Each[Position] < refuted || f.Each[Drift] >= refuted {
		t.Fatalf("%+v", f)
	}
	if want := "what stands in some places of the screen is picked more often, place 1 most of all"; f.Sentence != want {
		t.Errorf("%q", f.Sentence)
	}
	next := NewMonitor(s.arms, s.arms, s.tally)
	next.Succeed(s.monitor)
	if got := next.Finding(); got.Status != Refuted || got.Sentence != f.Sentence {
		t.Errorf("with other arms %+v", got)
	}
}

// TestFindingsAreReadAsWritten tests the text encoding of findings, and that other text is
// rejected.
func TestFindingsAreReadAsWritten(t *testing.T) {
	for _, status := range []Status{Fits, Doubtful, Refuted} {
		for _, check := range All() {
			want := Finding{Status: status, Check: check, Sentence: "s", Evidence: 1.5, Each: []float64{1, 2}}
			text := must(json.Marshal(want))
			var got Finding
			if err := json.Unmarshal(text, &got); err != nil || !cmp.Equal(got, want) {
				t.Errorf("%s became %+v, %v", text, got, err)
			}
		}
	}
	for _, text := range []string{`{"status":"fit"}`, `{"check":"slots"}`, `{"status":1}`} {
		if json.Unmarshal([]byte(text), &Finding{}) == nil {
			t.Errorf("%s is read", text)
		}
	}
}

// must returns the value of a call, and panics if it failed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
