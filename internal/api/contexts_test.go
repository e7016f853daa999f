package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/wire"
)

// contextTexts is a table with a text of every fruit in three contexts.
func contextTexts() string {
	var rows strings.Builder
	rows.WriteString("arm,context,text\n")
	for _, context := range []string{"pie", "juice", "jam"} {
		for _, arm := range []string{"apple", "pear", "quince", "plum", "cherry", "lemon"} {
			fmt.Fprintf(&rows, "%s,%s,%s for %s\n", arm, context, strings.ToUpper(arm), context)
		}
	}
	return rows.String()
}

// TestContexts: a question shows the texts of its arms in one context, each context equally often,
// and nothing else about the arms.
func TestContexts(t *testing.T) {
	s := begin(t, setting{patience: 20 * time.Second})
	ctx, id := t.Context(), s.draft(quick()).ID
	set, err := s.owner.SetContexts(ctx, id, 0, client.File{Name: "texts.csv", Contents: strings.NewReader(contextTexts())}, "markdown")
	s.must(err)
	if set != (wire.Contexts{Contexts: 3, Texts: 18, Format: "markdown"}) {
		t.Errorf("%+v", set)
	}
	_, err = s.owner.Open(ctx, id)
	s.must(err)
	asked := map[string]int{}
	q, err := s.respondent.Ask(ctx, id, wire.Ask{Respondent: "anna"})
	s.must(err)
	for range 12 {
		asked[q.Context]++
		for _, arm := range q.Arms {
			if want := strings.ToUpper(arm.ID) + " for " + q.Context; arm.Text != want || arm.Label != "" || arm.Attributes != nil || q.Format != "markdown" {
				t.Errorf("%+v in %q", arm, q.Context)
			}
		}
		s.must(s.respondent.Answer(ctx, id, q.Token, q.Arms[0].ID))
		q, err = s.respondent.Ask(ctx, id, wire.Ask{Respondent: "anna"})
		s.must(err)
	}
	if asked["pie"]+asked["juice"]+asked["jam"] != 12 || len(asked) == 1 { // all alike with probability 3⁻¹¹
		t.Errorf("the contexts were %v", asked)
	}
	_, err = s.owner.SetContexts(ctx, id, 0, client.File{Name: "texts.csv", Contents: strings.NewReader(contextTexts())}, "plain")
	s.refused(err, 409, wire.Started, "")
}
