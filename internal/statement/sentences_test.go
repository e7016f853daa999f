package statement_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/strategy"
)

var write = flag.Bool("write-sentences", false, "write the sentences of all combinations to testdata")

const kept = "testdata/sentences.txt"

// forbidden are words of certainty, words about all other options together, and what is left of a template.
var forbidden = []string{
	"certain", "would choose another", "choose another option", "{", "}", "  ", "eine andere Option wählen", "mit Sicherheit",
}

// TestSentences compares the sentences of every combination of what a verdict says, about whom, how options are compared,
// and what it is based on, in all languages, with testdata. No sentence claims certainty, or speaks of all other options
// together.
func TestSentences(t *testing.T) {
	var text strings.Builder
	for _, w := range statement.Languages() {
		for _, c := range combinations() {
			sentence := w.Sentence(c.facts)
			fmt.Fprintf(&text, "%s, %s\n\t%s\n", w.Language, c.name, sentence)
			for _, word := range forbidden {
				if strings.Contains(sentence, word) {
					t.Errorf("%s: %q has %q", c.name, sentence, word)
				}
			}
		}
	}
	for _, w := range statement.Languages() {
		for _, f := range []statement.Facts{
			{},
			{Choosers: true},
			{Partial: true, Assumption: strategy.Majority},
			{Judges: true},
			{Judges: true, Choosers: true},
			{Judges: true, Partial: true, Assumption: strategy.Majority},
			{Assumption: strategy.Linear},
			{ByHand: 1},
		} {
			f.Leader, f.Delta = "Orb", 0.05
			fmt.Fprintf(&text, "%s, ranking\n\t%s\n\t%s\n", w.Language, w.Shares(f, true), w.Shares(f, false))
		}
	}
	if *write {
		if err := os.WriteFile(kept, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	got, expected := strings.Split(text.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(expected)) {
		if i >= len(got) || i >= len(expected) || got[i] != expected[i] {
			t.Fatalf("line %d of %s differs; after a change of words run this test with -write-sentences", i+1, kept)
		}
	}
}

type combination struct {
	name  string
	facts statement.Facts
}

// combinations returns each kind of verdict, about people and judges, with each way to compare options, and then each
// basis.
func combinations() (list []combination) {
	base := statement.Facts{
		State: "done", Reason: "certified", Status: "certified", Assumption: strategy.Majority, Answers: 620, Leader: "Orb",
		Delta: 0.05, Epsilon: 0.2, People: 64, Finished: 58, Left: 6, Missing: 0.25, Span: 70 * time.Hour,
		Proven: "Orb", Share: 0.55, FirstChoice: 0.312, Fakes: 2, Withstands: 2,
	}
	undecided := func(reason string) func(f *statement.Facts) {
		return func(f *statement.Facts) {
			f.Status, f.Reason, f.Share, f.Others, f.Missing = "asking", reason, 0.61, []string{"Arm brass"}, 0
		}
	}
	verdicts := map[string]func(f *statement.Facts){
		"certified":            func(*statement.Facts) {},
		"certified, ε = 0":     func(f *statement.Facts) { f.Epsilon, f.Share = 0, 0.5 },
		"certified, top":       func(f *statement.Facts) { f.Top = []string{"Orb", "Arm"} },
		"no favourite":         func(f *statement.Facts) { f.Status, f.Reason, f.Share = "cyclic", "cyclic", 0 },
		"open":                 func(f *statement.Facts) { undecided("")(f); f.State = "open" },
		"open, nothing proven": func(f *statement.Facts) { undecided("")(f); f.State, f.Share = "open", 0 },
		"paused":               func(f *statement.Facts) { undecided("")(f); f.State = "paused" },
		"open, cycle": func(f *statement.Facts) {
			undecided("")(f)
			f.State, f.Cycle = "open",
				[]string{"Orb", "Arm", "Bow"}
		},
		"spent":                    undecided("spent"),
		"spent, nothing proven":    func(f *statement.Facts) { undecided("spent")(f); f.Share = 0 },
		"spent, another is proven": func(f *statement.Facts) { undecided("spent")(f); f.Proven = "Arm brass" },
		"spent, tied":              func(f *statement.Facts) { undecided("spent")(f); f.Tied = []string{"Arm brass"} },
		"stopped":                  undecided("stopped"),
		"expired":                  undecided("expired"),
		"lapsed":                   undecided("lapsed"),
		"no answers": func(f *statement.Facts) {
			undecided("")(f)
			*f = statement.Facts{State: "open", Status: "asking", Delta: f.Delta}
		},
	}
	people := map[string]func(f *statement.Facts){
		"people": func(*statement.Facts) {},
		"judges": func(f *statement.Facts) { f.Judges = true },
	}
	questions := map[string]func(f *statement.Facts){
		"pairs":        func(*statement.Facts) {},
		"none or ties": func(f *statement.Facts) { f.Choosers = true },
		"one pick":     func(f *statement.Facts) { f.Partial = true },
		"one pick, none or ties": func(f *statement.Facts) {
			f.Partial, f.Choosers = true, true
		},
	}
	for _, verdict := range sorted(verdicts) {
		for _, whose := range sorted(people) {
			for _, how := range sorted(questions) {
				facts := base
				whose.change(&facts)
				how.change(&facts)
				verdict.change(&facts)
				list = append(list, combination{verdict.name + ", " + whose.name + ", " + how.name, facts})
			}
		}
	}
	for _, of := range sorted(map[string]func(f *statement.Facts){
		"draft":                  func(f *statement.Facts) { *f = statement.Facts{State: "draft", Status: "asking"} },
		"one person, one answer": func(f *statement.Facts) { f.People, f.Finished, f.Left, f.Answers, f.Span = 1, 1, 0, 1, 0 },
		"doubtful": func(f *statement.Facts) {
			for _, about := range []string{
				strategy.FewPeople, strategy.FewSlates, strategy.Drift, strategy.Leavers, strategy.Skips, strategy.Slates,
			} {
				f.Doubts = append(f.Doubts, statement.Doubt{
					About: about, Option: "Orb", Rival: "Arm", Chosen: 0.62,
					Otherwise: 0.41, People: 25,
				})
			}
		},
		"silent":   func(f *statement.Facts) { f.Silent = 7 },
		"excluded": func(f *statement.Facts) { f.Crowded, f.Fast, f.Straight = 12, 30, 1 },
		"signs of fraud": func(f *statement.Facts) {
			for _, counted := range []bool{true, false} {
				for _, kind := range []string{"fast", "network", "straight", "burst"} {
					f.Signs = append(f.Signs, study.Sign{Kind: kind, Some: 30, All: 64, Largest: 25, Counted: counted})
				}
			}
		},
		"doubtful, spent": func(f *statement.Facts) {
			undecided("spent")(f)
			f.Doubts = []statement.Doubt{{About: strategy.Drift, Option: "Orb", Rival: "Arm", Chosen: 0.62, Otherwise: 0.41, People: 25}}
		},
		"weighted": func(f *statement.Facts) {
			f.Groups = []statement.Group{{Name: "north", Share: 0.5, People: 50}, {Name: "south", Share: 0.5, People: 14}}
		},
		"weighted, a group is missing": func(f *statement.Facts) {
			undecided("spent")(f)
			f.Share, f.Groups = 0, []statement.Group{{Name: "north", Share: 0.25, People: 64}, {Name: "south", Share: 0.75}}
		},
		"no fakes":             func(f *statement.Facts) { f.Fakes, f.Withstands = 0, 0 },
		"one fake":             func(f *statement.Facts) { f.Fakes, f.Withstands = 1, 1 },
		"more fakes":           func(f *statement.Facts) { f.Withstands = 5 },
		"erased":               func(f *statement.Facts) { f.Erased = 2 },
		"excluded by hand":     func(f *statement.Facts) { f.ByHand = 2 },
		"hours":                func(f *statement.Facts) { f.Span = 90 * time.Minute },
		"guiding":              func(f *statement.Facts) { f.Guiding = 20 },
		"only guiding":         func(f *statement.Facts) { f.Guiding, f.Answers = 20, 20 },
		"all missing":          func(f *statement.Facts) { f.Missing = 1 },
		"99.9% missing":        func(f *statement.Facts) { f.Missing = 0.999 },
		"0.4% missing":         func(f *statement.Facts) { f.Missing = 0.004 },
		"none missing":         func(f *statement.Facts) { f.Missing = 0 },
		"all finished":         func(f *statement.Facts) { f.Finished, f.Left = 64, 0 },
		"δ = 0.001":            func(f *statement.Facts) { f.Delta = 0.001 },
		"δ = 1/30":             func(f *statement.Facts) { f.Delta = 1. / 30 },
		"δ = 1e-100":           func(f *statement.Facts) { f.Delta = 1e-100 },
		"δ = 0.075":            func(f *statement.Facts) { f.Delta = 0.075 },
		"long name":            func(f *statement.Facts) { f.Leader, f.Proven = "A, B or C", "A, B or C" },
		"counting":             func(f *statement.Facts) { f.Counted, f.Total = 620, 1000 },
		"fell back":            func(f *statement.Facts) { f.FellBack = true },
		"linear":               func(f *statement.Facts) { f.Assumption, f.Partial, f.Share = strategy.Linear, true, 0 },
		"linear, none or ties": func(f *statement.Facts) { f.Assumption, f.Choosers, f.Share = strategy.Linear, true, 0 },
		"linear, extended":     func(f *statement.Facts) { f.Assumption, f.Extended, f.Share = strategy.Linear, true, 0 },
		"linear, segments":     func(f *statement.Facts) { segmented(f) },
		"linear, segments, top": func(f *statement.Facts) {
			segmented(f)
			f.Top = []string{"Orb", "Arm"}
		},
		"linear, spent": func(f *statement.Facts) { undecided("spent")(f); f.Assumption = strategy.Linear },
		"linear, open": func(f *statement.Facts) {
			undecided("")(f)
			f.State, f.Assumption, f.Share = "open", strategy.Linear, 0
		},
		"linear, refuted": func(f *statement.Facts) {
			f.Assumption, f.Status, f.Reason, f.Share = strategy.Linear, "decided", "refuted", 0
		},
		"top":          func(f *statement.Facts) { f.Assumption, f.Top, f.Epsilon = strategy.Linear, []string{"Orb", "Arm"}, 0 },
		"top within ε": func(f *statement.Facts) { f.Assumption, f.Top = strategy.Linear, []string{"Orb", "Arm"} },
		"ranking": func(f *statement.Facts) {
			f.Assumption, f.Top, f.Ranking, f.Epsilon = strategy.Linear, names(3), true, 0
		},
		"ranking within ε": func(f *statement.Facts) { f.Assumption, f.Top, f.Ranking = strategy.Linear, names(3), true },
		"long ranking": func(f *statement.Facts) {
			f.Assumption, f.Top, f.Ranking, f.Epsilon = strategy.Linear, names(12), true, 0
		},
		"long ranking, within ε": func(f *statement.Facts) { f.Assumption, f.Top, f.Ranking = strategy.Linear, names(12), true },
	}) {
		facts := base
		of.change(&facts)
		list = append(list, combination{of.name, facts})
	}
	return list
}

// segmented makes facts those of a linear study with segments.
func segmented(f *statement.Facts) {
	f.Assumption, f.Extended, f.Segmented, f.Share = strategy.Linear, true, true, 0
}

func names(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint("a", i))
	}
	return all
}

