package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/access"
	"bestpick/internal/browser"
	"bestpick/internal/middleware"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/wiring"
	"bestpick/internal/testsupport"
	"bestpick/internal/web"
	"bestpick/wire"
)

// TestEveryPage: axe-core finds no violation on any page, in English and German, and none is wider than a phone. With
// BESTPICK_SCREENSHOTS all are kept, in light and dark mode, on a phone and a desktop.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	s := begin(t)
	under, sure := s.profiled(quick(), 20),
		s.open(twelve(), wire.Settings{K: 3, Each: 5, Grace: -1, Seed: 3, Assume: "majority", Epsilon: new(0.2)})
	s.people(under, 60)
	s.counted(under, 60)
	s.visitors(sure, 3000)
	draft, over := s.draft(drawn(), wire.Settings{K: 3, Each: 20}), s.open(lamps(), wire.Settings{K: 3})
	s.change(draft, wire.Change{Profile: &wire.Profile{Questions: []wire.ProfileQuestion{
		{Name: "place", Text: "Where?", Choices: []wire.ProfileChoice{{Text: "At home"}, {Text: "In an office"}}},
	}}})
	_, err := s.owner.AddMembers(t.Context(), over, wire.NewMember{Name: "Ben Brown"})
	s.must(err)
	testsupport.Value(s.owner.Close(t.Context(), over)).OrFail(t)
	pick, rank := s.open(drawn(), wire.Settings{K: 3, Each: 20, Outside: true}), s.open(lamps(), wire.Settings{K: 4, Picks: 3})
	welcome, profile := s.open(lamps(), wire.Settings{K: 3}), s.open(lamps(), wire.Settings{K: 3})
	s.change(welcome, wire.Change{Page: &wire.Page{Texts: map[string]wire.PageTexts{
		"en": {Welcome: "Hello", Consent: "I agree."}, "de": {Welcome: "Guten Tag", Consent: "Ich stimme zu."},
	}}})
	quota := &wire.Profile{Questions: []wire.ProfileQuestion{
		{Name: "place", Text: "Where?", Choices: []wire.ProfileChoice{{Text: "At home", Quota: 1}, {Text: "Elsewhere"}}},
	}}
	s.change(profile, wire.Change{Profile: quota})
	taken, spent := s.open(lamps(), wire.Settings{K: 3, Audience: "ids"}), s.open(lamps(), wire.Settings{K: 3, Budget: new(1)})
	s.change(taken, wire.Change{Profile: quota})
	for _, who := range []string{"anna", "ben"} {
		_, err = s.studies.Dispatch.Admit(t.Context(), taken, dispatch.Who{ID: who}, false, map[string]string{"place": "At home"})
		s.must(err)
	}
	s.asked(taken, dispatch.Who{ID: "anna"})
	s.asked(spent, dispatch.Who{Name: "anna"})
	rightToLeft := s.open("label,نوع\nمصباح صغير,زجاج\nמנורה גדולה,זכוכית\nمصباح كبير,ورق\n",
		wire.Settings{K: 3, Assume: "majority"})
	contexts := s.draft("id,label\na,Arm A\nb,Arm B\n", wire.Settings{K: 2})
	_, err = s.owner.SetContexts(t.Context(), contexts, 0,
		client.File{Name: "texts.csv", Contents: strings.NewReader("arm,context,text\na,why?,Because\nb,why?,So\n")}, "markdown")
	s.must(err)
	testsupport.Value(s.owner.Open(t.Context(), contexts)).OrFail(t)
	public := testsupport.Value(s.studies.Owner.Publish(t.Context(), sure, owner.Any, true)).OrFail(t)
	invitation, token := access.Invite("Vera", access.Viewer, "", time.Now().Add(time.Hour))
	s.must(s.store.AddToken(t.Context(), token))
	mailed, _ := s.mailed()
	pages := web.Handler(s.studies, web.Options{Tokens: s.store, Audit: s.store})
	serve := func(pages http.Handler) string {
		server := httptest.NewServer(middleware.Chain(pages, middleware.Headers(middleware.Policy{})))
		t.Cleanup(server.Close)
		return server.URL
	}
	tooMany := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/s/") {
			pages.TooMany(w, r, time.Minute)
			return
		}
		pages.ServeHTTP(w, r)
	})
	failing := func(store study.Store) string {
		studies := testsupport.Value(wiring.New(t.Context(), store, wiring.Options{})).OrFail(s)
		return serve(web.Handler(studies, web.Options{Tokens: s.store, Audit: s.store})) + "/s/" + pick
	}
	visitors := map[string]string{ // pages without a session
		"sign-in": s.url + "/", "sign-in-mail": mailed + "/", "join": s.url + "/join/" + invitation, "join-invalid": s.url + "/join/x",
		"pick": s.page(pick), "rank": s.page(rank), "contexts": s.page(contexts), "right-to-left": s.page(rightToLeft),
		"closed": s.page(over), "draft": s.page(draft),
		"quota": s.page(taken) + "?pid=ben", "full": s.page(spent),
		"welcome": s.page(welcome), "profile": s.page(profile), "no-study": s.page("nowhere"),
		"public":      s.url + "/results/" + sure + "/" + public.Public,
		"unpublished": s.url + "/results/" + sure + "/x", "too-many": serve(tooMany) + "/s/" + pick,
		"unknown": serve(pages.Unknown(pages)) + "/x",
		"broken":  failing(unavailable{s.store}), "unavailable": failing(full{s.store}),
	}
	owners := map[string]string{"list": s.url + "/", "new": s.url + "/new", "people": s.url + "/people", "audit": s.url + "/audit"}
	for page, address := range map[string]string{
		"fresh": draft, "under": under, "sure": sure, "report": sure + "/report", "compared": under + "?by=place",
		"compared-report": under + "/report?by=place", "edit": draft + "/edit", "edit-open": under + "/edit",
		"share": sure + "/share", "share-draft": draft + "/share", "panel": over + "/panel", "webhook": under + "/webhook",
		"presentation": under + "/page", "cards": draft + "/cards", "profiles": draft + "/profile", "try": draft + "/try",
		"delete": draft + "/delete", "close": under + "/close", "add": under + "/add", "contexts-file": draft + "/contexts",
		"prior": draft + "/prior", "exclude": under + "/exclude", "withdraw": under + "/withdraw?arm=l01", "no-results": "nowhere",
	} {
		owners[page] = s.results(address)
	}
	states := map[string]map[string]string{
		"quota": {"en": "Thank you for your interest!", "de": "Danke für Ihr Interesse!"},
		"full":  {"en": "All places are taken", "de": "Alle Plätze sind vergeben"},
	}
	views := map[string]browser.View{"phone": {Width: 390, Height: 844, Touch: true}}
	if screenshots() {
		views["desktop"] = browser.Desktop()
	}
	for name, view := range views {
		visitor, signedIn := b.Open(t, view), b.Open(t, view)
		s.signIn(signedIn, s.secret)
		for window, addresses := range map[*browser.Window]map[string]string{visitor: visitors, signedIn: owners} {
			window.Dark(false) // and without motion
			for _, status := range []string{"401", "403", "404", "409", "429", "500", "503"} {
				window.Expect(status)
			}
			for page, address := range addresses {
				for _, language := range []string{"en", "de"} {
					joint := "?"
					if strings.Contains(address, "?") {
						joint = "&"
					}
					window.Go(address + joint + "lang=" + language)
					window.Wait("document.readyState === 'complete' && document.documentElement.lang === '" + language + "'")
					if heading := states[page]; heading[language] != "" {
						window.WaitText("h1", heading[language])
					}
					if strings.HasPrefix(page, "compared") {
						window.Wait("document.querySelector('#compare tbody tr') !== null")
					}
					if window.Accessible(); t.Failed() {
						t.Fatal(page, language)
					}
					fits(window, page, view.Width)
					keep(window, fmt.Sprintf("every-%s-%s-%s", page, name, language))
					if screenshots() && language == "en" {
						window.Dark(true)
						window.Readable()
						keep(window, fmt.Sprintf("every-%s-%s-dark", page, name))
						window.Dark(false)
					}
				}
			}
		}
		if !screenshots() {
			smallThings(s, signedIn, under, sure, over)
			visitor.Go(s.page(rightToLeft))
			visitor.Wait("[...document.querySelectorAll('.card, .card dt, .card dd')].length > 6 && " +
				"[...document.querySelectorAll('.card, .card dt, .card dd')].every((each) => getComputedStyle(each).direction === 'rtl')")
		}
	}
}

