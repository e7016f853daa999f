package web_test

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"bestpick/internal/browser"
	"bestpick/internal/middleware"
	"bestpick/internal/study"
	"bestpick/internal/study/wiring"
	"bestpick/internal/testsupport"
	"bestpick/internal/web"
	"bestpick/wire"
)

// A person uses the pages without JavaScript.
type person struct {
	*stage

	client *http.Client
	status int
	header http.Header
	text   string
	fields url.Values // hidden fields of the form with the question
}

// person returns a person with or without cookies.
func (s *stage) person(cookies bool) *person {
	s.Helper()
	p := &person{stage: s, client: &http.Client{}}
	if cookies {
		jar := testsupport.Value(cookiejar.New(nil)).OrFail(s)
		p.client.Jar = jar
	}
	return p
}

func (p *person) get(address string) {
	p.Helper()
	r, err := http.NewRequestWithContext(p.Context(), http.MethodGet, address, nil)
	p.must(err)
	p.do(r)
}

// send submits the hidden fields of the page's form, with further ones.
func (p *person) send(address string, more url.Values) {
	p.Helper()
	form := url.Values{}
	for _, values := range []url.Values{p.fields, more} {
		maps.Copy(form, values)
	}
	r, err := http.NewRequestWithContext(p.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	p.must(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	p.do(r)
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`)

func (p *person) do(r *http.Request) {
	p.Helper()
	reply, err := p.client.Do(r)
	p.must(err)
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(reply.Body)
	p.must(err)
	p.status, p.header, p.text, p.fields = reply.StatusCode, reply.Header, string(text), url.Values{}
	if _, form, found := strings.Cut(p.text, `id="question"`); found {
		form, _, _ = strings.Cut(form, "</form>")
		for _, field := range hidden.FindAllStringSubmatch(form, -1) {
			p.fields.Add(field[1], html.UnescapeString(field[2]))
		}
	}
}

// lacks checks that the last page does not contain a text.
func (p *person) lacks(text string) {
	p.Helper()
	if strings.Contains(p.text, text) {
		p.Errorf("the page contains %q", text)
	}
}

// sees fails unless the page has the status and the text.
func (p *person) sees(status int, text string) {
	p.Helper()
	if p.status != status || !strings.Contains(p.text, text) {
		p.Errorf("%d without %q:\n%s", p.status, text, p.text)
	}
}

// TestStates: each state has its page.
func TestStates(t *testing.T) {
	s := begin(t)
	p := s.person(true)
	p.get(s.page("nowhere"))
	p.sees(http.StatusNotFound, "There is no study here")
	p.get(s.page("no%00where"))
	p.sees(http.StatusNotFound, "There is no study here")
	id := s.draft(lamps(), wire.Settings{K: 3, Each: 1})
	p.get(s.page(id))
	p.sees(http.StatusOK, "Not open yet")
	if !strings.HasPrefix(p.header.Get("Set-Cookie"), "respondent=") {
		t.Error("the respondent's name is not kept while waiting")
	}
	if !strings.Contains(p.text, `<noscript><meta http-equiv="refresh" content="30;url=/s/`+id+`">`) {
		t.Error("the page does not reload without JavaScript")
	}
	testsupport.Value(s.owner.Open(t.Context(), id)).OrFail(s)
	p.get(s.page(id))
	p.sees(http.StatusOK, "Question 1 of 1")
	for header, want := range map[string]string{
		"Cache-Control": "no-store", "Referrer-Policy": "same-origin",
		"Content-Type": "text/html; charset=utf-8",
	} {
		if got := p.header.Get(header); got != want {
			t.Errorf("%s is %q", header, got)
		}
	}
	p.send(s.page(id)+"/answer", url.Values{"pick": {"0"}})
	p.sees(http.StatusOK, "You have answered all questions")
	testsupport.Value(s.owner.Pause(t.Context(), id)).OrFail(s)
	p.get(s.page(id))
	p.sees(http.StatusOK, "A short break")
	testsupport.Value(s.owner.Close(t.Context(), id)).OrFail(s)
	p.get(s.page(id))
	p.sees(http.StatusOK, "This study is over")
}

// TestPersonalLink: in a study with a panel, the link of a member records answers under their name.
// Without it, the page asks for a personal link.
func TestPersonalLink(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3, Grace: -1})
	members := testsupport.Value(s.owner.AddMembers(t.Context(), id, wire.NewMember{Name: "Anna"})).OrFail(s)
	p := s.person(true)
	for _, link := range []string{s.page(id), s.page(id) + "?key=none"} {
		p.get(link)
		p.sees(http.StatusForbidden, "By invitation only")
	}
	p.get(s.url + members[0].Link)
	p.sees(http.StatusOK, "Question 1")
	p.send(s.page(id)+"/answer", url.Values{"pick": {"0"}})
	p.sees(http.StatusOK, "Question 2")
	var log bytes.Buffer
	s.must(s.owner.Export(t.Context(), id, "answers", "csv", &log))
	if !strings.Contains(log.String(), "Anna") {
		t.Errorf("the answers are %s", log.String())
	}
}

// TestNoQuestion: if no question is available, the page says so and reloads.
func TestNoQuestion(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3})
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	w := httptest.NewRecorder()
	web.Handler(s.studies, web.Options{}).ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/s/"+id, nil))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" ||
		!strings.Contains(w.Body.String(), "Just a moment") {
		t.Errorf("%d %v\n%s", w.Code, w.Header(), w.Body)
	}
}

// TestTooOften: respondents and addresses that exceed the rate limit get a page that reloads.
func TestTooOften(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3})
	s.studies.Dispatch.Limiter = middleware.NewLimiter(0.1, 1)
	pages := web.Handler(s.studies, web.Options{})
	ask := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		name := strings.Repeat("a", 26)
		r.AddCookie(&http.Cookie{Name: "respondent", Value: s.studies.Dispatch.Pass(id, name)}) //nolint:gosec // a request cookie, without attributes
		pages.ServeHTTP(w, r)
		return w
	}
	if w := ask("/s/" + id); w.Code != http.StatusOK {
		t.Fatalf("%d", w.Code)
	}
	w := ask("/s/" + id)
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "10" ||
		!strings.Contains(w.Body.String(), "A little too fast") {
		t.Errorf("%d %v\n%s", w.Code, w.Header(), w.Body)
	}
	for path, again := range map[string]string{"/studies/x?page=2": "/studies/x?page=2", "//elsewhere.example/": "/"} {
		w = httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
		pages.TooMany(w, r, time.Second)
		if w.Code != http.StatusTooManyRequests || !strings.Contains(w.Body.String(), `<a class="button" href="`+again+`">Try again`) {
			t.Errorf("%s: %d\n%s", path, w.Code, w.Body)
		}
	}
	w = httptest.NewRecorder()
	pages.TooMany(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/s/"+id+"/answer", nil), 1500*time.Millisecond)
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "2" ||
		!strings.Contains(w.Body.String(), `content="2;url=/s/`+id+`"`) {
		t.Errorf("%d %v\n%s", w.Code, w.Header(), w.Body)
	}
}

// TestForms: a form that is submitted twice counts once. A different answer, a forged token and a
// late undo get a friendly notice. The parameters of the link are kept.
func TestForms(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3, Grace: 0.5})
	p := s.person(true)
	members := testsupport.Value(s.owner.AddMembers(t.Context(), id, wire.NewMember{Name: "Anna"})).OrFail(s)
	query := "?key=" + members[0].Key + "&lang=de&segment=s"
	p.get(s.page(id) + query)
	first := p.fields
	for range 2 {
		p.fields = first
		p.send(s.page(id)+"/answer", url.Values{"pick": {"1"}})
		p.sees(http.StatusOK, "Frage 2")
		if p.fields.Get("key") != members[0].Key || p.fields.Get("segment") != "s" {
			t.Errorf("the parameters of the link are lost: %v", p.fields)
		}
	}
	p.fields = first
	p.send(s.page(id)+"/answer", url.Values{"pick": {"2"}})
	p.sees(http.StatusOK, "diese Frage schon beantwortet")
	for _, pick := range []string{"", "x", "-1", "3", "9999999999999999999"} {
		p.fields = first
		p.send(s.page(id)+"/answer", url.Values{"pick": {pick}})
		p.sees(http.StatusUnprocessableEntity, "Das hat nicht geklappt")
	}
	p.fields = nil
	for _, step := range []string{"/answer", "/skip", "/undo"} {
		p.send(s.page(id)+step, url.Values{"pick": {"0"}, "token": {"made up"}})
		p.sees(http.StatusUnprocessableEntity, "That did not work")
		p.send(s.page("nowhere")+step, url.Values{"pick": {"0"}, "token": {"made up"}})
		p.sees(http.StatusNotFound, "There is no study here")
		p.get(s.page(id) + step + query)
		p.sees(http.StatusOK, "Frage 2")
		p.send(s.page(id)+step, url.Values{"token": {strings.Repeat("x", 100_000)}})
		p.sees(http.StatusBadRequest, "cannot be read")
	}
	s.counted(id, 1)
	p.fields = first
	p.send(s.page(id)+"/undo", nil)
	p.sees(http.StatusOK, "zählt schon")
	outcomes := s.kinds(id, study.Answered)
	if o := outcomes[0]; o.Segment != "s" || o.Picks[0] != 1 {
		t.Errorf("%+v", o)
	}
}

// TestCookies: cookies are limited to one study and hidden from JavaScript, and work in frames if
// framing is allowed.
func TestCookies(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3})
	for _, test := range []struct {
		options web.Options
		want    string
	}{
		{web.Options{}, "HttpOnly; SameSite=Lax"},
		{web.Options{Framed: true}, "HttpOnly; SameSite=Lax"},
		{web.Options{Secure: true}, "HttpOnly; Secure; SameSite=Lax"},
		{web.Options{Secure: true, Framed: true}, "HttpOnly; Secure; SameSite=None; Partitioned"},
	} {
		w := httptest.NewRecorder()
		web.Handler(s.studies, test.options).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/s/"+id, nil))
		cookie := w.Header().Get("Set-Cookie")
		if !regexp.MustCompile(`^respondent=[a-z2-7]{26}\.[0-9a-f]{32}; Path=/s/` + id + `; Max-Age=\d+; ` + test.want +
			`$`).MatchString(cookie) {
			t.Errorf("%+v: %s", test.options, cookie)
		}
	}
}

// TestHeadAsksNothing: a HEAD request leases no question.
func TestHeadAsksNothing(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3})
	for path, want := range map[string]int{"/s/" + id: http.StatusOK, "/s/nowhere": http.StatusNotFound} {
		w := httptest.NewRecorder()
		web.Handler(s.studies, web.Options{}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodHead, path, nil))
		if w.Code != want || w.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
}

// TestWeight: pages load less than 150 kB without pictures, all from this server.
func TestWeight(t *testing.T) {
	s := begin(t)
	asked, charted := s.open(lamps(), wire.Settings{K: 4, Picks: 3, Each: 20}), s.answered(200)
	p := s.signedInPerson()
	for page, has := range map[string]string{s.page(asked): `class="cards`, s.results(charted): `id="ranked"`} {
		for range 20 { // the first responses may come before the charts are ready
			if p.get(page); strings.Contains(p.text, has) {
				break
			}
		}
		p.sees(http.StatusOK, has)
		total := len(p.text)
		addresses := regexp.MustCompile(`<(?:link|script|img)[^>]* (?:src|href)="([^"]+)"`).FindAllStringSubmatch(p.text, -1)
		for _, address := range addresses {
			if !strings.HasPrefix(address[1], "/assets/") {
				t.Errorf("the page loads %s", address[1])
			}
			p.get(s.url + address[1])
			p.sees(http.StatusOK, "")
			total += len(p.text)
		}
		if len(addresses) < 4 || total > 150_000 {
			t.Errorf("%s: %d files, %d bytes", page, len(addresses), total)
		}
	}
}

// TestAhead: the question after the last one is never leased.
func TestAhead(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3, Each: 3})
	p := s.person(false)
	p.get(s.page(id))
	for after, want := range map[string]string{
		"": "Question 1 of 3", "1": "Question 2 of 3", "2": "Question 3 of 3",
		"3": "You have answered all questions", "x": "Question 1 of 3",
	} {
		p.send(s.page(id)+"/question", url.Values{"after": {after}})
		p.sees(http.StatusOK, want)
		if strings.Contains(p.text, "<html") {
			t.Error("the fragment is a whole page")
		}
	}
	p.send(s.page("nowhere")+"/question", nil)
	p.sees(http.StatusOK, "There is no study here")
	if n := len(s.log(id)); n != 0 {
		t.Error(fmt.Sprint(n, " outcomes without an answer"))
	}
}

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

