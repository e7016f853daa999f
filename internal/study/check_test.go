package study_test

import (
	"strings"
	"testing"
	"time"

	"bestpick/internal/study"
)

func TestCheck(t *testing.T) {
	good := study.Outcome{Position: 3, Kind: study.Skipped, Respondent: "Zoë", Segment: "north"}
	for _, o := range []study.Outcome{good, {Position: 3, Kind: study.Erased, At: time.Now()}, {Position: study.Elsewhere, Kind: study.Erased}} {
		if err := o.Check(); err != nil {
			t.Error(err)
		}
	}
	for want, spoil := range map[string]func(*study.Outcome){
		`study: question 3: "guessed" is no kind of outcome`:                     func(o *study.Outcome) { o.Kind = "guessed" },
		`study: question 3: "" is no kind of outcome`:                            func(o *study.Outcome) { o.Kind = "" },
		`study: there is no question -1`:                                         func(o *study.Outcome) { o.Position = -1 },
		`study: question 3: "a\x00" is not text`:                                 func(o *study.Outcome) { o.Respondent = "a\x00" },
		`study: question 3: "\xff" is not text`:                                  func(o *study.Outcome) { o.Segment = "\xff" },
		`study: question 3: "éééééééééééééééééééé"… is longer than 1000 bytes`:   func(o *study.Outcome) { o.Respondent = strings.Repeat("é", 501) },
		`study: question 3: the year 10000 is out of the question`:               func(o *study.Outcome) { o.At = time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -3600)) },
		`study: question 3: the year 0 is out of the question`:                   func(o *study.Outcome) { o.Asked = time.Time{}.Add(-1) },
		`study: question 3: an imported answer is to a question asked elsewhere`: func(o *study.Outcome) { o.Kind = study.Imported },
		`study: question 3: there is something in an outcome that was erased`:    func(o *study.Outcome) { o.Kind = study.Erased },
		`study: there is no question -2`:                                         func(o *study.Outcome) { *o = study.Outcome{Position: -2, Kind: study.Erased} },
	} {
		bad := good
		spoil(&bad)
		if err := bad.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
