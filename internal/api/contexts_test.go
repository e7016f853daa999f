package api_test

import (
	"fmt"
	"net/http"
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
	for _, context := range []string{"pie", "juice", "jam"} {
		if asked[context] < 3 { // anna may get questions out of order, so that she does not see the same arms twice in a row
			t.Errorf("%s was asked %d times: %v", context, asked[context], asked)
		}
	}
	_, err = s.owner.SetContexts(ctx, id, 0, client.File{Name: "texts.csv", Contents: strings.NewReader(contextTexts())}, "plain")
	s.refused(err, 409, wire.Started, "")
}

// TestContextsInJSON: texts may come in JSON, and problems name the list.
func TestContextsInJSON(t *testing.T) {
	s := begin(t, setting{idle: true})
	put := func(body string) raw {
		return s.send(sent{token: s.owner.Token, method: http.MethodPut, path: "/studies/" + s.draft(quick()).ID + "/contexts", kind: "application/json", body: body})
	}
	var rows []string
	for line := range strings.Lines(contextTexts()) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		rows = append(rows, fmt.Sprintf(`{"arm":%q,"context":%q,"text":%q}`, fields[0], fields[1], fields[2]))
	}
	list := strings.Join(rows[1:], ",")
	if reply := put(`{"texts":[` + list + `]}`); reply.status != 200 || !strings.Contains(reply.text, `"contexts":3`) || !strings.Contains(reply.text, `"plain"`) {
		t.Errorf("%d %s", reply.status, reply.text)
	}
	for body, location := range map[string]string{
		`{"texts":[` + list + `,{"arm":"kiwi","context":"pie","text":""}]}`: "body.texts",
		`{"texts":[` + list + `],"format":"html"}`:                          "body.format",
		`{"texts":[]}`: "body.texts",
	} {
		reply := put(body)
		var problem wire.Problem
		s.must(reply.read(&problem))
		if reply.status != 422 || len(problem.Errors) == 0 || problem.Errors[0].Location != location {
			t.Errorf("%.100s: %d %s, want a problem at %s", body, reply.status, reply.text, location)
		}
	}
}
