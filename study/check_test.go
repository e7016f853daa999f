package study_test

import (
	"testing"

	"bestpick/study"
)

func TestCheck(t *testing.T) {
	good := study.Outcome{Position: 3, Kind: study.Skipped, Respondent: "Zoë", Segment: "north"}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*study.Outcome){
		`study: question 3: "guessed" is no kind of outcome`: func(o *study.Outcome) { o.Kind = "guessed" },
		`study: question 3: "" is no kind of outcome`:        func(o *study.Outcome) { o.Kind = "" },
		`study: there is no question -1`:                     func(o *study.Outcome) { o.Position = -1 },
		`study: question 3: "a\x00" is not text`:             func(o *study.Outcome) { o.Respondent = "a\x00" },
		`study: question 3: "\xff" is not text`:              func(o *study.Outcome) { o.Segment = "\xff" },
	} {
		bad := good
		spoil(&bad)
		if err := bad.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
