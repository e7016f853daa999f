package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/access"
	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/testsupport"
	"bestpick/internal/web"
	"bestpick/strategy"
	"bestpick/wire"
)

// ask sends a request with a token, and returns the status and the text.
func (s *stage) ask(method, path, secret string, form url.Values, header ...string) (int, string) {
	s.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	request := testsupport.Value(http.NewRequestWithContext(s.Context(), method, s.url+path, body)).OrFail(s)
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	request.Header.Set("Cookie", "session="+s.session(secret))
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	reply, err := client.Do(request)
	s.must(err)
	defer func() { _ = reply.Body.Close() }()
	text := testsupport.Value(io.ReadAll(reply.Body)).OrFail(s)
	return reply.StatusCode, reply.Header.Get("Location") + string(text)
}

// TestStudyRequests: requests that are invalid or not allowed are rejected, and nothing changes.
func TestStudyRequests(t *testing.T) {
	t.Parallel()
	s := begin(t)
	id := s.draft(lamps(), wire.Settings{K: 3})
	before := testsupport.Value(s.studies.Store.Study(t.Context(), id)).OrFail(s)
	viewer := s.token("Vera", access.Viewer)
	page, version := "/studies/"+id, url.Values{"version": {"1"}}
	for _, c := range []struct {
		method, path, secret string
		form                 url.Values
		header               []string
		want                 int
	}{
		{"GET", page, "", nil, nil, 303},
		{"GET", page + "/events", "bestpick_none", nil, nil, 303},
		{"GET", page + "/export/log", viewer, nil, nil, 403},
		{"POST", page + "/open", viewer, version, nil, 403},
		{"POST", page + "/open", s.secret, version, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"POST", page + "/open", s.secret, url.Values{}, nil, 404},
		{"POST", page + "/open", s.secret, url.Values{"version": {"-1"}}, nil, 404},
		{"POST", page + "/open", s.secret, url.Values{"version": {"7"}}, nil, 303},
		{"POST", page + "/pause", s.secret, version, nil, 303},
		{"POST", page + "/close", s.secret, version, nil, 303},
		{"POST", page + "/withdraw", s.secret, url.Values{"version": {"1"}, "arm": {"none"}}, nil, 303},
		{"POST", page + "/edit", s.secret, url.Values{"version": {"1"}, "name": {" "}}, nil, 422},
		{"POST", page + "/edit", s.secret, url.Values{"version": {"1"}, "name": {"x\x00"}}, nil, 422},
		{"POST", page + "/edit", s.secret, url.Values{"version": {"1"}, "name": {strings.Repeat("x", 201)}}, nil, 422},
		{"POST", page + "/edit", s.secret, url.Values{"name": {"x"}, "version": {"9"}}, nil, 409},
		{"POST", page + "/delete", s.secret, url.Values{"version": {"9"}, "name": {"Study"}}, nil, 303},
		{"POST", page + "/add", s.secret, version, nil, 400},
		{"GET", page + "/withdraw?arm=none", s.secret, nil, nil, 404},
		{"GET", page + "/export/answers?format=xls", s.secret, nil, nil, 404},
		{"GET", page + "/export/tokens", s.secret, nil, nil, 404},
		{"GET", "/studies/none", s.secret, nil, nil, 404},
		{"GET", "/studies/%00%ff", s.secret, nil, nil, 404},
		{"GET", "/studies/none/events", s.secret, nil, nil, 204},
		{"GET", "/studies/none/report", s.secret, nil, nil, 404},
		{"HEAD", page + "/events", s.secret, nil, nil, 200},
		{"HEAD", page + "/export/log", s.secret, nil, nil, 200},
		{"GET", page + "?page=999999999999&sort=x&q=" + strings.Repeat("y", 500), s.secret, nil, nil, 200},
		{"GET", page + "/arms?page=-4&q=%00", s.secret, nil, nil, 200},
	} {
		if got, text := s.ask(c.method, c.path, c.secret, c.form, c.header...); got != c.want {
			t.Errorf("%s %s with %v: %d, want %d\n%.200s", c.method, c.path, c.form, got, c.want, text)
		}
	}
	after, err := s.studies.Store.Study(t.Context(), id)
	if err != nil || after.Version != before.Version {
		t.Errorf("the study has changed: %+v, %v", after, err)
	}
	if got := s.recorded(id); got != "" {
		t.Errorf("the audit log has %s", got)
	}
}

