package setup

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/web/page"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// named returns a number of arms that have only names.
func named(n int) *archive.Catalogue {
	var table strings.Builder
	table.WriteString("name\n")
	for i := range n {
		fmt.Fprintf(&table, "Option %d\n", i)
	}
	return opened("names.csv", table.String())
}

// combined returns the combinations of two attributes.
func combined() *archive.Catalogue {
	return opened("bags.yaml", "size: [small, large]\ncolour: [red, green, blue]\n")
}

func opened(name, text string) *archive.Catalogue {
	contents := strings.NewReader(text)
	e, err := archive.OpenUpload(read.Upload{Name: name, Contents: contents, Size: contents.Size()}, catalogue.Options{}, 0)
	if err != nil {
		panic(err)
	}
	return &e.Catalogue
}

// TestBasis: majority is suggested up to 300 listed arms without a model, and offered wherever the strategy can run.
func TestBasis(t *testing.T) {
	for _, test := range []struct {
		name     string
		arms     *archive.Catalogue
		model    racing.Model
		suggests strategy.Assumption
		possible bool
		why      string
	}{
		{"unknown", nil, racing.Model{}, strategy.Majority, true, ""},
		{"2", named(2), racing.Model{}, strategy.Majority, true, ""},
		{"300", named(300), racing.Model{}, strategy.Majority, true, ""},
		{"301", named(301), racing.Model{}, strategy.Linear, true, "rests.many"},
		{"513", named(513), racing.Model{}, strategy.Linear, false, "rests.limit"},
		{"product", combined(), racing.Model{}, strategy.Linear, false, "rests.product"},
		{"slots", named(5), racing.Model{Slots: true}, strategy.Linear, false, "rests.model"},
	} {
		b := basisOf(test.arms, racing.Settings{Model: test.model})
		if b.suggested() != test.suggests || b.Possible != test.possible || b.Why != test.why {
			t.Errorf("%s: %s, possible %v, %s", test.name, b.suggested(), b.Possible, b.Why)
		}
	}
}

// TestSuggestion: the form follows the suggestion until the owner chooses otherwise, and never offers the impossible.
func TestSuggestion(t *testing.T) {
	few, many, product := basisOf(named(5), racing.Settings{}), basisOf(named(301), racing.Settings{}), basisOf(combined(), racing.Settings{})
	const majority, linear = string(strategy.Majority), string(strategy.Linear)
	for _, test := range []struct {
		name              string
		assume, suggested string
		arms              basis
		want              string
	}{
		{"few", majority, majority, few, majority},
		{"many", majority, majority, many, linear},
		{"few after many", linear, linear, few, majority},
		{"chosen among few", linear, majority, few, linear},
		{"chosen among many", majority, linear, many, majority},
		{"impossible", majority, linear, product, linear},
	} {
		f := studyForm{Fields: map[string]string{assumeField: test.assume}, Suggested: test.suggested}
		if f.suggest(test.arms); f.Fields[assumeField] != test.want || f.Suggested != string(test.arms.suggested()) {
			t.Errorf("%s: %s, suggested %s", test.name, f.Fields[assumeField], f.Suggested)
		}
	}
}

// TestRests: a linear study continues by majority where that is possible, and compares close rivals among very many
// arms. The strategy accepts all settings of the form.
func TestRests(t *testing.T) {
	w := english()
	for _, test := range []struct {
		name             string
		arms             *archive.Catalogue
		choose           strategy.Assumption // empty for the suggestion
		assume           strategy.Assumption
		fallback, verify float64
	}{
		{"few", named(5), "", strategy.Majority, 0, 0},
		{"few, linear", named(5), strategy.Linear, strategy.Linear, owner.DefaultFallback, 0},
		{"many", named(301), "", strategy.Linear, owner.DefaultFallback, owner.DefaultVerify},
		{"many, majority", named(301), strategy.Majority, strategy.Majority, 0, 0},
		{"more", named(513), "", strategy.Linear, 0, owner.DefaultVerify},
		{"product", combined(), "", strategy.Linear, 0, 0},
	} {
		f, b := newForm(), basisOf(test.arms, racing.Settings{})
		f.Problems = map[string]string{}
		f.suggest(b)
		if test.choose != "" {
			f.Fields[assumeField] = string(test.choose)
		}
		s := f.settings(w, newSettings(test.arms.Arms.Len()), b).Strategy
		if s.Assume != test.assume || s.Fallback != test.fallback || s.Verify != test.verify || s.Epsilon != 0.2 || len(f.Problems) > 0 {
			t.Errorf("%s: %+v, %v", test.name, s, f.Problems)
		}
		if err := s.Check(test.arms.Arms); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	var s study.Settings
	s.Strategy.Verify, s.Strategy.Fallback = 0.5, 0.1
	basisOf(named(5), racing.Settings{}).rest(&s, strategy.Majority, false)
	if s.Strategy.Assume != strategy.Majority || s.Strategy.Verify != 0 || s.Strategy.Fallback != 0 {
		t.Errorf("a linear study that changes to majority has %+v", s.Strategy)
	}
}

// english returns the messages in English.
func english() statement.Words {
	return page.New(nil, nil, time.Now, page.Options{}).WordsIn(&http.Request{}, "en")
}