// TestOptionsReturn: the page says that options return, in both languages: from the second question on where hands limit
// it, and from the first one on where nothing does, unless that is the only one.
func TestOptionsReturn(t *testing.T) {
	s := begin(t)
	for _, c := range []struct {
		settings wire.Settings
		first    bool
	}{
		{wire.Settings{K: 3, Each: 10}, true},
		{wire.Settings{K: 3, Each: 1}, false},
		{wire.Settings{K: 3, Each: 10, Assume: "majority"}, false},
		{wire.Settings{K: 3, Each: 10, Assume: "linear", Fallback: new(0.25)}, false},
	} {
		id := s.open(lamps(), c.settings)
		for language, text := range map[string]string{
			"en": "You will see some options again.",
			"de": "Einige Optionen sehen Sie mehrmals.",
		} {
			p := s.person(true)
			p.get(s.page(id) + "?lang=" + language)
			if p.sees(http.StatusOK, `data-number="1"`); strings.Contains(p.text, text) != c.first {
				t.Errorf("the first question of %+v in %s: %s", c.settings, language, p.text)
			}
			if p.send(s.page(id)+"/skip", nil); c.settings.Each > 1 {
				p.sees(http.StatusOK, text)
			}
		}
	}
}

// TestLapsed: the page of a study that may open again does not say that it is over.
func TestLapsed(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3, Grace: -1, Budget: new(2)})
	p := s.person(true)
	p.get(s.page(id))
	for range 2 {
		p.send(s.page(id)+"/answer", url.Values{"pick": {"0"}})
	}
	p = s.person(true)
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
		testsupport.Value(store.Record(s.Context(), id, study.Terms{}, study.Outcome{
			Position: claim.First + study.Position(i), Kind: study.Answered, Shown: q, Picks: []int{0}, At: time.Now(),
			Respondent: log[len(log)-1].Respondent,
		})).OrFail(s)
	}
	w.Click(nth(1))
	w.WaitText("h1", "Thank you!")
	w.WaitText("#stage p", "You have answered all questions. You can close this page.")
}

