package study

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// flags are the features of settings, as bits that TestExclusions sets in all combinations.
func flags() []func(*Settings) {
	return []func(*Settings){
		func(s *Settings) { s.Strategy.Assume = strategy.Majority },
		func(s *Settings) { s.Strategy.Fallback = 0.25 },
		func(s *Settings) { s.Strategy.Verify = 0.5 },
		func(s *Settings) { s.Strategy.Top = 2 },
		func(s *Settings) {
			s.Strategy.Prior = &racing.Prior{Score: []float64{0}, Information: []float64{1}, Picks: 1}
		},
		func(s *Settings) { s.Strategy.Model.Slots = true },
		func(s *Settings) { s.Strategy.Model.Intercepts = true },
		func(s *Settings) { s.Strategy.Model.Clicks = true },
		func(s *Settings) {
			s.Strategy.Model.Segments = []racing.Segment{{Name: "a", Share: 1}, {Name: "b", Share: 1}}
		},
		func(s *Settings) { s.Strategy.Offer.Outside = true },
		func(s *Settings) { s.Strategy.Offer.Ties = true },
		func(s *Settings) { s.Strategy.Offer.BestWorst = true },
	}
}

// TestExclusions: settings have no problem exactly if racing accepts them, for all combinations of
// features and arms of all sizes.
func TestExclusions(t *testing.T) {
	for name, arms := range map[string]*choice.Catalogue{
		"few arms": line(t, 5), "512 arms": line(t, 512), "513 arms": line(t, 513), "4096 arms": line(t, 4096),
		"4097 arms": line(t, 4097), "a product": product(t),
	} {
		for set := range 1 << len(flags()) {
			s := Settings{}.WithDefaults()
			for bit, flag := range flags() {
				if set>>bit&1 == 1 {
					flag(&s)
				}
			}
			problems, err := s.Check(arms, 0, true), s.Strategy.Check(arms)
			if (problems == nil) != (err == nil) {
				t.Fatalf("%s: %+v: %v, racing says %v", name, s.Strategy, problems, err)
			}
		}
	}
}

// line returns arms on a line.
func line(t *testing.T, n int) *choice.Catalogue {
	t.Helper()
	ids, rows := make([]string, n), make([][]float64, n)
	for i := range n {
		ids[i], rows[i] = strconv.Itoa(i), []float64{float64(i) / float64(n)}
	}
	return must(t)(choice.NewCatalogue(ids, []string{"x"}, rows))
}

// product returns the eight profiles of three attributes.
func product(t *testing.T) *choice.Catalogue {
	t.Helper()
	var groups []choice.Group
	for i := range 3 {
		groups = append(groups, choice.Group{
			Options: []string{"no", "yes"}, Features: []string{strconv.Itoa(i)}, Rows: [][]float64{{0}, {1}},
		})
	}
	return must(t)(choice.NewProduct(groups))
}

