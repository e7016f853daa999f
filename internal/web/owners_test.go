package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/access"
	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestOwners: owners and viewers use their pages in a real browser. All subtests share one browser.
func TestOwners(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	for name, test := range map[string]func(*stage, *browser.Browser){
		"sign in": signIn, "revoked": revoked, "list": list, "pages of the list": paged,
		"dropped": dropped, "dropped pair": droppedPair, "gaps": gaps, "templates": startedFrom, "pasted": pasted, "sheets": sheets,
		"two steps": twoSteps, "two owners": twoOwners, "plain cards": plainForm, "hostile": hostileOwners,
		"rests": rests, "presented": presentedPage, "card content": cardContent, "profiled": profiled, "platform": platform,
		"shared":  shared,
		"at once": atOnce, "primary": primary, "people": people, "expired invitation": expiredInvitation, "deadline": deadline,
		"webhook": hooked, "panel": panelled, "broken pictures": brokenPictures,
		"failures": failurePages, "followed": followed, "previewed": previewed, "prior": prior,
		"compared": compared, "looks": ownerLooks,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(begin(t), b)
		})
	}
}

// token creates a token.
func (s *stage) token(name string, role access.Role) string {
	s.Helper()
	secret, token := access.New(name, role, time.Now())
	s.must(s.store.AddToken(s.Context(), token))
	return secret
}

// enter signs in with a token, and waits for the page with a title.
func (s *stage) enter(w *browser.Window, secret, path, title string) {
	s.Helper()
	w.Go(s.url + path)
	browser.Eval[bool](w,
		fmt.Sprintf("document.querySelector('#token').value = '%s', document.querySelector('form').submit(), true", secret))
	w.WaitText("h1", title)
	w.Wait("document.readyState === 'complete'")
}

// signIn: a wrong token is rejected, a valid one leads to the requested page, and signing out ends
// the session.
func signIn(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Phone())
	w.Expect("401")
	w.Go(s.url + "/?before=")
	w.WaitText("h1", "bestpick")
	w.Type("#token", "bestpick_"+"WRONG")
	w.Keys("\r")
	w.WaitText("#token-problem", "This token is not valid. It may be incomplete or revoked.")
	w.Type("#token", s.owner.Token)
	w.Keys("\r")
	w.WaitText("h1", "Studies")
	w.WaitText("h2", "No study yet")
	if kept := browser.Eval[string](w, "document.cookie"); kept != "" {
		s.Errorf("JavaScript can read the cookie %s", kept)
	}
	w.Tap(".signed-in button")
	w.WaitText("h1", "bestpick")
	w.Go(s.url)
	w.WaitText("button", "Sign in")
}

// revoked: a token that is revoked while its pages are open loses access at once, and no input is
// lost.
func revoked(s *stage, b *browser.Browser) {
	secret := s.token("Anna", access.Owner)
	w, form := b.Open(s.T, browser.Desktop()), b.Open(s.T, browser.Phone())
	s.enter(w, secret, "/", "Studies")
	s.enter(form, secret, "/new", "New study")
	fill(form, "#name", "Half done")
	fill(form, "#table", "id,x\n1,1\n2,2\n3,4\n")
	form.Wait("(document.querySelector('#preview iframe')?.srcdoc.match(/class=\"card\"/g) ?? []).length === 3")
	s.must(s.owner.RevokeToken(s.Context(), "Anna"))
	lookAgain(w)
	w.Wait("location.pathname === '/sign-in'")
	w.Go(s.url)
	w.WaitText("button", "Sign in")
	press(form, "button[value=open]")
	form.Wait("!document.querySelector('#signed-out').hidden && document.querySelector('#name').value === 'Half done'")
	if all, err := s.studies.Store.List(s.Context(), "", 1); err != nil || len(all) > 0 {
		s.Errorf("there is a study, %v", err)
	}
}

// lookAgain has the list update at once, like when the page becomes visible.
func lookAgain(w *browser.Window) {
	w.Helper()
	browser.Eval[bool](w, "document.dispatchEvent(new Event('visibilitychange'))")
}

// list: the list shows the current state, and updates.
func list(s *stage, b *browser.Browser) {
	draft := s.draft(lamps(), wire.Settings{K: 3})
	over := s.open(lamps(), wire.Settings{K: 3})
	testsupport.Value(s.owner.Close(s.Context(), over)).OrFail(s)
	w := b.Open(s.T, browser.Desktop())
	s.enter(w, s.owner.Token, "/", "Studies")
	badge := func(at, want string) {
		s.Helper()
		w.WaitText(".study:nth-child("+at+") .badge", want)
	}
	badge("1", "Closed")
	badge("2", "Draft")
	browser.Eval[bool](w, "document.querySelectorAll('.study h2 a')[1].focus(), true")
	testsupport.Value(s.owner.Open(s.Context(), draft)).OrFail(s)
	badge("2", "Open")
	next := s.draft(lamps(), wire.Settings{K: 3})
	lookAgain(w)
	w.Wait("document.querySelectorAll('.study').length === 3")
	if focused := browser.Eval[string](w, "document.activeElement.pathname"); focused != "/studies/"+draft {
		s.Errorf("the focus moved to %s", focused)
	}
	s.must(s.owner.Delete(s.Context(), next))
	lookAgain(w)
	w.Wait("document.querySelectorAll('.study').length === 2")
}