// TestExcludedOnPage: an owner excludes a person by name, and the page says so. A name that is unknown is refused.
func TestExcludedOnPage(t *testing.T) {
	t.Parallel()
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 2, Assume: "majority", Grace: -1})
	address := "/studies/" + id
	q := testsupport.Value(s.owner.Ask(t.Context(), id, wire.Ask{Respondent: "visitor 0"})).OrFail(s)
	s.must(s.owner.Answer(t.Context(), id, q.Token, q.Arms[0].ID))
	version := strconv.Itoa(testsupport.Value(s.studies.Store.Study(t.Context(), id)).OrFail(s).Version)
	if _, text := s.ask("GET", address+"/exclude", s.secret, nil); !strings.Contains(text, `name="respondent"`) {
		t.Errorf("no field for a name: %.2000s", text)
	}
	exclude := func(name string, want int) {
		if status, _ := s.ask("POST", address+"/exclude", s.secret,
			url.Values{"version": {version}, "respondent": {name}}); status != want {
			t.Errorf("%s: %d, want %d", name, status, want)
		}
	}
	exclude("unknown", http.StatusUnprocessableEntity)
	exclude("visitor 0.abcdef", http.StatusUnprocessableEntity)
	exclude(s.studies.Dispatch.Pass(id, "visitor 0"), http.StatusSeeOther)
	for try := 0; ; try++ {
		if _, text := s.ask("GET", address+"?lang=en", s.secret, nil); strings.Contains(text, "Excluded by hand: 1 person") {
			break
		}
		if try == 500 {
			t.Fatal("the page never says that a person is excluded")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if got := s.recorded(id); !strings.Contains(got, "exclude-respondent") || strings.Contains(got, "visitor") {
		t.Errorf("the audit log has %s", got)
	}
}

// TestPublicKeyIsShown: the page of a study and its report show the public key, in both languages.
// The prompt of a finished study cannot change.
func TestPublicKeyIsShown(t *testing.T) {
	t.Parallel()
	s := begin(t)
	id := s.open(lamps(), quick())
	key := replay.PublicKeyOf(s.studies.Secret).String()
	for path, label := range map[string]string{
		"/share?lang=en": "Public key of signed logs", "/share?lang=de": "Öffentlicher Schlüssel signierter Protokolle",
		"/report?lang=en": "bestpick verify --public-key " + key,
	} {
		if status, page := s.ask("GET", "/studies/"+id+path, s.secret, nil); status != http.StatusOK ||
			!strings.Contains(page, label) || !strings.Contains(page, "<code>"+key+"</code>") {
			t.Errorf("%s: status %d, without the key", path, status)
		}
	}
	done := testsupport.Value(s.studies.Owner.SetState(t.Context(), id, owner.Any, study.Done)).OrFail(s)
	edit := url.Values{"version": {strconv.Itoa(done.Version)}, "name": {"New name"}, "prompt": {"Another question?"}}
	if status, _ := s.ask("POST", "/studies/"+id+"/edit", s.secret, edit); status != http.StatusConflict {
		t.Errorf("status %d for another prompt", status)
	}
	edit.Del("prompt") // the form does not submit it
	if status, _ := s.ask("POST", "/studies/"+id+"/edit", s.secret, edit); status != http.StatusSeeOther {
		t.Errorf("status %d for another name", status)
	}
}

// TestStudyEventsEnd: event streams end when the server stops.
func TestStudyEventsEnd(t *testing.T) {
	t.Parallel()
	s := begin(t)
	id := s.open(lamps(), quick())
	closing, stop := context.WithCancel(t.Context())
	defer stop()
	pages := httptest.NewServer(web.Handler(s.studies, web.Options{Tokens: s.store, Audit: s.store, Closing: closing.Done()}))
	defer pages.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, pages.URL+"/studies/"+id+"/events", nil)
	s.must(err)
	request.Header.Set("Cookie", "session="+s.session(s.secret))
	reply, err := http.DefaultClient.Do(request)
	s.must(err)
	defer func() { _ = reply.Body.Close() }()
	lines := bufio.NewScanner(reply.Body)
	lines.Buffer(nil, 1<<20)
	begun := time.Now()
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "event: verdict") {
			stop()
		}
	}
	if lines.Err() != nil || closing.Err() == nil || time.Since(begun) > 10*time.Second {
		t.Errorf("the events ended with %v after %v", lines.Err(), time.Since(begun))
	}
}

