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
	"bestpick/wire"
)

// tried: an owner tries a draft on a phone, up to the thanks. Nothing is recorded.
func tried(s *stage, b *browser.Browser) {
	id := s.draft(drawn(), wire.Settings{K: 3, Each: 2})
	w := s.owned(b, id, browser.Phone())
	press(w, "#do-try")
	w.WaitText(".progress-text", "Question 1 of 2")
	w.WaitText(".trial", "Try-out: answers are not recorded. Back to the study")
	w.Accessible()
	press(w, nth(2))
	w.WaitText(".progress-text", "Question 2 of 2")
	press(w, nth(1))
	w.WaitText("h1", "Thank you!")
	press(w, ".trial a")
	says(w, "^Not open yet")
	if log := s.log(id); len(log) > 0 {
		s.Errorf("the log has %v", log)
	}
}

// published: an owner creates a public link to the results. A stranger sees them, until the owner revokes the link.
func published(s *stage, b *browser.Browser) {
	id := s.open(lamps(), quick())
	s.people(id, 60)
	s.counted(id, 30)
	w := s.owned(b, id, browser.Phone())
	press(w, "#do-publish")
	done(w, "The results have a public link.")
	w.Wait("document.querySelector('#public')")
	link := browser.Eval[string](w, "document.querySelector('#public').value")
	stranger := b.Open(s.T, browser.Phone())
	stranger.Go(link)
	stranger.WaitText("h1", "Study")
	stranger.Wait("document.querySelectorAll('.ranking tbody tr').length === 12")
	stranger.Accessible()
	fits(stranger, "the public results", 360)
	press(w, "#do-unpublish")
	done(w, "The public link no longer works.")
	stranger.Expect("404")
	stranger.Reload()
	stranger.WaitText("h1", "There are no results here")
	stranger.Accessible()
}

// duplicated: a copy of a study is a draft with the same options and settings, and its form follows.
func duplicated(s *stage, b *browser.Browser) {
	id := s.open(drawn(), wire.Settings{K: 3, Each: 7, Grace: -1})
	s.answerSome(id, 3)
	w := s.owned(b, id, browser.Phone())
	press(w, "#more summary")
	press(w, "#do-duplicate")
	w.WaitText(".crumb", "Copy of Study")
	w.Wait("document.querySelector('#recognised h3 + p').innerText.startsWith('6 options.') && " +
		"document.querySelector('#each').value === '7' && document.querySelector('button[value=open]')")
}

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

// prior: on the form of a study with earlier answers, majority is disabled, with the reason.
func prior(s *stage, b *browser.Browser) {
	id := s.draft("id,x\na,1\nb,2\nc,4\n", wire.Settings{K: 2})
	_, err := s.owner.SetPrior(s.Context(), id, 0, client.File{
		Name:     "answers.csv",
		Contents: strings.NewReader("shown_1,shown_2,pick_1\na,b,a\nb,c,b\n"),
	})
	s.must(err)
	w := b.Open(s.T, browser.Phone())
	s.signIn(w, s.secret)
	w.Go(s.results(id) + "/edit")
	w.Wait("document.querySelector('[name=assume][value=majority]').disabled")
	w.WaitText("#rests > .hint", "Majority is not available: this study uses earlier answers.")
	browser.Eval[bool](w,
		"(document.querySelector('[name=assume][value=majority]').disabled = false, "+
			"document.querySelector('[name=assume][value=majority]').checked = true)")
	w.Expect("422")
	press(w, "button[value=keep]")
	w.WaitText("#assume-problem", "Majority is not available: this study uses earlier answers.")
}

// compared: on a desktop, the title of a card is above its text in a context, whatever headings the text has.
func compared(s *stage, b *browser.Browser) {
	id := s.draft("id,label\na,Arm A\nb,Arm B\n", wire.Settings{K: 2})
	texts := "arm,context,text\na,why?,\"# Because\n\nof this\"\nb,why?,\"# So\n\n> that\"\n"
	_, err := s.owner.SetContexts(s.Context(), id, 0, client.File{Name: "texts.csv", Contents: strings.NewReader(texts)}, "markdown")
	s.must(err)
	_, err = s.owner.Open(s.Context(), id)
	s.must(err)
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
