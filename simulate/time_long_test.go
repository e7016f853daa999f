//go:build long

package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// A timedCase is people whose time is compared.
type timedCase struct {
	name     string
	instance simulate.Instance
	crowd    func(*rand.Rand) crowd.Respondent
}

func timedCases(t *testing.T) (cases []timedCase) {
	t.Helper()
	const each = 10
	add := func(name string, in simulate.Instance, p simulate.Population) {
		with, population := p.Of(in)
		cases = append(cases, timedCase{name, with, func(rng *rand.Rand) crowd.Respondent { return crowd.Drawn(population, each, rng) }})
	}
	for _, n := range []int{6, 12, 24} {
		for seed := range uint64(2) {
			add(fmt.Sprintf("%d names, seed %d", n, seed+1), named(t, n, seed+1), simulate.Population{})
		}
	}
	for seed := range uint64(3) {
		add(fmt.Sprintf("12 arms with features, seed %d", seed+1), sphereOf(t, 12, 4, 2, seed+1), simulate.Population{})
	}
	add("random coefficients", sphereOf(t, 12, 4, 2, 1), simulate.Population{Coefficients: 1})
	in, people := must2(t, simulate.Trouble{Kind: "clones", Share: 0.65, Each: each}, 6)
	return append(cases, timedCase{"6 arms, clones 65%", in, people})
}

func must2(t *testing.T, trouble simulate.Trouble, n int) (simulate.Instance, func(*rand.Rand) crowd.Respondent) {
	t.Helper()
	in, people, err := trouble.Of(n)
	if err != nil {
		t.Fatal(err)
	}
	return in, people
}

// TestLongTimeOfRespondents: questions of three arms that are ranked take less of the respondents' time until an
// arm is certified than pairs, so they are the default under majority. The time of a question is that of reading its
// cards, and of one tap for every arm but the last: three seconds per card and one per tap. It is reported as
// well where only cards, and where only taps take time, so that the choice can be made for other texts.
func TestLongTimeOfRespondents(t *testing.T) {
	const runs, perCard, perTap = 40, 3.0, 1.0
	var cards, taps, seconds [2]float64 // relative to pairs
	cases := timedCases(t)
	for _, c := range cases {
		var questions, people, shown, tapped, time [2]float64
		for i, k := range []int{2, 3} {
			s := race(t, c.instance, racing.Settings{K: k, Epsilon: 0.2, Assume: strategy.Majority}, func(e *simulate.Experiment) {
				e.Runs, e.MaxQuestions, e.Picks, e.Crowd = runs, 20_000, k-1, c.crowd
			})
			for _, run := range s {
				questions[i] += float64(run.Questions) / runs
				people[i] += float64(run.People) / runs
				for _, times := range run.Shown {
					shown[i] += float64(times) / runs
				}
			}
			tapped[i] = shown[i] - questions[i]
			time[i] = perCard*shown[i] + perTap*tapped[i]
		}
		t.Logf("| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.2f |", c.name, questions[0], questions[1], people[0], people[1],
			time[0]/60, time[1]/60, time[1]/time[0])
		cards[1] += shown[1] / shown[0] / float64(len(cases))
		taps[1] += tapped[1] / tapped[0] / float64(len(cases))
		seconds[1] += time[1] / time[0] / float64(len(cases))
	}
	t.Logf("three ranked against pairs, mean: %.2f of the cards, %.2f of the taps, %.2f of the time", cards[1], taps[1], seconds[1])
	if !(seconds[1] < 1) {
		t.Errorf("three ranked take %.2f times the time of pairs", seconds[1])
	}
}
