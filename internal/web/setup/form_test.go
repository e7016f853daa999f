package setup

import (
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
	"bestpick/internal/web/page"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestOddsAreThoseOfTheModel: δ is displayed as how sure the result is, and ε as the number of 100 people
// who pick the better of two arms that differ by ε.
func TestOddsAreThoseOfTheModel(t *testing.T) {
	f := newForm()
	for _, c := range f.Deltas() {
		want := map[string]string{"0.1": "90%", "0.05": "95%", "0.01": "99%", "0.001": "99.9%"}[c.Value]
		if got := (formView{OwnerView: page.OwnerView{Words: english()}}).Sure(c.Value); got != want {
			t.Errorf("δ = %s is %s sure", c.Value, got)
		}
	}
	for _, c := range f.Epsilons() {
		if epsilon, err := strconv.ParseFloat(c.Value, 64); err != nil || int(math.Round(100/(1+math.Exp(-epsilon)))) != c.Odds {
			t.Errorf("ε = %s is %d of 100", c.Value, c.Odds)
		}
	}
	f.Fields[deltaField] = "0.02"
	if list := f.Deltas(); len(list) != 5 || list[0].Value != "0.02" || !list[0].Selected || list[2].Selected {
		t.Errorf("the choices for an unusual value are %v", list)
	}
}

// TestFormIsChecked: problems are reported at their field only, and valid values are accepted.
func TestFormIsChecked(t *testing.T) {
	w := english()
	for _, test := range []struct {
		field, value string
		wrong        bool
	}{
		{nameField, "", true},
		{nameField, strings.Repeat("ä", 200), false},
		{nameField, strings.Repeat("ä", 201), true},
		{nameField, "a\x00b", true},
		{nameField, "\xff", true},
		{promptField, "", false},
		{promptField, strings.Repeat("ä", 2001), true},
		{kField, "2", false},
		{kField, "1", true},
		{kField, "6", true},
		{kField, "3.5", true},
		{kField, "1e9", true},
		{kField, "", true},
		{kField, "99999999999999999999", true},
		{picksField, "2", false},
		{picksField, "3", true},
		{picksField, "0", true},
		{eachField, "", false},
		{eachField, "0", true},
		{eachField, "-1", true},
		{eachField, "1000000", false},
		{eachField, "1000001", true},
		{plainField, "true", false},
		{plainField, "false", false},
		{plainField, "", true},
		{plainField, "yes", true},
		{deltaField, "0.01", false},
		{deltaField, "0", true},
		{deltaField, "1e-300", true},
		{deltaField, "0.6", true},
		{deltaField, "NaN", true},
		{deltaField, "", true},
		{assumeField, "majority", false},
		{assumeField, "linear", false},
		{assumeField, "", true},
		{assumeField, "both", true},
		{epsilonField, "0", false},
		{epsilonField, "-1", true},
		{epsilonField, "Inf", true},
		{budgetField, "", false},
		{budgetField, "500", false},
		{budgetField, "0", true},
		{budgetField, "many", true},
		{deadlineField, "", false},
		{deadlineField, "2100-01-31T18:30", false},
		{deadlineField, "2001-01-01T00:00", true},
		{deadlineField, "tomorrow", true},
		{outsideField, "true", false},
		{tiesField, "maybe", true},
		{worstField, "true", false},
		{topField, "3", false},
		{topField, "4", true}, // of five, with three in a question
		{topField, "-1", false},
		{topField, "5", true}, // all of them
		{topField, "0", true},
		{topField, "all", true},
	} {
		f := newForm()
		f.Fields[nameField], f.Problems, f.now = "Study", map[string]string{}, time.Now()
		f.Fields[test.field] = test.value
		f.settings(w, study.Settings{}.WithDefaults(), basisOf(named(5), racing.Settings{}))
		f.checkTexts(w)
		if f.Wrong(test.field) != test.wrong || len(f.Problems) > 1 || len(f.Problems) == 1 && !test.wrong {
			t.Errorf("%s %.20q: %v", test.field, test.value, f.Problems)
		}
	}
}

// TestFormKeepsWhatItDoesNotShow: settings that the form does not show keep their values.
func TestFormKeepsWhatItDoesNotShow(t *testing.T) {
	w := english()
	s := study.Settings{Budget: 100, Grace: -1, Picks: 30, PerRespondent: 7, HideAttributes: true}.WithDefaults()
	s.Strategy.K, s.Strategy.Verify, s.Strategy.Model.Slots, s.Strategy.Delta = 40, 0.5, true, 0.07
	s.Strategy.Fallback = 0.1
	f := formOf(study.Study{Name: "x", Settings: s})
	f.Problems = map[string]string{}
	if got := f.settings(w, s, basisOf(named(50), s.Strategy)); got.Budget != 100 || got.Grace != -1 ||
		got.Strategy.Verify != 0.5 || got.Strategy.Fallback != 0.1 || !got.Strategy.Model.Slots || got.Strategy.K != 40 ||
		got.Picks != 30 || got.Strategy.Delta != 0.07 || got.PerRespondent != 7 || !got.HideAttributes || len(f.Problems) > 0 {
		t.Errorf("%+v, %v", got, f.Problems)
	}
	if fields := changedFields(study.Study{Name: "a", Settings: s},
		study.Study{Name: "b", Settings: study.Settings{}.WithDefaults()}); !slices.Equal(fields,
		[]string{
			nameField, "settings.k", "settings.picks", "settings.each", "settings.plain_cards", "settings.delta",
			"settings.budget",
		}) {
		t.Errorf("%v", fields)
	}
}

// TestFormRulesOutFallback: a ranking, and answers besides picks, turn off what they rule out.
func TestFormRulesOutFallback(t *testing.T) {
	w := english()
	s := study.Settings{}.WithDefaults()
	s.Strategy.Assume, s.Strategy.Fallback = strategy.Linear, 0.25
	for field, value := range map[string]string{topField: "-1", outsideField: page.Yes, tiesField: page.Yes, worstField: page.Yes} {
		f := formOf(study.Study{Name: "x", Settings: s})
		f.Problems = map[string]string{}
		f.Fields[field] = value
		got, arms := f.settings(w, s, basisOf(named(5), racing.Settings{})), named(5).Arms
		if err := got.Strategy.Check(arms); err != nil || len(f.Problems) > 0 || got.Strategy.Fallback != 0 ||
			got.Strategy.Top == 0 && got.Strategy.Offer.IsPlain() {
			t.Errorf("%s: %+v, %v, %v", field, got.Strategy, f.Problems, err)
		}
		if again := formOf(study.Study{Settings: got}); again.Fields[field] != value {
			t.Errorf("%s becomes %q", field, again.Fields[field])
		}
	}
}

// TestFormKeepsAGuarantee: a study that the owner gave neither a fallback nor direct comparisons gets none when what
// respondents may answer changes.
func TestFormKeepsAGuarantee(t *testing.T) {
	for _, ties := range []bool{true, false} {
		s := study.Settings{}.WithDefaults()
		s.Strategy.Assume, s.Strategy.Offer.Ties = strategy.Linear, ties
		f := formOf(study.Study{Name: "x", Settings: s})
		f.Problems = map[string]string{}
		f.Fields[tiesField] = strconv.FormatBool(!ties)
		got := f.settings(english(), s, basisOf(named(5), racing.Settings{})).Strategy
		if got.Offer.Ties == ties || got.Fallback != 0 || got.Verify != 0 || got.Fakes != 0 || len(f.Problems) > 0 {
			t.Errorf("ties %v: fallback %v, verify %v, fakes %v, %v", !ties, got.Fallback, got.Verify, got.Fakes, f.Problems)
		}
	}
}

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
		settings racing.Settings
		suggests strategy.Assumption
		possible bool
		why      string
	}{
		{"unknown", nil, racing.Settings{}, strategy.Majority, true, ""},
		{"2", named(2), racing.Settings{}, strategy.Majority, true, ""},
		{"300", named(300), racing.Settings{}, strategy.Majority, true, ""},
		{"301", named(301), racing.Settings{}, strategy.Linear, true, "rests.many"},
		{"513", named(513), racing.Settings{}, strategy.Linear, false, "rests.limit"},
		{"product", combined(), racing.Settings{}, strategy.Linear, false, "rests.product"},
		{"slots", named(5), racing.Settings{Model: racing.Model{Slots: true}}, strategy.Linear, false, "rests.model"},
		{
			"prior", named(5),
			racing.Settings{LinearOnly: racing.LinearOnly{Prior: &racing.Prior{}}},
			strategy.Linear, false,
			"rests.prior",
		},
	} {
		b := basisOf(test.arms, test.settings)
		if b.suggested() != test.suggests || b.Possible != test.possible || b.Why != test.why {
			t.Errorf("%s: %s, possible %v, %s", test.name, b.suggested(), b.Possible, b.Why)
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
		{"few, linear", named(5), strategy.Linear, strategy.Linear, racing.DefaultFallback, racing.DefaultVerify},
		{"many", named(301), "", strategy.Linear, racing.DefaultFallback, racing.DefaultVerify},
		{"many, majority", named(301), strategy.Majority, strategy.Majority, 0, 0},
		{"more", named(513), "", strategy.Linear, 0, racing.DefaultVerify},
		{"product", combined(), "", strategy.Linear, 0, 0},
	} {
		f, b := newForm(), basisOf(test.arms, racing.Settings{})
		f.Problems = map[string]string{}
		f.suggest(b)
		if test.choose != "" {
			f.Fields[assumeField] = string(test.choose)
		}
		s := f.settings(w, newSettings(test.arms.Arms.Len()), b).Strategy
		if s.Assume != test.assume || s.Fallback != test.fallback || s.Verify != test.verify || s.Epsilon != 0.2 ||
			len(f.Problems) > 0 {
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

// TestNothingIsChangedSilently: several best options by majority are refused at their field, or run as chosen.
func TestNothingIsChangedSilently(t *testing.T) {
	w, arms := english(), named(5)
	for _, top := range []string{"3", "-1"} {
		f, b := newForm(), basisOf(arms, racing.Settings{})
		f.Problems = map[string]string{}
		f.suggest(b)
		f.Fields[topField] = top
		s := f.settings(w, newSettings(5), b)
		if f.report(w, s.Check(arms.Arms, 0, false)); s.Strategy.Assume != strategy.Majority {
			t.Errorf("the study rests on %s", s.Strategy.Assume)
		}
		if s.Check(arms.Arms, 0, false) != nil && !f.Wrong(topField) {
			t.Errorf("the problems are %v", f.Problems)
		}
	}
}

// TestColumnChoices: whether a column is shown and whether it is used are two choices.
func TestColumnChoices(t *testing.T) {
	for _, c := range []struct {
		choice columnChoice
		read   catalogue.Kind
		hidden bool
	}{
		{columnChoice{recognised: catalogue.Number, used: true, shown: true}, catalogue.Number, false},
		{columnChoice{recognised: catalogue.Number, used: true}, catalogue.Number, true},
		{columnChoice{recognised: catalogue.Number, shown: true}, catalogue.Shown, false},
		{columnChoice{recognised: catalogue.Number}, catalogue.Shown, true},
		{columnChoice{recognised: catalogue.Shown, shown: true}, catalogue.Shown, false},
		{columnChoice{recognised: catalogue.Shown, used: true, shown: true}, catalogue.Category, false},
		{columnChoice{recognised: catalogue.Ignored}, catalogue.Ignored, false},
		{columnChoice{recognised: catalogue.Ignored, shown: true}, catalogue.Shown, false},
		{columnChoice{recognised: catalogue.Embedding}, catalogue.Ignored, false},
		{columnChoice{recognised: catalogue.Number, kind: catalogue.Label, used: true, shown: true}, catalogue.Label, false},
	} {
		_, content := readColumns(map[string]columnChoice{"x": c.choice})
		hidden := content.Columns["x"].Hidden
		if got := c.choice.read(); got != c.read || hidden != c.hidden {
			t.Errorf("%+v is read as %v, hidden %v", c.choice, got, hidden)
		}
	}
}

// TestFeatureNames: features that exclude each other have names in all languages.
func TestFeatureNames(t *testing.T) {
	site := page.New(nil, nil, time.Now, page.Options{})
	for _, language := range site.Languages() {
		w := site.WordsIn(&http.Request{}, language)
		for _, e := range study.Exclusions() {
			for _, f := range slices.Concat(e.Of, e.With) {
				if featureName(w, f) == "" {
					t.Errorf("%s: %s has no name", language, f)
				}
			}
		}
	}
}

// english returns the messages in English.
func english() statement.Words {
	return page.New(nil, nil, time.Now, page.Options{}).WordsIn(&http.Request{}, "en")
}

// TestCopiesAreNamed: the form names options that are near copies by their labels, in the language of the page.
func TestCopiesAreNamed(t *testing.T) {
	arms := opened("lamps.csv", "id,label,x\na,Red lamp,1\nb,red Lamp,2\nc,Orb,4\n").Reopened()
	for language, want := range map[string]string{
		"en": "Red lamp / red Lamp seem to be copies", "de": "Red lamp / red Lamp scheinen Kopien",
	} {
		words := page.New(nil, nil, time.Now, page.Options{}).WordsIn(&http.Request{}, language)
		form := newForm()
		view := form.armsView(words, study.Settings{}.WithDefaults(), arms)
		if !strings.HasPrefix(view.Warnings[len(view.Warnings)-1], want) {
			t.Errorf("%s: %q", language, view.Warnings)
		}
	}
}

// TestProblemsAreTranslated: every code of a problem of a file has a message.
func TestProblemsAreTranslated(t *testing.T) {
	code := regexp.MustCompile(`(?:Problemf\(|NewWarning\([^,]+, |add\([^,"]*(?:"",|,) |note\()"([a-z0-9-]+)"`)
	found, words := 0, english()
	for _, pattern := range []string{"table/*.go", "answers/*.go", "recorded/*.go", "catalogue/*.go", "catalogue/*/*.go"} {
		files := testsupport.Value(filepath.Glob("../../" + pattern)).OrFail(t)
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			text := testsupport.Value(os.ReadFile(path)).OrFail(t)
			for _, each := range code.FindAllSubmatch(text, -1) {
				name := string(each[1])
				if found++; !words.Has("file."+name) && !words.Has("note."+name) && !(&studyForm{}).saidElsewhere(name, true) {
					t.Errorf("%s: the code %s has no message", path, each[1])
				}
			}
		}
	}
	if found == 0 {
		t.Error("no codes were found")
	}
}

// TestProblemText: a problem has its place, the message of its code with its parts, and what avoids it.
func TestProblemText(t *testing.T) {
	problem := table.Problemf("no-number", "%q is not a number", "x").OrAs("ignored")
	got := problemText(english(), &table.Error{Problem: problem, File: "a.csv", Line: 3, Column: "price", More: 2})
	if want := "Line 3, column price: “x” is not a number; or leave the column out (and 2 more)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzChoices: choices survive being written and read again.
func FuzzChoices(f *testing.F) {
	for _, seed := range []string{"", "a\nb; 5", "a;5;7\r\n;3", "a; -1", "a;+2", " ; ;1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		choices := readChoices(text)
		if again := readChoices(choiceLines(choices)); !slices.Equal(choices, again) {
			t.Errorf("%q is %+v, and then %+v", text, choices, again)
		}
	})
}