const kept = "Object.keys(localStorage).filter((key) => key.startsWith('bestpick/outbox/')).length"

// offline: answers are stored while there is no connection, and sent once when it is back.
func offline(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Each: 10, Grace: 60})
	w := b.Open(s.T, browser.Phone())
	w.Go(s.page(id))
	shown(w, 1)
	w.Wait(ahead)
	w.Offline(true)
	w.Expect("409 (Conflict)") // of the undo, since it is unknown whether the answer arrived
	first := arm(w, 1)
	w.Tap(nth(1))
	shown(w, 2)
	w.WaitText("#notice", "No connection. Your answer is stored and sent later.")
	w.Tap("#undo button") // an unsent answer can be undone
	shown(w, 1)
	w.Tap(nth(1))
	shown(w, 2)
	w.Tap(nth(2))
	w.WaitText("h1", "No connection")
	if n := len(s.log(id)); n != 0 {
		s.Errorf("%d outcomes were recorded without a connection", n)
	}
	w.Offline(false)
	shown(w, 3)
	outcomes := s.kinds(id, study.Answered, study.Answered)
	s.same(outcomes)
	if got := s.picked(id, outcomes[0])[0]; got != first {
		s.Errorf("%s was picked, not %s", got, first)
	}
	w.Wait(kept + " === 0")
	w.Offline(true)
	w.Tap("#undo button")
	w.WaitText("#notice", "No connection. You cannot undo this now.")
	w.Offline(false)
	shown(w, 3)
	w.Tap(nth(1))
	s.kinds(id, study.Answered, study.Answered, study.Answered)
}

