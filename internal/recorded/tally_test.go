package recorded

import (
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// TestReadTally counts the picks of answers about known arms, and refuses other files.
func TestReadTally(t *testing.T) {
	c, err := choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x"}, [][]float64{{0}, {1}, {2}})
	testsupport.NoError(t, err)
	text := "kind,shown_1,shown_2,shown_3,pick_1,pick_2\nanswered,a,b,c,b,a\nskipped,a,b,c,,\nanswered,c,b,a,b,c\n"
	for _, offer := range []struct {
		choice.Offer

		picks float64
	}{{choice.Offer{}, 4}, {choice.Offer{BestWorst: true}, 2}} {
		tally, err := ReadTally(Source{strings.NewReader(text), "answers.csv"}, c, offer.Offer, table.Limits{})
		testsupport.NoError(t, err)
		if tally.Picks() != offer.picks {
			t.Errorf("%v: %v picks, want %v", offer.Offer, tally.Picks(), offer.picks)
		}
	}
	for text, want := range map[string]string{
		"shown_1,shown_2,pick_1\na,z,a\n":                      `answers.csv:2: column "shown_2": there is no arm "z"`,
		"shown_1,shown_2,pick_1\na,z,a\ny,x,x\nz,a,z\n":        `answers.csv:2: column "shown_2": there is no arm "z" (and 2 more)`,
		"shown_1,shown_2,pick_1\na,b,a\na,b,a\na,b,a\na,b,a\n": "more than 3 rows",
		"kind,shown_1,shown_2,pick_1\nskipped,a,b,\n":          "there are no answers",
		"": "answers.csv",
	} {
		if _, err := ReadTally(Source{strings.NewReader(text), "answers.csv"}, c, choice.Offer{}, table.Limits{Rows: 3}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
