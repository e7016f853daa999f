package racing_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestSettingsAreRefused: settings that are out of range, or cannot be combined with each other or with the
// arms, are errors that say why.
func TestSettingsAreRefused(t *testing.T) {
	few := catalogue(t, []float64{1, 0}, []float64{0, 1}, []float64{-1, 0}, []float64{0, -1})
	product, pairs, many := productOf(t, 3, 3).Catalogue, veryMany(t, 513, 2).Catalogue, veryMany(t, 5000, 2).Catalogue
	outside, majority := choice.Offer{Outside: true}, strategy.Majority
	segments := func(shares ...float64) racing.Model {
		var m racing.Model
		for i, share := range shares {
			m.Segments = append(m.Segments, racing.Segment{Name: "abc"[i : i+1], Share: share})
		}
		return m
	}
	slots, intercepts, clicks := racing.Model{Slots: true}, racing.Model{Intercepts: true}, racing.Model{Clicks: true}
	type only = racing.LinearOnly
	for _, c := range []struct {
		arms *choice.Catalogue
		s    racing.Settings
		why  string
	}{
		{few, racing.Settings{Assume: "nothing"}, "assumption"},
		{few, racing.Settings{LinearOnly: only{Budget: -1}}, "budget"},
		{few, racing.Settings{Assume: majority, LinearOnly: only{Budget: 100}}, "budget"},
		{few, racing.Settings{LinearOnly: only{Fallback: 1}}, "less than 1"},
		{few, racing.Settings{LinearOnly: only{Verify: -1}}, "appeal"},
		{few, racing.Settings{Top: 4}, "less than the number of arms"},
		{few, racing.Settings{Top: -2}, "Top must be -1"},
		{few, racing.Settings{Offer: choice.Offer{BestWorst: true}, K: 2}, "at least 3 arms"},
		{few, racing.Settings{Model: segments(1)}, "at least two segments"},
		{
			few,
			racing.Settings{Model: racing.Model{Segments: []racing.Segment{{Name: "a", Share: 1}, {Name: "a", Share: 1}}}},
			"repeated",
		},
		{few, racing.Settings{Model: segments(1, 0)}, "positive"},
		{few, racing.Settings{Assume: majority, LinearOnly: only{Fallback: 0.2}}, "fallback cannot be combined with majority"},
		{few, racing.Settings{Assume: majority, LinearOnly: only{Verify: 0.5}}, "verify cannot be combined with majority"},
		{few, racing.Settings{Assume: majority, Top: racing.TopAll}, "a ranking cannot be combined with majority"},
		{few, racing.Settings{Assume: majority, LinearOnly: only{Prior: &racing.Prior{}}}, "prior cannot be combined with majority"},
		{few, racing.Settings{Assume: majority, Model: slots}, "majority cannot be combined with slots"},
		{few, racing.Settings{Top: 2, LinearOnly: only{Fallback: 0.2}}, "top cannot be combined with fallback"},
		{few, racing.Settings{Top: 2, LinearOnly: only{Verify: 0.2}}, "top cannot be combined with verify"},
		{few, racing.Settings{Model: clicks, Top: 2}, "top cannot be combined with clicks"},
		{product, racing.Settings{Top: 2}, "top cannot be combined with a product"},
		{pairs, racing.Settings{Top: 2}, "top cannot be combined with more than 512 arms"},
		{pairs, racing.Settings{Assume: majority}, "majority cannot be combined with more than 512 arms"},
		{
			few,
			racing.Settings{Model: segments(1, 1), LinearOnly: only{Prior: &racing.Prior{}}},
			"prior cannot be combined with segments",
		},
		{few, racing.Settings{Offer: outside, Model: slots}, "outside cannot be combined with slots"},
		{few, racing.Settings{Offer: outside, Model: segments(1, 2)}, "outside cannot be combined with segments"},
		{few, racing.Settings{Offer: outside, LinearOnly: only{Verify: 0.5}}, "outside cannot be combined with verify"},
		{few, racing.Settings{Offer: outside, LinearOnly: only{Fallback: 0.2}}, "outside cannot be combined with fallback"},
		{few, racing.Settings{Model: racing.Model{Clicks: true, Intercepts: true}}, "clicks cannot be combined with intercepts"},
		{product, racing.Settings{Model: slots}, "slots cannot be combined with a product"},
		{many, racing.Settings{Model: intercepts}, "intercepts cannot be combined with more than 4,096 arms"},
		{many, racing.Settings{LinearOnly: only{Verify: 0.5}}, "verify cannot be combined with more than 4,096 arms"},
	} {
		if r, err := racing.New(c.arms, c.s); r != nil || err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", c.why, err)
		}
	}
	for _, s := range []racing.Settings{
		{Offer: outside, Model: intercepts},
		{Offer: outside, Assume: majority, Model: segments(1, 1)},
	} {
		if _, err := racing.New(few, s); err != nil {
			t.Error(err)
		}
	}
}

// TestBudget: a budget that suffices changes no question, and a small one does.
func TestBudget(t *testing.T) {
	const answers = 300
	c := catalogue(t, randomRows(rand.New(rand.NewPCG(1, 9)), 12)...)
	asked := func(s racing.Settings) (questions []choice.Question) {
		respondent := crowd.NewMNL(c, []float64{0.3, 0.2}, rand.New(rand.NewPCG(2, 9)))
		r := must(racing.New(c, s))
		for range answers {
			q := must(r.Ask())
			questions = append(questions, q)
			if err := r.Tell(choice.Answer{Question: q, Picks: respondent.Pick(q, 1)}); err != nil {
				t.Fatal(err)
			}
		}
		return questions
	}
	without := asked(racing.Settings{})
	if !reflect.DeepEqual(asked(racing.Settings{LinearOnly: racing.LinearOnly{Budget: 1_000_000_000}}), without) {
		t.Error("an ample budget changes the questions")
	}
	if reflect.DeepEqual(asked(racing.Settings{LinearOnly: racing.LinearOnly{Budget: answers}}), without) {
		t.Error("a small budget changes no question")
	}
}
