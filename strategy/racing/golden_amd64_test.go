package racing_test

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestDecisionsOfFixedSeeds: the questions and the verdict of a seed are what they have always
// been, so that existing studies replay. Eight arms with two features have tilts. The hashes hold on amd64: other
// processors round some sums differently.
func TestDecisionsOfFixedSeeds(t *testing.T) {
	segments := []racing.Segment{{Name: "a", Share: 1}, {Name: "b", Share: 2}}
	plain := racing.Settings{}
	with := func(m racing.Model) racing.Settings { return racing.Settings{Model: m} }
	for name, want := range map[string]struct {
		settings racing.Settings
		k, picks int
		hash     uint64
	}{
		"plain":      {plain, 3, 1, 0xd0372217c38cf125},
		"rankings":   {plain, 4, 4, 0x97f56e6484c53f0e},
		"slots":      {with(racing.Model{Slots: true}), 3, 2, 0xb42796ad2bf164ba},
		"clicks":     {with(racing.Model{Clicks: true}), 2, 1, 0x46214e9ce3ccb18a},
		"intercepts": {with(racing.Model{Intercepts: true}), 3, 1, 0xe4c8a84ed26cd1d},
		"segments":   {with(racing.Model{Segments: segments}), 3, 1, 0xeb7acde8e32fd284},
		"majority":   {racing.Settings{Assume: strategy.Majority, Epsilon: 0.2}, 3, 1, 0xa093441bbe0ab49},
		"fallback":   {racing.Settings{Epsilon: 0.2, LinearOnly: racing.LinearOnly{Fallback: 0.25}}, 3, 1, 0xca9c97db0dc95f72},
	} {
		t.Run(name, func(t *testing.T) {
			hash := fnv.New64a()
			note := func(n int) { _, _ = hash.Write(append(strconv.AppendInt(nil, int64(n), 10), ' ')) }
			for seed := range uint64(4) {
				rng := rand.New(rand.NewPCG(seed, 3))
				var rows [][]float64
				for range 8 {
					rows = append(rows, []float64{rng.NormFloat64(), rng.NormFloat64()})
				}
				c := catalogue(t, rows...)
				settings := want.settings
				settings.K, settings.Seed = want.k, seed
				r := must(racing.New(c, settings))
				respondent := crowd.NewMNL(c, []float64{1.5 * rng.NormFloat64(), rng.NormFloat64()}, rng)
				for i := range 400 {
					q, err := r.Ask()
					if err != nil {
						break
					}
					for _, arm := range q {
						note(arm)
					}
					if err := r.Tell(choice.Answer{
						Question: q, Picks: respondent.Pick(q, want.picks),
						Segment: segments[i%2].Name,
					}); err != nil {
						t.Fatal(err)
					}
				}
				v := r.Verdict()
				note(v.Leader)
				note(v.Answered)
				note(int(v.Status))
			}
			if got := hash.Sum64(); got != want.hash {
				t.Errorf("%q: %#x, want %#x", name, got, want.hash)
			}
		})
	}
}
