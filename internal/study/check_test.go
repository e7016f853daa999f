package study_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/strategy"
)

func TestCheck(t *testing.T) {
	good := study.Outcome{Position: 3, Kind: study.Skipped, Respondent: "Zoë", Segment: "north"}
	for _, o := range []study.Outcome{
		good,
		{Position: 3, Kind: study.Erased, At: time.Now()},
		{Position: study.OutsideDeck, Kind: study.Erased},
	} {
		if err := o.Check(); err != nil {
			t.Error(err)
		}
	}
	for want, spoil := range map[string]func(*study.Outcome){
		`study: question 3: unknown kind of outcome "guessed"`:                 func(o *study.Outcome) { o.Kind = "guessed" },
		`study: question 3: unknown kind of outcome ""`:                        func(o *study.Outcome) { o.Kind = "" },
		`study: invalid position -1`:                                           func(o *study.Outcome) { o.Position = -1 },
		`study: question 3: "a\x00" is not UTF-8 text without zero bytes`:      func(o *study.Outcome) { o.Respondent = "a\x00" },
		`study: question 3: "\xff" is not UTF-8 text without zero bytes`:       func(o *study.Outcome) { o.Segment = "\xff" },
		`study: question 3: "éééééééééééééééééééé"… is longer than 1000 bytes`: func(o *study.Outcome) { o.Respondent = strings.Repeat("é", 501) },
		`study: question 3: the year must be 1 to 9999, got 10000`: func(o *study.Outcome) {
			o.At = time.Date(9999,
				12, 31, 23, 0, 0, 0, time.FixedZone("", -3600))
		},
		`study: question 3: the year must be 1 to 9999, got 0`:                       func(o *study.Outcome) { o.Asked = time.Time{}.Add(-1) },
		`study: question 3: an imported answer must not have a position in the deck`: func(o *study.Outcome) { o.Kind = study.Imported },
		`study: question 3: an erased outcome must have no other data`:               func(o *study.Outcome) { o.Kind = study.Erased },
		`study: invalid position -2`:                                                 func(o *study.Outcome) { *o = study.Outcome{Position: -2, Kind: study.Erased} },
	} {
		bad := good
		spoil(&bad)
		if err := bad.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestNames tests that names of anonymous respondents differ in form from names that people choose.
func TestNames(t *testing.T) {
	one, two := study.NewName(), study.NewName()
	if one == two || !study.IsNewName(one) || !study.IsNewName(two) {
		t.Errorf("the names are %q and %q", one, two)
	}
	for _, name := range []string{"", "anna", one + "a", one[1:], strings.ToUpper(one), one + "\n", "anna@example.com"} {
		if study.IsNewName(name) {
			t.Errorf("%q is taken for a random name", name)
		}
	}
}

// TestVerdictArms: the arms of a verdict are the leader and the contenders, one of which may be
// new.
func TestVerdictArms(t *testing.T) {
	v := study.Verdict{Leader: 4, Contenders: []strategy.Standing{{Arm: 9}, {Arm: 2}}}
	if got := v.Arms(); !slices.Equal(got, []int{4, 9, 2}) {
		t.Errorf("the arms are %v", got)
	}
}