// paged: the list has pages of twenty studies.
func paged(s *stage, b *browser.Browser) {
	arms := testsupport.Value(s.studies.Live.Catalogue(s.Context(), s.draft(lamps(), wire.Settings{K: 3}))).OrFail(s)
	for range 20 {
		testsupport.Value(s.studies.Owner.Create(s.Context(), "Another", "", study.Settings{}, arms)).OrFail(s)
	}
	view := browser.Phone()
	view.NoScript = true
	w := b.Open(s.T, view)
	s.enter(w, s.owner.Token, "/", "Studies")
	w.Wait("document.querySelectorAll('.study').length === 20")
	w.Tap(".pager a")
	w.WaitText("h1", "Older studies")
	w.WaitText(".study h2", "Study")
	w.Tap(".pager a")
	w.WaitText("h1", "Studies")
}

// followed: live updates of a decided study keep the runner-up, and its table has numbers.
func followed(s *stage, b *browser.Browser) {
	id := s.open(lamps(), quick())
	s.people(id, 5000)
	w := s.owned(b, id, browser.Phone())
	w.Wait("performance.now() > 3000 && document.querySelector('.lead')?.innerText.includes('Runner-up')")
	w.Wait("parseInt(document.querySelector('.arms td[data-label=Shown]').innerText) > 0")
}

// previewed: the preview of a form has the buttons that respondents get.
func previewed(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Phone())
	s.signIn(w, s.secret)
	w.Go(s.results(s.draft(lamps(), wire.Settings{K: 3})) + "/edit")
	says := func(text string) {
		w.Helper()
		w.Wait("document.querySelector('#preview iframe')?.srcdoc.includes('" + text + "')")
	}
	says("Pick one")
	w.Wait("document.documentElement.classList.contains('scripted')")
	fill(w, "#outside", "true")
	says("None of these")
	fill(w, "#outside", "false")
	fill(w, "#ties", "true")
	says("Equally good")
	fill(w, "#ties", "false")
	fill(w, "#best_worst", "true")
	says("Pick the best, then the worst")
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

// people: an owner invites a viewer of one study, who accepts the link in another browser, sees that study and
// nothing else, and loses access when it is revoked. The link works once.
func people(s *stage, b *browser.Browser) {
	mine, other := s.open(lamps(), wire.Settings{K: 3}), s.draft(lamps(), wire.Settings{K: 3})
	w := b.Open(s.T, browser.Desktop())
	s.signIn(w, s.secret)
	w.Go(s.results(mine))
	w.Click("#more summary")
	w.Click("#do-invite")
	w.WaitText("h1", "People")
	w.Type("#name", "Vera")
	press(w, "form[action='/people'] button")
	w.WaitText("#invited", "Send this link")
	w.Accessible()
	link := browser.Eval[string](w, "document.querySelector('#invitation').value")
	if !strings.HasPrefix(link, s.url+"/join/") {
		s.Fatalf("the link is %s", link)
	}

	guest := b.Open(s.T, browser.Phone())
	guest.Expect("404")
	guest.Go(link)
	guest.WaitText("h1", "You are invited")
	guest.Accessible()
	guest.Tap("main button")
	guest.Wait("location.pathname === '/studies/" + mine + "'")
	guest.WaitText("h1", "Study")
	guest.Go(s.url)
	guest.Wait("document.querySelectorAll('.study').length === 1")
	guest.Go(s.results(other))
	guest.WaitText("h1", "Study not found")
	guest.Go(link)
	guest.WaitText("h1", "This invitation is no longer valid")

	w.Go(s.url + "/people")
	w.WaitText("h1", "People")
	press(w, "input[value=Vera] ~ button")
	w.WaitText("#did", "Access is revoked.")
	guest.Go(s.results(mine))
	guest.WaitText("button", "Sign in")
	press(w, "input[value=owner] ~ button")
	w.WaitText("#did", "This is the last owner. Invite another owner first.")

	w.Go(s.url + "/audit")
	w.Wait("document.querySelector('tbody th').textContent === 'Revoked access'")
	w.Wait("document.body.innerText.includes('“Vera”') || document.body.innerText.includes('Vera')")
	w.Accessible()
}

// expiredInvitation: an invitation that has expired is listed as such, and cannot be accepted.
func expiredInvitation(s *stage, b *browser.Browser) {
	secret, token := access.Invite("Late", access.Owner, "", time.Now().Add(-access.InvitedFor))
	s.must(s.store.AddToken(s.Context(), token))
	w := b.Open(s.T, browser.Phone())
	w.Expect("404")
	s.signIn(w, s.secret)
	w.Go(s.url + "/people")
	w.Wait("document.body.innerText.includes('Invitation expired')")
	w.Go(s.url + "/join/" + secret)
	w.WaitText("h1", "This invitation is no longer valid")
	w.Accessible()
	w.Dark(true)
	w.Readable()
}