// reload: an unsent answer is sent when the page is opened again.
func reload(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Each: 2})
	w := b.Open(s.T, browser.Desktop())
	w.Go(s.page(id))
	shown(w, 1)
	w.Wait(ahead)
	w.Offline(true)
	w.Click(nth(1))
	shown(w, 2)
	w.Wait(kept + " === 1")
	w.ReloadOffline()
	w.Offline(false)
	w.Go(s.page(id))
	shown(w, 2)
	s.same(s.kinds(id, study.Answered))
	w.Click(nth(1))
	w.WaitText("h1", "Thank you!")
	s.same(s.kinds(id, study.Answered, study.Answered))
}

// lostReply: an answer whose reply was lost is sent again, and counted once.
func lostReply(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3})
	w := b.Open(s.T, browser.Phone())
	w.Expect("net::ERR_EMPTY_RESPONSE")
	w.Go(s.page(id))
	shown(w, 1)
	s.losing.Store(1)
	w.Tap(nth(1))
	shown(w, 2)
	w.Wait(kept + " === 0")
	if n := len(s.log(id)); n != 1 || s.losing.Load() >= 1 {
		s.Errorf("%d outcomes", n)
	}
}

// TestClaimedNames: a visitor cannot choose a name, in a cookie or in a form, or use that of another study. A name with the
// signature of the server is kept.
func TestClaimedNames(t *testing.T) {
	s := begin(t)
	id, other := s.open(lamps(), wire.Settings{K: 3}), s.open(lamps(), wire.Settings{K: 3})
	pages, name := web.Handler(s.studies, web.Options{}), study.NewName()
	pass := s.studies.Dispatch.Pass
	given := regexp.MustCompile(`name="respondent" value="([^"]*)"`)
	for claimed, kept := range map[string]bool{
		name: false, pass(id, name): true, pass(other, name): false, pass(id, name)[:40]: false,
		"anna." + strings.Repeat("0", 32): false,
	} {
		ask := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/s/"+id, nil)
		ask.AddCookie(&http.Cookie{Name: "respondent", Value: claimed}) //nolint:gosec // a request cookie, without attributes
		send := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/s/"+id+"/question",
			strings.NewReader("respondent="+claimed))
		send.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for _, r := range []*http.Request{ask, send} {
			w := httptest.NewRecorder()
			pages.ServeHTTP(w, r)
			found := given.FindStringSubmatch(w.Body.String())
			if w.Code != http.StatusOK || found == nil || (found[1] == claimed) != kept {
				t.Errorf("%s with %q: %d, named %q", r.Method, claimed, w.Code, found)
			} else if named, ok := s.studies.Dispatch.Named(id, found[1]); !ok || (named == name) != kept {
				t.Errorf("%s with %q: named %q, %v", r.Method, claimed, named, ok)
			}
		}
	}
}
