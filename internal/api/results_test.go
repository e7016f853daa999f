package api_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"bestpick/client"
	"bestpick/wire"
)

// TestLeaderboard: a study of the two best arms ends with a leaderboard, as JSON and as CSV, and a statement
// that names both.
func TestLeaderboard(t *testing.T) {
	s := begin(t, setting{})
	none := 0.0
	created, err := s.owner.Create(t.Context(), client.NewStudy{
		Name: "Fruits", Prompt: "Which one?", Settings: wire.Settings{Assume: "linear", Top: 2, Verify: &none, Grace: -1, Each: 1000, People: new(0), Epsilon: new(0.3)}, Catalogue: file("fruits.csv", fruits),
	})
	s.must(err)
	made := created.Study
	if made.Settings.Top != 2 {
		t.Errorf("the settings are %+v", made.Settings)
	}
	empty, err := s.viewer.Leaderboard(t.Context(), made.ID)
	s.must(err)
	if empty.Ranks == nil || len(empty.Ranks) != 0 {
		t.Errorf("before the first answer: %+v", empty)
	}
	_, err = s.owner.Open(t.Context(), made.ID)
	s.must(err)
	s.crowd(made.ID, 6, 600)
	var verdict wire.Verdict
	var board wire.Leaderboard
	s.eventually("the last answers are in the leaderboard", func() bool { // they may be counted after the certificate
		verdict = s.verdict(made.ID)
		board, err = s.viewer.Leaderboard(t.Context(), made.ID)
		s.must(err)
		return board.Answers == verdict.Answers
	})
	if verdict.Status != "certified" || len(verdict.Top) != 2 ||
		!strings.Contains(verdict.Statement, "Put next to any of them, no other option") {
		t.Fatalf("the verdict is %+v", verdict)
	}
	if len(board.Ranks) != 6 || board.Ranks[0].Arm.ID != verdict.Leader.ID || board.Ranks[0].Share != 0.5 {
		t.Errorf("the leaderboard is %+v", board)
	}
	var text bytes.Buffer
	s.must(s.viewer.Export(t.Context(), made.ID, "leaderboard", "", &text))
	rows, err := csv.NewReader(&text).ReadAll()
	s.must(err)
	if len(rows) != 7 || rows[0][0] != "id" || rows[1][0] != verdict.Leader.ID || rows[1][5] != "0.5" {
		t.Errorf("the file is %v", rows)
	}
	_, err = s.owner.Create(t.Context(), client.NewStudy{
		Name: "Fruits", Settings: wire.Settings{Assume: "majority", Top: -1},
		Catalogue: file("fruits.csv", fruits),
	})
	s.refused(err, 422, wire.Invalid, "body.settings.top")
	created, err = s.owner.Create(t.Context(),
		client.NewStudy{Name: "Fruits", Settings: wire.Settings{Top: 2}, Catalogue: file("fruits.csv", fruits)})
	s.must(err)
	if got := created.Study.Settings; got.Assume != "majority" || got.Top != 2 {
		t.Errorf("the two best rest on %q with top %d", got.Assume, got.Top)
	}
}

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
	if judges.Answers != 720 || len(judges.Judges) != 3 || len(judges.Estimates) != 6 || judges.Estimates[0].Arm.ID != "apple" ||
		judges.Error != 0.05 {
		t.Errorf("%+v", judges)
	}
	for _, judge := range judges.Judges {
		if (judge.Kind == "model") != (judge.Respondent == "clicker") || judge.Random != (judge.Respondent == "clicker") ||
			judge.Answers != 240 {
			t.Errorf("%+v", judge)
		}
	}
	_, err = s.viewer.Judges(ctx, id)
	s.refused(err, 403, wire.Forbidden, "")
}