// A variant is a change of facts.
type variant struct {
	name   string
	change func(f *statement.Facts)
}

func sorted(all map[string]func(f *statement.Facts)) (list []variant) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, variant{name, all[name]})
	}
	return list
}

// TestClaim: a claim says what is certified or proven, and what it assumes.
func TestClaim(t *testing.T) {
	certified := statement.Facts{
		Status: "certified", Leader: "Oslo", Delta: 0.05, Epsilon: 0.2, Assumption: strategy.Majority,
		Fakes: 2, People: 64,
	}
	linear, open := certified, certified
	linear.Assumption = strategy.Linear
	open.Status = "asking"
	proven := open
	proven.Proven, proven.Share = "Oslo", 0.61
	const wins = "Oslo wins. Put next to any single other option, at least 45 of 100 people choose Oslo (95% sure)."
	for want, facts := range map[string]statement.Facts{
		wins + " This holds even if up to 2 of the 64 people were fake.":                                  certified,
		wins + " This assumes that all people weigh the attributes alike, and that nothing else matters.": linear,
		"95% sure that no other option would be chosen over Oslo by more than 61 of 100 people. " +
			"This holds even if up to 2 of the 64 people were fake.": proven,
		"": open,
	} {
		if got := statement.Claim(facts); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestPeople: the number of people is the tolerance in points, rounded up.
func TestPeople(t *testing.T) {
	for epsilon, want := range map[float64]int{0: 50, 1e-9: 50, 0.01: 51, 0.1: 53, 0.2: 55, 0.4: 60, 0.84: 70, 0.85: 71, 50: 100} {
		if got := statement.People(epsilon); got != want {
			t.Errorf("ε = %v is %d in 100, want %d", epsilon, got, want)
		}
	}
}