// TestImportedIsSaid: if answers were imported, the page explains what the guarantee assumes about
// them.
func TestImportedIsSaid(t *testing.T) {
	t.Parallel()
	s := begin(t)
	id := s.open(lamps(), quick())
	survey := func(yield func(owner.ImportedAnswer, error) bool) {
		yield(owner.ImportedAnswer{Shown: []string{"l01", "l02"}, Picks: []string{"l01"}}, nil)
	}
	s.must(s.studies.Owner.Import(t.Context(), id, "survey", survey))
	s.counted(id, 1)
	if status, page := s.ask("GET", "/studies/"+id, s.secret, nil); status != 200 ||
		!strings.Contains(page, "1 answers were imported") {
		t.Errorf("%d: the page does not mention imported answers", status)
	}
}

// startedFrom: an owner starts with a template, which fills in the form, and creates a study from it.
func startedFrom(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Phone())
	s.enter(w, s.owner.Token, "/new?template=nothing", "New study")
	w.Wait("document.querySelectorAll('[data-template]').length === 4 && document.querySelector('#prompt').value === ''")
	w.Go(s.url + "/new?template=designs")
	w.Wait("document.querySelector('#k').value === '2' && document.querySelector('#each').value === '15'")
	w.Go(s.url + "/new?template=products")
	w.WaitText("h1", "New study")
	w.Accessible()
	w.Wait("document.documentElement.classList.contains('scripted')")
	fill(w, "#table", "name,price,colour\nOrb,10,red\nReed,20,blue\nFold,35,red\nDome,40,green\n")
	w.Wait("document.querySelector('#preview iframe')?.srcdoc.includes('Which of these would you buy?')")
	fill(w, "#name", "Lamps")
	press(w, "button[value=keep]")
	made := s.created(w)
	if set := made.Settings; made.Prompt != "Which of these would you buy?" || made.State != study.Draft || set.Strategy.K != 3 ||
		set.PerRespondent != 8 || set.Strategy.Assume != strategy.Majority {
		s.Errorf("%+v", made)
	}
	w.Go(s.url + "/new?template=headlines&lang=de")
	w.Wait("document.querySelector('#prompt').value === 'Bei welcher Überschrift möchten Sie weiterlesen?' && " +
		"document.querySelector('[name=assume][value=majority]').checked")
}

// hooked: an owner sets a webhook, sends a test, which the receiver can verify, sees it in the log of deliveries, and
// removes the webhook.
func hooked(s *stage, b *browser.Browser) {
	secret, received := make(chan string, 1), make(chan wire.Notice, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = client.VerifyWebhook(<-secret, r.Header, body, time.Now(), time.Minute)
		}
		var notice wire.Notice
		if err == nil {
			err = json.Unmarshal(body, &notice)
		}
		if err != nil {
			s.Error(err)
		}
		received <- notice
		w.WriteHeader(http.StatusAccepted)
	}))
	s.Cleanup(receiver.Close)
	id := s.open(lamps(), wire.Settings{K: 3})
	w := b.Open(s.T, browser.Phone())
	s.signIn(w, s.secret)
	w.Go(s.results(id) + "/webhook")
	w.WaitText("h1", "Notification")
	w.Expect("422")
	fill(w, "#url", "https://user:password@example.com")
	press(w, "#do-set")
	w.WaitText("#url-problem", "the address must not contain a user name or password")
	fill(w, "#url", receiver.URL+"/hook")
	press(w, "#do-set")
	w.WaitText("#secret-title", "Your webhook is set")
	w.Accessible()
	secret <- browser.Eval[string](w, "document.querySelector('#secret').value")
	press(w, "#do-test")
	if notice := <-received; !notice.Test || notice.Study != id || notice.Name == "" || notice.State != "open" ||
		notice.Verdict.Status == "" || notice.Delivery == "" {
		s.Errorf("%+v", notice)
	}
	w.WaitText("#deliveries tbody td:nth-child(3)", "Received (202)")
	w.WaitText("#deliveries tbody td:nth-child(2)", "Test")
	if wide := browser.Eval[int](w, "document.documentElement.scrollWidth"); wide > 360 {
		s.Errorf("the page is %d pixels wide", wide)
	}
	w.WaitText("#hook-state", "Waits for the study to end")
	_, err := s.owner.Close(s.Context(), id)
	s.must(err)
	w.Go(s.results(id) + "/webhook")
	w.WaitText("#hook-state", "Not delivered yet. We retry for a day.")
	press(w, "#do-remove")
	w.Wait("!document.querySelector('#do-remove')")
}
