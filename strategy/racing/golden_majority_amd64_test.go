package racing_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestVerdictsOfFixedSeeds: the questions and complete verdicts of races with majority evidence are what
// they have always been: with respondents, segments, other answers, a cycle, a fallback, imported answers,
// and arms that come and go. The hashes hold on amd64.
func TestVerdictsOfFixedSeeds(t *testing.T) {
	segments := []racing.Segment{{Name: "a", Share: 1}, {Name: "b", Share: 2}}
	all := choice.Offer{Outside: true, BestWorst: true, Ties: true}
	fallback, verified := racing.LinearOnly{Fallback: 0.25}, racing.LinearOnly{Fallback: 0.25, Verify: 0.5}
	for name, c := range map[string]struct {
		settings racing.Settings
		crowd    func(arm, other, person int) float64 // probability of the first
		hash     uint64
	}{
		"majority": {racing.Settings{Assume: strategy.Majority, Epsilon: 0.2}, byAppeal, 0xd2e974cb3b297c66},
		"segments": {
			racing.Settings{Assume: strategy.Majority, Epsilon: 0.2, Model: racing.Model{Segments: segments}},
			byAppeal, 0x4c9a1810ae112593,
		},
		"offers":   {racing.Settings{Assume: strategy.Majority, Epsilon: 0.2, Offer: all}, byAppeal, 0x69a1a31df3f94b52},
		"cycle":    {racing.Settings{Assume: strategy.Majority, Epsilon: 0.1, Delta: 0.2}, byCycle, 0xda24f8ec07578133},
		"fallback": {racing.Settings{Epsilon: 0.2, LinearOnly: verified}, byAppeal, 0xf8deafa39c5850f5},
		"refuted":  {racing.Settings{Epsilon: 0.1, Delta: 0.2, LinearOnly: fallback}, byCycle, 0x7d80cdcdcb223cee},
	} {
		t.Run(name, func(t *testing.T) {
			hash := fnv.New64a()
			for seed := range uint64(3) {
				runPeople(t, c.settings, seed, c.crowd, func(line string) { _, _ = hash.Write([]byte(line)) })
			}
			if got := hash.Sum64(); got != c.hash {
				t.Errorf("%q: %#x, want %#x", name, got, c.hash)
			}
		})
	}
}

func byAppeal(arm, other, person int) float64 {
	return 1 / (1 + math.Exp(float64(other-arm)/2+float64(person%3-1)))
}

func byCycle(arm, other, _ int) float64 {
	const beats = 0.9
	switch {
	case arm >= 3 && other >= 3:
		return 0.5
	case arm >= 3:
		return 1 - beats
	case other >= 3:
		return beats
	case (arm+1)%3 == other:
		return beats
	}
	return 1 - beats
}

// runPeople runs a race with people who answer eight questions each, with changes on the way.
func runPeople(t *testing.T, settings racing.Settings, seed uint64, prefers func(arm, other, person int) float64,
	note func(string),
) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	rows := make([][]float64, 7)
	for i := range rows {
		rows[i] = []float64{rng.NormFloat64(), rng.NormFloat64()}
	}
	c := catalogue(t, rows[:6]...)
	settings.K, settings.Seed = 3, seed
	s := must(racing.New(c, settings))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	answer := func(q choice.Question, person int) choice.Answer {
		best := 0
		for slot := range q {
			if rng.Float64() < prefers(q[slot], q[best], person) {
				best = slot
			}
		}
		a := choice.Answer{Question: q, Picks: []int{best}, Respondent: fmt.Sprint("p", person), Segment: []string{"a", "b"}[person%2]}
		if settings.Offer.BestWorst {
			a.Picks = append(a.Picks, (best+1)%len(q))
			if person%5 == 0 {
				a.Picks = []int{choice.None}
			}
		}
		return a
	}
	for person := range 240 {
		if person == 30 && seed == 1 {
			must(s.Withdraw(4))
		}
		if person == 40 && seed == 1 {
			c = catalogue(t, rows...)
			must(s.Extend(c))
		}
		if seed == 2 && person%10 == 3 {
			must(s.Import(answer(choice.Question{0, 1, 2}, 1000+person)))
		}
		var hand []choice.Question
		for range 8 {
			q, err := s.Ask()
			if err != nil {
				break
			}
			note(fmt.Sprint(q))
			hand = append(hand, q)
		}
		name := fmt.Sprint("p", person)
		dealer, ok := s.(strategy.Dealer)
		if !ok {
			t.Fatal("the race deals no hands")
		}
		must(dealer.Deal(name, []string{"a", "b"}[person%2], hand))
		for _, q := range hand {
			if rng.IntN(20) > 0 {
				must(s.Tell(answer(q, person)))
			}
		}
		must(dealer.End(name))
		v := s.Verdict()
		text, err := json.Marshal(v) //nolint:musttag // a hash needs no names of fields
		must(err)
		note(string(text))
		if person%25 == 24 {
			data, err := s.Snapshot()
			must(err)
			s, err = racing.Restore(c, data)
			must(err)
		}
	}
}
