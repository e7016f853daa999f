package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bestpick/client"
	"bestpick/wire"
)

// TestJudges: a respondent with random picks is called random, and others are not. Only owners see
// names of respondents.
func TestJudges(t *testing.T) {
	s := begin(t, setting{idle: true})
	ctx, id := t.Context(), s.draft(quick()).ID
	arms := []string{"apple", "pear", "quince", "plum", "cherry", "lemon"}
	var votes strings.Builder
	votes.WriteString("shown_1,shown_2,pick_1,respondent,judge\n")
	for round := range 40 {
		for i, first := range arms {
			second := arms[(i+1+round%5)%len(arms)]
			better, worse := first, second
			if (i+1+round%5)%len(arms) < i {
				better, worse = second, first
			}
			for _, judge := range []string{"anna", "ben"} {
				pick := better
				if (round/5+i)%5 == 0 {
					pick = worse
				}
				fmt.Fprintf(&votes, "%s,%s,%s,%s,person\n", first, second, pick, judge)
			}
			pick := better
			if round/5%2 == 0 {
				pick = worse
			}
			fmt.Fprintf(&votes, "%s,%s,%s,clicker,model\n", first, second, pick)
		}
	}
	_, err := s.owner.Import(ctx, id, "", client.File{Name: "votes.csv", Contents: strings.NewReader(votes.String())})
	s.must(err)
	judges, err := s.owner.Judges(ctx, id)
	s.must(err)
	if judges.Answers != 720 || len(judges.Judges) != 3 || len(judges.Estimates) != 6 || judges.Estimates[0].Arm.ID != "apple" || judges.Error != 0.05 {
		t.Errorf("%+v", judges)
	}
	for _, judge := range judges.Judges {
		if (judge.Kind == "model") != (judge.Respondent == "clicker") || judge.Random != (judge.Respondent == "clicker") || judge.Answers != 240 {
			t.Errorf("%+v", judge)
		}
	}
	_, err = s.viewer.Judges(ctx, id)
	s.refused(err, 403, wire.Forbidden, "")
}
