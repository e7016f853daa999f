package racing_test

import (
	"testing"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/racing"
	"bestpick/strategy/strategytest"
)

// restored is [racing.Restore] for the suite.
func restored(c *choice.Catalogue, data []byte) (strategy.Strategy, error) {
	return racing.Restore(c, data)
}

func TestConformance(t *testing.T) {
	subject := func(settings racing.Settings) strategytest.Subject {
		return strategytest.Subject{
			New: func(c *choice.Catalogue, k int, seed uint64) (strategy.Strategy, error) {
				settings.K, settings.Seed, settings.Delta = k, seed, 0.1
				return racing.New(c, settings)
			},
			Restore: restored, K: []int{3}, Questions: 400 / racing.Fewer,
		}
	}
	for name, settings := range map[string]racing.Settings{
		"slots":      {Model: racing.Model{Slots: true}},
		"intercepts": {Model: racing.Model{Intercepts: true}},
		"clicks":     {Model: racing.Model{Clicks: true, Slots: true}},
		"verify":     {LinearOnly: racing.LinearOnly{Verify: 0.5}},
		"budget":     {LinearOnly: racing.LinearOnly{Budget: 100}},
		"majority":   {Assume: strategy.Majority, Epsilon: 0.2},
		"fallback":   {Epsilon: 0.2, LinearOnly: racing.LinearOnly{Fallback: 0.25}},
	} {
		t.Run(name, func(t *testing.T) { strategytest.Run(t, subject(settings)) })
	}
	for name, settings := range map[string]racing.Settings{
		"top":              {LinearOnly: racing.LinearOnly{Top: 2}},
		"ranking":          {LinearOnly: racing.LinearOnly{Top: racing.TopAll}},
		"tolerant ranking": {Epsilon: 0.3, LinearOnly: racing.LinearOnly{Top: racing.TopAll}},
		"top with slots":   {Model: racing.Model{Slots: true}, LinearOnly: racing.LinearOnly{Top: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			s := subject(settings)
			s.Questions = 150
			strategytest.Run(t, s)
		})
	}
	for name, offer := range map[string]choice.Offer{
		"outside":    {Outside: true},
		"best-worst": {BestWorst: true},
		"ties":       {Ties: true},
		"all offers": {Outside: true, BestWorst: true, Ties: true},
	} {
		s := subject(racing.Settings{Offer: offer})
		s.Offer, s.Questions = offer, 150
		t.Run(name, func(t *testing.T) { strategytest.Run(t, s) })
	}
	t.Run("offers under majority", func(t *testing.T) {
		offer := choice.Offer{Outside: true, BestWorst: true, Ties: true}
		s := subject(racing.Settings{Offer: offer, Assume: strategy.Majority, Epsilon: 0.2})
		s.Offer, s.Questions = offer, 150
		strategytest.Run(t, s)
	})
	t.Run("plain", func(t *testing.T) {
		s := subject(racing.Settings{})
		s.K = []int{2, 3}
		strategytest.Run(t, s)
	})
	t.Run("tilts", func(t *testing.T) {
		s := subject(racing.Settings{})
		s.Instances = map[string]strategytest.Instance{"many for their features": veryMany(t, 12, 3)}
		strategytest.Run(t, s)
	})
	t.Run("a product and very many", func(t *testing.T) {
		s := subject(racing.Settings{})
		s.Questions, s.Instances = 70, map[string]strategytest.Instance{
			"a product":   productOf(t, 3, 2, 4),
			"two by two":  productOf(t, 2, 2),
			"a large one": productOf(t, 5, 5, 5, 5, 5),
			"very many":   veryMany(t, 5000, 3),
		}
		strategytest.Run(t, s)
	})
}
