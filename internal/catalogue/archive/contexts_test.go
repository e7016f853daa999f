package archive_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// textsOf returns a table with a text of every lamp in each context.
func textsOf(contexts ...string) string {
	var rows strings.Builder
	rows.WriteString("arm,context,text,note\n")
	for _, context := range contexts {
		for _, arm := range []string{"f", "a", "b", "c", "d", "e"} {
			rows.WriteString(arm + "," + context + ",\"" + arm + " in\n" + context + "\",x\n")
		}
	}
	return rows.String()
}

func readContexts(t *testing.T, text string) (*archive.Contexts, error) {
	t.Helper()
	u := uploaded("texts.csv", text)
	u.Limits = table.ContextsLimits()
	return saveLamps(t).ReadContexts(u, archive.Markdown)
}

// TestContexts: contexts are read in the order of the file, saved with the arms, and loaded again.
func TestContexts(t *testing.T) {
	arms := saveLamps(t)
	contexts, err := readContexts(t, textsOf("dark", "bright"))
	testsupport.NoError(t, err)
	if !slices.Equal(contexts.Names, []string{"dark", "bright"}) || contexts.Texts[1][0] != "a in\nbright" ||
		contexts.Format != archive.Markdown {
		t.Errorf("%+v", contexts)
	}
	arms.Contexts = contexts
	loaded, err := load(save(t, arms))
	testsupport.NoError(t, err)
	if !reflect.DeepEqual(loaded.Contexts, contexts) {
		t.Errorf("%+v", loaded.Contexts)
	}
	if cut := loaded.First(2).Contexts; len(cut.Texts[1]) != 2 {
		t.Errorf("%+v", cut)
	}
	if _, err := loaded.Add(uploaded("more.csv", "sku,price,brand,wifi\nz,10,acme,yes\n"), catalogue.Options{}); err == nil ||
		!strings.Contains(err.Error(), "contexts") {
		t.Errorf("arms were added without texts: %v", err)
	}
}

// TestBadContexts: problems name what is wrong, and where.
func TestBadContexts(t *testing.T) {
	whole := textsOf("x")
	for text, problem := range map[string]string{
		"arm,text\na,b\n":      "context",
		"arm,context,text\n":   "no rows",
		whole + "a,x,again,\n": "two texts",
		whole + "z,x,text,\n":  `unknown arm "z"`,
		whole + "a,,text,\n":   "context",
		whole + "a,y,text,\n":  `arm "b" has no text in context "y"`,
		whole + "a," + strings.Repeat("y", 70_000) + ",text,\n": "65,536",
	} {
		if _, err := readContexts(t, text); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%.80q: got %v, want %s", text, err, problem)
		}
	}
}

// TestContextsAreDrawn: contexts are uniform, and successive ones independent.
//
// χ² with f degrees of freedom has mean f and standard deviation √(2f). For 200 contexts that is 199 ± 20,
// and for the 400 pairs of 20 contexts 399 ± 28. The limits are four standard deviations on both sides:
// draws that are too even, such as every context once in a block, are not independent either.
func TestContextsAreDrawn(t *testing.T) {
	few, many := &archive.Contexts{Names: make([]string, 20)}, &archive.Contexts{Names: make([]string, 200)}
	for _, seed := range []uint64{1, 7, 1 << 52} {
		for name, draw := range map[string]struct {
			cells int
			of    func(i int64) int
		}{
			"one":                {200, func(i int64) int { return many.At(seed, i) }},
			"successive":         {400, func(i int64) int { return 20*few.At(seed, 2*i) + few.At(seed, 2*i+1) }},
			"a hand later":       {400, func(i int64) int { return 20*few.At(seed, i) + few.At(seed, i+10) }},
			"of successive seed": {400, func(i int64) int { return 20*few.At(seed, i) + few.At(seed+1, i) }},
		} {
			const each = 100
			found := make([]float64, draw.cells)
			for i := range int64(each * draw.cells) {
				found[draw.of(i)]++
			}
			square, freedom := 0.0, float64(draw.cells-1)
			for _, f := range found {
				square += (f - each) * (f - each) / each
			}
			if limit := 4 * math.Sqrt(2*freedom); !(square > freedom-limit && square < freedom+limit) {
				t.Errorf("seed %d, %s: χ² is %.0f with %.0f degrees of freedom", seed, name, square, freedom)
			}
		}
	}
}

// FuzzReadContexts: no file panics, and contexts that are read can be saved and loaded.
func FuzzReadContexts(f *testing.F) {
	for _, text := range []string{
		textsOf("x"), textsOf("x", "y"), "arm,context,text\n", `{"arm":"a","context":"x","text":"y"}`,
		"arm\tcontext\ttext\na\tb\tc\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		contexts, err := readContexts(t, text)
		if err != nil {
			return
		}
		arms := saveLamps(t)
		arms.Contexts = contexts
		loaded, err := load(save(t, arms))
		if err != nil || !reflect.DeepEqual(loaded.Contexts, contexts) {
			t.Fatalf("%+v is loaded as %+v: %v", contexts, loaded, err)
		}
	})
}
