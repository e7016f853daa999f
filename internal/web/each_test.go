package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/study/wiring"
	"bestpick/internal/testsupport"
	"bestpick/internal/web"
	"bestpick/wire"
)

// TestTabs: with a limit of 1, 30 tabs of one browser, at two replicas, have one counted answer.
// Every tab ends with thanks and promises no further question.
func TestTabs(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3, Each: 1})
	other := testsupport.Value(wiring.New(t.Context(), s.store, wiring.Options{Patience: 3 * time.Second})).OrFail(s)
	replica := httptest.NewServer(web.Handler(other, web.Options{}))
	t.Cleanup(replica.Close)
	pages := []string{s.page(id), replica.URL + "/s/" + id}

	p := s.person(true)
	tabs := make([]url.Values, 30)
	tokens := map[string]bool{}
	for i := range tabs {
		p.get(pages[i%2])
		p.sees(http.StatusOK, "Question 1 of 1")
		tabs[i] = p.fields
		tokens[p.fields.Get("token")] = true
	}
	if len(tokens) != 2 {
		t.Errorf("the tabs show %d questions, not one per replica", len(tokens))
	}
	for i, fields := range tabs {
		p.fields = fields
		if i%7 == 3 {
			p.send(pages[i%2]+"/skip", nil)
		} else {
			p.send(pages[i%2]+"/answer", url.Values{"pick": {strconv.Itoa(i % 3)}})
		}
		p.sees(http.StatusOK, "You have answered all questions")
		if strings.Contains(p.text, `role="status">That`) || strings.Contains(p.text, `role="status">You answered`) {
			t.Errorf("tab %d promises another question: %s", i, p.text)
		}
	}
	s.kinds(id, study.Answered)
}

// TestLapsed: the page of a study that may open again does not say that it is over.
func TestLapsed(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3, Grace: -1, Budget: 2})
	for range 2 {
		p := s.person(true)
		p.get(s.page(id))
		p.send(s.page(id)+"/answer", url.Values{"pick": {"0"}})
	}
	p := s.person(true)
	for try := 0; !strings.Contains(p.text, "This study is over"); try++ {
		if try == 500 {
			t.Fatal(p.text)
		}
		time.Sleep(10 * time.Millisecond)
		p.get(s.page(id))
	}
	testsupport.Value(s.owner.Erase(t.Context(), id, s.answers(id)[0].Respondent)).OrFail(s)
	p.get(s.page(id))
	p.sees(http.StatusOK, "This study has stopped for now and may continue later.")
	p.sees(http.StatusOK, `content="30;url=/s/`)
}

// enoughElsewhere: a scripted page whose answer exceeds the limit shows the end instead of a question.
func enoughElsewhere(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Each: 4, Grace: -1})
	w := b.Open(s.T, browser.Desktop())
	w.Expect("409 (Conflict)")
	w.Go(s.page(id))
	shown(w, 1)
	w.Wait(ahead)
	w.Click(nth(1))
	shown(w, 2)
	w.Wait("performance.getEntriesByType('resource').filter((e) => e.name.endsWith('/question') && e.responseEnd > 0).length === 2")
	s.kinds(id, study.Answered)
	store := s.studies.Dispatch.Store
	log := testsupport.Value(store.Log(s.Context(), id, 0, 10)).OrFail(s)
	claim := testsupport.Value(store.Claim(s.Context(), id, 3, time.Now())).OrFail(s)
	for i, q := range claim.Questions {
		testsupport.Value(store.Record(s.Context(), id, study.NoLimit, study.Outcome{
			Position: claim.First + study.Position(i), Kind: study.Answered, Shown: q, Picks: []int{0}, At: time.Now(),
			Respondent: log[len(log)-1].Respondent,
		})).OrFail(s)
	}
	w.Click(nth(1))
	w.WaitText("h1", "Thank you!")
	w.WaitText("#stage p", "You have answered all questions. You can close this page.")
}