func must(t *testing.T) func(*choice.Catalogue, error) *choice.Catalogue {
	t.Helper()
	return func(c *choice.Catalogue, err error) *choice.Catalogue {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

// TestLimitsInDocs: the documentation has the limits and exclusions of settings as tables.
func TestLimitsInDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/live-studies.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("| setting | values |\n|---|---|\n")
	for _, l := range Limits() {
		fmt.Fprintf(&want, "| `%s` | %s |\n", l.Field, l)
	}
	want.WriteString("\n| setting | not with | because |\n|---|---|---|\n")
	for _, e := range Exclusions() {
		fmt.Fprintf(&want, "| %s | %s | %s |\n", listed(e.Of, ""), listed(e.With, e.Unless), e.Why)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/live-studies.md lacks these tables:\n%s", want.String())
	}
}

// listed returns features as a list, with the names of settings as code.
func listed(features []racing.Feature, unless racing.Feature) string {
	var list []string
	for _, f := range features {
		if name := string(f); strings.Contains(name, " ") {
			list = append(list, name)
		} else {
			list = append(list, "`"+name+"`")
		}
	}
	text := strings.Join(list, ", ")
	if unless != "" {
		text += ", unless `" + string(unless) + "`"
	}
	return text
}

// TestCheckLimits: a value outside its range is a problem of its field, and other settings and the arms
// narrow ranges.
func TestCheckLimits(t *testing.T) {
	for want, change := range map[string]func(*Settings){
		"settings.k: k must be 2 to 5 (the study has 5 arms), got 6":                                                       func(s *Settings) { s.Strategy.K = 6 },
		"settings.k: k must be 3 to 5 (the study has 5 arms), got 2":                                                       func(s *Settings) { s.Strategy.K, s.Strategy.Offer.BestWorst = 2, true },
		"settings.picks: picks must be 1 to 2 (fewer than the arms in a question), got 3":                                  func(s *Settings) { s.Picks = 3 },
		"settings.delta: delta must be 1e-100 to 0.5, got 0.6":                                                             func(s *Settings) { s.Strategy.Delta = 0.6 },
		"settings.fallback: fallback must be at least 0 and less than 1, got 1":                                            func(s *Settings) { s.Strategy.Fallback = 1 },
		"settings.epsilon: epsilon must be 0 to 50, got NaN":                                                               func(s *Settings) { s.Strategy.Epsilon = math.NaN() },
		"settings.top: top must be -1 to 5 (fewer than all arms), got 6":                                                   func(s *Settings) { s.Strategy.Top = 6 },
		"settings.lease_seconds: lease_seconds must be 1 to 2592000, got 0.5":                                              func(s *Settings) { s.Lease = time.Second / 2 },
		"settings.best_worst: best_worst cannot be combined with picks above 1: the answer is the best and the worst arm":  func(s *Settings) { s.Picks, s.Strategy.Offer.BestWorst = 2, true },
		"settings.judges: judges cannot be combined with no contexts: a verdict about judges is about the mix of contexts": func(s *Settings) { s.Judges = true },
		"settings.least_days: least_days must be 0 to 365, got 366":                                                        func(s *Settings) { s.LeastDays = 366 },
		"settings: prior cannot be combined with majority: recorded choices are not answers of the people who are asked":   func(s *Settings) { s.Strategy.Prior, s.Strategy.Assume = &racing.Prior{}, strategy.Majority },
	} {
		s := Settings{}.WithDefaults()
		change(&s)
		err := s.Check(line(t, 6), 1, false)
		if err == nil || err.Error() != want || !errors.Is(err, ErrInvalid) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestExcluding: majority is ruled out by what cannot be combined with it, and by nothing else.
func TestExcluding(t *testing.T) {
	var linear Settings
	for _, c := range []struct {
		arms   *choice.Catalogue
		change func(*Settings)
		want   racing.Feature
	}{
		{line(t, 5), func(*Settings) {}, ""},
		{nil, func(*Settings) {}, ""},
		{line(t, 5), func(s *Settings) { s.Strategy.Offer.Ties = true }, ""},
		{line(t, 513), func(*Settings) {}, racing.ManyPairs},
		{product(t), func(*Settings) {}, racing.Product},
		{line(t, 5), func(s *Settings) { s.Strategy.Prior = &racing.Prior{} }, racing.PriorGiven},
		{line(t, 5), func(s *Settings) { s.Strategy.Model.Slots = true }, racing.Slots},
		{line(t, 5), func(s *Settings) { s.Strategy.Verify = 1 }, racing.Verify},
	} {
		s := linear
		c.change(&s)
		if got := racing.Excluding(s.features(c.arms), Exclusions(), racing.Majority); got != c.want {
			t.Errorf("%+v: %q, want %q", s, got, c.want)
		}
	}
}

// TestSet: a setting that is set to its text is unchanged, invalid texts change nothing, and the texts of
// forms are read.
func TestSet(t *testing.T) {
	deadline := time.Date(2100, 1, 31, 18, 30, 15, 0, time.UTC)
	for _, c := range []struct {
		name, text string
		ok         bool
		then       string // its text afterwards
	}{
		{"k", "4", true, "4"},
		{"k", "", false, "3"},
		{"k", "4.5", false, "3"},
		{"top", "1", true, "1"},
		{"top", "0", false, "1"},
		{"top", "-1", true, "-1"},
		{"each", "", true, ""},
		{"each", "0", false, "7"},
		{"budget", "100", true, "100"},
		{"delta", "0.01", true, "0.01"},
		{"delta", "small", false, "0.05"},
		{"ties", "true", true, "true"},
		{"ties", "maybe", false, "false"},
		{"assume", "majority", true, "majority"},
		{"assume", "", false, "linear"},
		{"deadline", "", true, ""},
		{"deadline", "2100-01-31T18:30", true, "2100-01-31T18:30"},
		{"deadline", "tomorrow", false, "2100-01-31T18:30"},
		{"seed", "1", false, ""}, // not in forms
		{"unknown", "1", false, ""},
	} {
		s := Settings{PerRespondent: 7, Deadline: deadline}.WithDefaults()
		s.Strategy.Assume = "linear"
		if ok := s.Set(c.name, c.text); ok != c.ok || s.Text(c.name) != c.then {
			t.Errorf("%s %q: %v, %q", c.name, c.text, ok, s.Text(c.name))
		}
		if c.then == "2100-01-31T18:30" && !s.Deadline.Equal(deadline) {
			t.Errorf("the deadline loses its seconds: %v", s.Deadline)
		}
	}
}

// TestKeys: a purpose has one key; other purposes and other secrets have other keys.
func TestKeys(t *testing.T) {
	one, other := []byte("one secret of the store"), []byte("another secret of a store")
	key := Key(one, "a")
	if len(key) != 32 || !bytes.Equal(key, Key(one, "a")) {
		t.Errorf("%x", key)
	}
	for _, different := range [][]byte{Key(one, "b"), Key(other, "a"), one} {
		if bytes.Equal(key, different) {
			t.Errorf("%x twice", key)
		}
	}
}
