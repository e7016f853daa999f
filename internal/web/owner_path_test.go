package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/access"
	"bestpick/internal/browser"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// followed: live updates of a decided study keep the runner-up, and its table has numbers.
func followed(s *stage, b *browser.Browser) {
	id := s.open(lamps(), quick())
	s.people(id, 5000)
	w := s.owned(b, id, browser.Phone())
	w.Wait("performance.now() > 3000 && document.querySelector('.winner')?.innerText.includes('Runner-up')")
	w.Wait("Number(document.querySelector('.arms td[data-label=Shown]').innerText) > 0")
}

// previewed: the preview of a form has the buttons that respondents get.
func previewed(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Phone())
	s.signIn(w, s.secret)
	w.Go(s.results(s.draft(lamps(), wire.Settings{K: 3})) + "/edit")
	w.WaitText(".sample .how", "Pick one")
	w.Wait("document.documentElement.classList.contains('scripted') && !document.querySelector('.sample .button')")
	fill(w, "#outside", "true")
	w.WaitText(".sample .button", "None of these")
	fill(w, "#outside", "false")
	fill(w, "#ties", "true")
	w.WaitText(".sample .button", "Equally good")
	fill(w, "#ties", "false")
	fill(w, "#best_worst", "true")
	w.WaitText(".sample .how", "Pick the best, then the worst")
	w.Wait("document.querySelectorAll('.sample .rank').length === 3")
	w.Accessible()
}

// compared: on a desktop, the title of a card is above its text in a context, whatever headings the text has.
func compared(s *stage, b *browser.Browser) {
	id := s.draft("id,label\na,Arm A\nb,Arm B\n", wire.Settings{K: 2})
	texts := "arm,context,text\na,why?,\"# Because\n\nof this\"\nb,why?,\"# So\n\n> that\"\n"
	_, err := s.owner.SetContexts(s.Context(), id, 0, client.File{Name: "texts.csv", Contents: strings.NewReader(texts)}, "markdown")
	s.must(err)
	testsupport.Value(s.owner.Open(s.Context(), id)).OrFail(s)
	w := b.Open(s.T, browser.Desktop())
	w.Go(s.page(id))
	shown(w, 1)
	if above := browser.Eval[bool](w,
		"[...document.querySelectorAll('.card')].every((card) => card.querySelector('.pick').getBoundingClientRect().bottom <= "+
			"card.querySelector('.output').getBoundingClientRect().top)"); !above {
		s.Error("a text is above its title")
	}
	w.Accessible()
}

// fits fails if the page, or a table in it, is wider than the window.
func fits(w *browser.Window, page string, width int64) {
	w.Helper()
	if wide := browser.Eval[int64](w, "document.documentElement.scrollWidth"); wide > width {
		w.Errorf("%s is %d pixels wide", page, wide)
	}
	if wide := browser.Eval[[]string](w,
		"[...document.querySelectorAll('.scroll')].filter((each) => each.checkVisibility() && "+
			"each.scrollWidth > each.clientWidth + 1).map((each) => each.innerText.slice(0, 200))"); len(wide) > 0 {
		w.Errorf("%s has tables that are too wide: %q", page, wide)
	}
}

// TestAuditPage: the audit log has words for all operations, and the names of studies.
func TestAuditPage(t *testing.T) {
	s := begin(t)
	reply, err := http.Get(s.url + "/openapi.json") //nolint:noctx // a test
	s.must(err)
	defer func() { s.must(reply.Body.Close()) }()
	var api struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Security    []any  `json:"security"`
		} `json:"paths"`
	}
	s.must(json.NewDecoder(reply.Body).Decode(&api))
	operations := []string{
		"accept-invitation", "publish-results", "unpublish-results", "test-webhook", "list-panel",
		"export-profiles", "export-results",
	}
	for _, methods := range api.Paths {
		for method, operation := range methods {
			if len(operation.Security) > 0 && (method != "get" || strings.HasPrefix(operation.OperationID, "export-")) {
				operations = append(operations, operation.OperationID)
			}
		}
	}
	const least = 30
	if len(operations) < least {
		t.Fatalf("only %d operations", len(operations))
	}
	id := s.draft(lamps(), wire.Settings{})
	for _, operation := range operations {
		s.must(s.store.AddEntry(t.Context(), access.Entry{At: time.Now(), By: "owner", Operation: operation, Study: id}))
	}
	_, text := s.ask(http.MethodGet, "/audit", s.secret, nil)
	for _, operation := range operations {
		if strings.Contains(text, ">"+operation+"<") {
			t.Errorf("%s has no words", operation)
		}
	}
	if strings.Contains(text, ">"+id+"<") || !strings.Contains(text, ">Study</a>") {
		t.Error("the page has the ID of a study in place of its name")
	}
}
