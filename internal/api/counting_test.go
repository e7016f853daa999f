package api_test

import (
	"strings"
	"testing"

	"bestpick/wire"
)

// TestCounting: while a long import is counted, the verdict reports the progress, and afterwards it
// does not.
func TestCounting(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.open(quick())
	const rows = 6000 // more than one plan counts
	pair := "apple,pear,apple,anna\npear,apple,pear,bert\n"
	_, err := s.owner.Import(t.Context(), study.ID, "", file("a.csv", "shown_1,shown_2,pick_1,respondent\n"+strings.Repeat(pair, rows/2)))
	s.must(err)
	before := s.verdict(study.ID)
	if before.Counting == nil || *before.Counting != (wire.Counting{Counted: 0, Total: rows}) {
		t.Errorf("counting: %+v", before.Counting)
	}
	s.plan()
	s.eventually("they are counted", func() bool { return s.verdict(study.ID).Answers == rows })
	if after := s.verdict(study.ID); after.Counting != nil {
		t.Errorf("all answers are counted, but the verdict has %+v", after.Counting)
	}
}
