package api

import (
	"encoding/json"
	"reflect"
	"time"

	"bestpick/checks"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/strategy"
	"bestpick/strategy/racing"
	"bestpick/wire"
)

func writeSettings(s study.Settings) wire.Settings {
	w := wire.Settings{
		K: s.Strategy.K, Picks: s.Picks, Delta: s.Strategy.Delta, Assume: string(s.Assumption()), Epsilon: &s.Strategy.Epsilon,
		Top: s.Strategy.Top, Each: s.PerRespondent, Plain: s.HideAttributes, Lease: s.Lease.Seconds(), Grace: s.Grace.Seconds(),
		Seed: s.Strategy.Seed, Judges: s.Judges, People: &s.LeastPeople, Days: s.LeastDays,
		Fakes: &s.Strategy.Fakes, Weighted: s.Strategy.Weighted,
		Reading: s.Rules.Reading, Network: s.Rules.Network, Straight: s.Rules.Straight, Notes: s.Notes,
		Audience: s.Audience.String(),
	}
	w.Outside, w.Ties, w.Worst = s.Strategy.Offer.Outside, s.Strategy.Offer.Ties, s.Strategy.Offer.BestWorst
	w.Budget, w.Deadline, w.Keep = unlessZero(s.Budget), unlessZero(s.Deadline), unlessZero(s.Retention)
	if s.Strategy.Assume != strategy.Majority {
		w.Verify, w.Fallback = &s.Strategy.Verify, &s.Strategy.Fallback
	}
	if s.Grace < 0 {
		w.Grace = study.NoGrace
	}
	if m := s.Strategy.Model; m.Slots || m.Intercepts || m.Clicks || len(m.Segments) > 0 {
		w.Model = convert[*wire.Model](m)
	}
	return w
}

// unlessZero returns a pointer to a value, nil if it is zero, and valueOf the reverse.
func unlessZero[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}

func valueOf[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// readSettings converts settings from JSON. Package study sets defaults for missing ones, and those of
// the guarantee depend on the arms.
func readSettings(w wire.Settings) (study.Settings, owner.Guarantee, error) {
	wanted := owner.Guarantee{
		Assume: strategy.Assumption(w.Assume), Epsilon: w.Epsilon, Verify: w.Verify, Fallback: w.Fallback,
		Fakes: w.Fakes,
	}
	if w.Grace < 0 && w.Grace != study.NoGrace {
		return study.Settings{}, wanted, study.Invalid("settings.grace_seconds", "grace_seconds must be -1 or at least 0")
	}
	s := study.Settings{
		Strategy: racing.Settings{K: w.K, Delta: w.Delta, Seed: w.Seed, Weighted: w.Weighted, Top: w.Top},
		Picks:    w.Picks, PerRespondent: w.Each, HideAttributes: w.Plain, Lease: seconds(w.Lease), Grace: seconds(w.Grace),
		Judges: w.Judges, LeastPeople: study.DefaultLeastPeople, LeastDays: w.Days, Notes: w.Notes,
		Rules: checks.Rules{Reading: w.Reading, Network: w.Network, Straight: w.Straight},
	}
	s.Audience, _ = study.ParseAudience(w.Audience) // the schema has checked it
	s.Budget, s.Deadline, s.Retention = valueOf(w.Budget), valueOf(w.Deadline), valueOf(w.Keep)
	if w.People != nil {
		s.LeastPeople = *w.People
	}
	s.Strategy.Offer.Outside, s.Strategy.Offer.Ties, s.Strategy.Offer.BestWorst = w.Outside, w.Ties, w.Worst
	if w.Model != nil {
		s.Strategy.Model = convert[racing.Model](w.Model)
	}
	return s, wanted, nil
}

// mergeSettings applies a change of settings, as JSON, to the settings of a study. In a draft, a change of
// what may rule out parts of the guarantee leaves its other parts to their defaults.
func mergeSettings(s study.Study, change []byte) (merged wire.Settings, err error) {
	merged = writeSettings(s.Settings)
	var named struct {
		Settings map[string]json.RawMessage `json:"settings"`
	}
	if err := json.Unmarshal(change, &named); err != nil {
		return merged, err
	}
	for _, field := range []string{"assume", "model", "top", "outside", "ties", "best_worst"} {
		if _, is := named.Settings[field]; is && s.State == study.Draft {
			merged.Assume, merged.Epsilon, merged.Verify, merged.Fallback = "", nil, nil, nil
		}
	}
	for _, field := range []string{"assume", "model", "top", "outside", "ties", "best_worst", "fallback", "judges"} {
		if _, is := named.Settings[field]; is && s.State == study.Draft {
			merged.Fakes = nil
		}
	}
	if _, is := named.Settings["model"]; is {
		merged.Model = nil // which is replaced, not merged
	}
	text, err := json.Marshal(named.Settings)
	must(err)
	return merged, json.Unmarshal(text, &merged)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// convert returns a value as another type with the same fields in JSON.
func convert[To any](from any) (to To) {
	text, err := json.Marshal(from)
	must(err)
	must(json.Unmarshal(text, &to))
	return to
}

// writePage returns a presentation as it goes over the wire, or nil for the default.
func writePage(p study.Presentation) *wire.Page {
	if reflect.DeepEqual(p, study.Presentation{}) {
		return nil
	}
	return convert[*wire.Page](p)
}

// writeProfile returns profile questions as they go over the wire, or nil if there are none.
func writeProfile(questions []study.ProfileQuestion) *wire.Profile {
	if len(questions) == 0 {
		return nil
	}
	return &wire.Profile{Questions: convert[[]wire.ProfileQuestion](questions)}
}