// smallThings: the menu closes with Escape and with a click elsewhere; links in tables are large enough for a thumb;
// buttons that do harm appear only after a question; the list is searched and filtered.
func smallThings(s *stage, w *browser.Window, under, public, panel string) {
	s.Helper()
	w.Go(s.results(under) + "?lang=en")
	w.Wait(isLive)
	for _, leave := range []func(){func() { w.Keys("\x1b") }, func() { w.Click("h1") }} {
		w.Click("#more summary")
		w.Wait("document.querySelector('details.menu').open")
		leave()
		w.Wait("!document.querySelector('details.menu').open")
	}
	w.Wait("document.querySelectorAll('.arms td a').length > 9 && " +
		"[...document.querySelectorAll('.arms td a')].every((each) => each.getBoundingClientRect().height >= 32)")
	for _, path := range []string{"/people", "/studies/" + public + "/share", "/studies/" + panel + "/panel"} {
		w.Go(s.url + path)
		w.Wait("document.querySelector('.button.danger') !== null && " +
			"[...document.querySelectorAll('.button.danger')].every((each) => !each.checkVisibility())")
	}
	const states = "[...document.querySelectorAll('.study')].map((each) => each.dataset.state).join()"
	w.Go(s.url + "/?state=draft&q=stu")
	w.Wait(states + " === 'draft'")
	w.Go(s.url + "/?q=nothing")
	w.Wait(states + " === '' && document.body.innerText.includes('No study matches.')")
}

// profiled opens a study of lamps, in which a number of people have answered a profile question.
func (s *stage) profiled(settings wire.Settings, people int) (id string) {
	s.Helper()
	id = s.open(lamps(), settings)
	places := []wire.ProfileChoice{{Text: "At home"}, {Text: "In an office or a workshop"}}
	s.change(id, wire.Change{Profile: &wire.Profile{Questions: []wire.ProfileQuestion{{
		Name: "place", Text: "Where?",
		Choices: places,
	}}}})
	for n := range people {
		_, err := s.studies.Dispatch.Admit(s.Context(), id, dispatch.Who{Name: fmt.Sprint("person ", n)}, false,
			map[string]string{"place": places[n%2].Text})
		s.must(err)
	}
	return id
}

// asked has a respondent asked a question that stays open.
func (s *stage) asked(id string, who dispatch.Who) {
	s.Helper()
	_, err := s.studies.Dispatch.AskAs(s.Context(), id, who, "")
	s.must(err)
}

// change changes a study.
func (s *stage) change(id string, to wire.Change) {
	s.Helper()
	version := testsupport.Value(s.owner.Study(s.Context(), id)).OrFail(s).Version
	testsupport.Value(s.owner.Change(s.Context(), id, version, to)).OrFail(s)
}
