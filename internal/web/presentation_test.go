package web_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// presentedPage: an owner sets welcome, consent, thanks, an address to continue at and a pale colour. Respondents see
// them in their language, must tick the box, and continue with their ID. The colour is readable.
func presentedPage(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Each: 1, Grace: -1})
	owner := s.owned(b, id, browser.Phone())
	owner.Tap("#more summary")
	owner.Tap("#do-present")
	owner.WaitText("h1", "Welcome and thank-you page")
	fill(owner, "#welcome-en", "We are the lamp club.")
	fill(owner, "#consent-en", "I agree.")
	fill(owner, "#welcome-de", "Wir sind der Lampenclub.")
	fill(owner, "#consent-de", "Ich stimme zu.")
	fill(owner, "#thanks-en", "You are bright!")
	fill(owner, "#redirect", s.url+"/favicon.ico?id={respondent}")
	fill(owner, "#privacy", s.url+"/privacy")
	fill(owner, "#accent", "#ffee88")
	press(owner, "input[name=accented]")
	owner.Wait("document.querySelector('#preview iframe').contentDocument?.body.innerText.includes('We are the lamp club.')")
	owner.Accessible()
	if wide := browser.Eval[int](owner, "document.documentElement.scrollWidth"); wide > 360 {
		s.Errorf("the page is %d pixels wide", wide)
	}
	press(owner, "form.set-up .button")
	done(owner, "Saved.")

	w := b.Open(s.T, browser.Phone())
	w.Go(s.page(id) + "?lang=de")
	w.WaitText("h1", "Willkommen")
	w.Wait("document.body.innerText.includes('Lampenclub')")
	w.Go(s.page(id))
	w.WaitText("h1", "Welcome")
	w.Wait("document.querySelector('.privacy a').href.endsWith('/privacy') && document.querySelector('.begin .button')")
	w.Accessible()
	w.Dark(true)
	w.Readable()
	w.Dark(false)
	w.Tap(".begin .button")
	w.Wait("document.querySelector('.begin :invalid')")
	w.Tap(".begin input[type=checkbox]")
	w.Tap(".begin .button")
	shown(w, 1)
	w.Accessible()
	w.Tap(nth(1))
	w.WaitText("h1", "Thank you!")
	w.Wait("document.body.innerText.includes('You are bright!')")
	outcome := s.kinds(id, study.Answered)[0]
	w.Wait("location.pathname.endsWith('icon.svg') || document.querySelector('.state .button')?.href.endsWith('?id=" +
		outcome.Respondent + "')")
	w.Wait("location.pathname.endsWith('icon.svg')")
}

// TestWelcomeWithoutScript: without JavaScript and cookies, the page does not ask before the respondent has given
// consent, and then keeps that in its forms. Members of a panel continue with their name.
func TestWelcomeWithoutScript(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3, Each: 1, Grace: -1})
	page := &wire.Page{
		Texts:    map[string]wire.PageTexts{"en": {Welcome: "Hi <b>there</b>", Consent: "Yes"}},
		Redirect: "https://example.com/?id={respondent}",
	}
	current := func() int {
		st := testsupport.Value(s.studies.Store.Study(t.Context(), id)).OrFail(s)
		return st.Version
	}
	testsupport.Value(s.owner.Change(t.Context(), id, current(), wire.Change{Page: page})).OrFail(s)
	members := testsupport.Value(s.owner.AddMembers(t.Context(), id, wire.NewMember{Name: "Anna & Co"})).OrFail(s)
	for _, cookies := range []bool{false, true} {
		p := s.person(cookies)
		p.get(s.url + members[0].Link)
		if cookies { // Anna has answered
			if len(p.client.Jar.Cookies(testsupport.Value(url.Parse(s.page(id))).OrFail(s))) > 0 {
				t.Error("a cookie is set before the consent")
			}
			p.send(s.page(id)+"/begin", url.Values{"consent": {study.ConsentID("Yes")}, "key": {members[0].Key}})
			p.sees(http.StatusOK, "https://example.com/?id=Anna&#43;%26&#43;Co")
			continue
		}
		p.sees(http.StatusOK, "Hi &lt;b&gt;there&lt;/b&gt;")
		if strings.Contains(p.text, `id="question"`) {
			t.Error("a question is asked before the consent")
		}
		p.send(s.page(id)+"/begin", url.Values{"key": {members[0].Key}})
		p.sees(http.StatusUnprocessableEntity, "Please tick the box")
		p.send(s.page(id)+"/answer", url.Values{"key": {members[0].Key}, "pick": {"0"}, "token": {"x"}})
		p.sees(http.StatusUnprocessableEntity, "")
		p.send(s.page(id)+"/question", url.Values{"key": {members[0].Key}, "begun": {"true"}}) // who has not agreed
		p.sees(http.StatusOK, "Hi &lt;b&gt;there&lt;/b&gt;")
		p.send(s.page(id)+"/begin", url.Values{"key": {members[0].Key}, "consent": {study.ConsentID("Yes")}})
		p.sees(http.StatusOK, "Question 1 of 1")
		p.send(s.page(id)+"/answer", url.Values{"pick": {"0"}})
		p.sees(http.StatusOK, `content="10;url=https://example.com/?id=Anna&#43;%26&#43;Co"`)
	}
	owner := s.person(true)
	owner.send(s.url+"/sign-in", url.Values{"token": {s.secret}})
	owner.get(s.results(id) + "/export/profiles?format=csv")
	owner.sees(http.StatusOK, "respondent,agreed,consent\nAnna & Co,20")
	owner.sees(http.StatusOK, "Z,Yes\n")
	for _, wrong := range []wire.Page{
		{Redirect: "javascript:alert(1)"},
		{Privacy: "ftp://x"},
		{Accent: "red"},
		{Logo: "../x"},
		{Texts: map[string]wire.PageTexts{"e n": {}}},
	} {
		if _, err := s.owner.Change(t.Context(), id, current(), wire.Change{Page: &wrong}); err == nil {
			t.Errorf("%+v is accepted", wrong)
		}
	}
}

// profiled: an owner sets profile questions with a quota. The first respondent answers them before and after the
// questions; the second one of the group sees that there are enough.
func profiled(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Each: 1, Grace: -1})
	owner := s.owned(b, id, browser.Phone())
	owner.Tap("#more summary")
	owner.Tap("#do-profile")
	owner.WaitText("h1", "Profile questions")
	owner.Accessible()
	fill(owner, "#text-0", "How old are you?")
	fill(owner, "#name-0", "age")
	fill(owner, "#choices-0", "Under 30; 1\n30 or older")
	fill(owner, "#text-1", "How many lamps do you have?")
	fill(owner, "#name-1", "lamps")
	fill(owner, "#after-1", "true")
	if wide := browser.Eval[int](owner, "document.documentElement.scrollWidth"); wide > 360 {
		s.Errorf("the page is %d pixels wide", wide)
	}
	press(owner, "form.set-up .button")
	done(owner, "The profile questions are saved")

	first := b.Open(s.T, browser.Phone())
	first.Go(s.page(id))
	first.WaitText("h1", "About you")
	first.Accessible()
	first.Dark(true)
	first.Readable()
	first.Dark(false)
	first.Tap(".profile .radio input")
	first.Tap(".profile .button")
	shown(first, 1)
	first.Tap(nth(1))
	first.WaitText("h1", "About you")
	fill(first, ".profile input[type=number]", "4")
	first.Tap(".profile .button")
	first.WaitText("h1", "Thank you!")
	outcome := s.kinds(id, study.Answered)[0]
	profile := testsupport.Value(s.store.Profile(s.Context(), id, outcome.Respondent)).OrFail(s)
	if profile.Answers["age"] != "Under 30" || profile.Answers["lamps"] != "4" {
		s.Errorf("%+v", profile)
	}

	second := b.Open(s.T, browser.Phone())
	second.Go(s.page(id))
	second.WaitText("h1", "About you")
	second.Tap(".profile .radio input")
	second.Tap(".profile .button")
	second.WaitText("h1", "Thank you for your interest!")
	second.Accessible()
	second.Reload()
	second.WaitText("h1", "Thank you for your interest!")

	third := b.Open(s.T, browser.Phone())
	third.Go(s.page(id) + "?lang=de")
	third.WaitText("h1", "Zu Ihrer Person")
	third.Tap(".profile .radio + .radio input")
	third.Tap(".profile .button")
	shown(third, 1)
}

// platform: an owner sets a study up for a crowd platform. The link has a signed id, which is the respondent's name. People
// who finish, who are too many and who are not eligible continue at one address each; the first also see a code.
func platform(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Each: 1, Grace: -1, Audience: "signed"})
	owner := s.owned(b, id, browser.Phone())
	owner.Tap("#more summary")
	owner.Tap("#do-profile")
	owner.WaitText("h1", "Profile questions")
	fill(owner, "#text-0", "How old are you?")
	fill(owner, "#name-0", "age")
	fill(owner, "#choices-0", "Under 30; 1\n30 or older\nUnder 18; 0")
	press(owner, "form.set-up .button")
	done(owner, "The profile questions are saved")
	owner.Tap("#more summary")
	owner.Tap("#do-present")
	owner.WaitText("h1", "Welcome and thank-you page")
	fill(owner, "#redirect", s.url+"/favicon.ico?to=finished&id={respondent}")
	fill(owner, "#full", s.url+"/favicon.ico?to=full&id={respondent}")
	fill(owner, "#ineligible", s.url+"/favicon.ico?to=screened&id={respondent}")
	fill(owner, "#code", "C0DE")
	owner.Accessible()
	if wide := browser.Eval[int](owner, "document.documentElement.scrollWidth"); wide > 360 {
		s.Errorf("the page is %d pixels wide", wide)
	}
	key := browser.Eval[string](owner, "document.querySelector('#id-key').value")
	if entries, err := s.store.Entries(s.Context(), math.MaxInt64, 1); err != nil || entries[0].Operation != "read-id-key" {
		s.Errorf("reading the key is not in the audit log: %v, %v", entries, err)
	}
	press(owner, "form.set-up .button")
	done(owner, "Saved.")

	link := func(name string) string {
		hash := hmac.New(sha256.New, []byte(key))
		hash.Write([]byte(name))
		return s.page(id) + "?pid=" + name + "&sig=" + hex.EncodeToString(hash.Sum(nil))
	}
	for _, wrong := range []string{
		"", "?pid=anna", "?pid=anna&sig=" + strings.Repeat("0", 64),
		strings.Replace(link("anna"), "anna", "ben", 1),
	} {
		p := s.person(true)
		p.get(s.page(id) + strings.TrimPrefix(wrong, s.page(id)))
		p.sees(http.StatusForbidden, "only for people with their own link")
	}
	answers := func(name string, choice string) *browser.Window {
		w := b.Open(s.T, browser.Phone())
		w.Go(link(name))
		w.WaitText("h1", "About you")
		w.Tap(".profile .radio:nth-of-type(" + choice + ") input")
		w.Tap(".profile .button")
		return w
	}
	leaves := func(w *browser.Window, to string) {
		s.Helper()
		w.Wait("document.querySelector('.state')?.dataset.leave.endsWith('" + to + "') || location.pathname.endsWith('icon.svg')")
		w.Wait("location.pathname.endsWith('icon.svg')")
	}
	anna := answers("anna", "1")
	shown(anna, 1)
	anna.Tap(nth(1))
	anna.WaitText("#code", "C0DE")
	browser.Eval[bool](anna, "(() => { for (let i = 0; i < 9999; i++) clearTimeout(i); return true; })()") // stay on the page
	anna.Accessible()
	anna.Reload()
	leaves(anna, "to=finished&id=anna")
	if outcome := s.kinds(id, study.Answered)[0]; outcome.Respondent != "anna" {
		s.Errorf("the answer is of %q", outcome.Respondent)
	}
	leaves(answers("ben", "1"), "to=full&id=ben")
	leaves(answers("carl", "3"), "to=screened&id=carl")
}

// TestProfileWithoutScript: profile questions need neither JavaScript nor cookies. The answer can be the segment, exports
// and erasures include the profile, and invalid answers and questions are refused.
func TestProfileWithoutScript(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3, Model: &wire.Model{Segments: []wire.Segment{
		{Name: "north", Share: 1},
		{Name: "south", Share: 1},
	}}})
	st, err := s.owner.Study(t.Context(), id)
	s.must(err)
	questions := []wire.ProfileQuestion{
		{
			Name: "region", Text: "Where <b>are</b> you?", Choices: []wire.ProfileChoice{{Text: "north", Quota: 1}, {Text: "south"}},
			Segment: true,
		},
		{Name: "=rooms", Text: "How many rooms?", Least: new(0.0), Most: new(20.0)},
	}
	for _, wrong := range [][]wire.ProfileQuestion{
		{{Name: "a", Text: "b", Choices: []wire.ProfileChoice{{Text: "one"}}}},
		{questions[1], questions[1]},
		{{Name: "a", Text: "b", Choices: []wire.ProfileChoice{{Text: "east"}, {Text: "west"}}, Segment: true}},
		{{Name: "a", Text: "b", Choices: []wire.ProfileChoice{{Text: "x", Quota: 1}, {Text: "y"}}, After: true}},
		{{Name: "a", Text: "b", Least: new(2.0), Most: new(1.0)}},
		{{Name: "a", Text: "b", Choices: []wire.ProfileChoice{{Text: "x"}, {Text: "y"}}, Least: new(2.0)}},
	} {
		if _, err := s.owner.Change(t.Context(), id, st.Version, wire.Change{Profile: &wire.Profile{Questions: wrong}}); err == nil {
			t.Errorf("%+v is accepted", wrong)
		}
	}
	st, err = s.owner.Change(t.Context(), id, st.Version, wire.Change{Profile: &wire.Profile{Questions: questions}})
	s.must(err)
	if st.Profile == nil || len(st.Profile.Questions) != 2 || st.Profile.Questions[0].Choices[0].Quota != 1 {
		t.Errorf("%+v", st.Profile)
	}
	name := study.NewName()
	pass := s.studies.Dispatch.Pass(id, name)
	p := s.person(false)
	p.get(s.page(id))
	p.sees(http.StatusOK, "Where &lt;b&gt;are&lt;/b&gt; you?")
	p.sees(http.StatusOK, `min="0" max="20"`)
	for _, rooms := range []string{"many", "-2", "21"} {
		p.send(s.page(id)+"/profile", url.Values{"respondent": {pass}, "answer:region": {"north"}, "answer:=rooms": {rooms}})
		p.sees(http.StatusUnprocessableEntity, "Please answer all questions")
	}
	p.send(s.page(id)+"/profile", url.Values{"respondent": {pass}, "answer:region": {"north"}, "answer:=rooms": {"3,50"}})
	p.sees(http.StatusOK, `id="question"`)
	p.send(s.page(id)+"/answer", url.Values{"pick": {"0"}})
	if outcome := s.kinds(id, study.Answered)[0]; outcome.Segment != "north" || outcome.Respondent != name {
		t.Errorf("%+v", outcome)
	}
	other := s.person(false)
	other.send(s.page(id)+"/profile", url.Values{
		"answer:region": {"north"},
		"answer:=rooms": {"1"},
	})
	other.sees(http.StatusOK, "enough answers from your group")

	owner := s.person(true)
	owner.send(s.url+"/sign-in", url.Values{"token": {s.secret}})
	owner.get(s.results(id) + "/export/profiles?format=csv")
	owner.sees(http.StatusOK, name+",,,north,3.5\n")
	owner.sees(http.StatusOK, "respondent,agreed,consent,region,'=rooms\n")
	owner.get(s.results(id))
	owner.sees(http.StatusOK, `region: north</th><td data-label="Have answered">1</td><td data-label="Reserved">0</td><td data-label="Places">1</td>`)
	_, err = s.studies.Owner.Erase(t.Context(), id, name)
	s.must(err)
	owner.get(s.results(id) + "/export/profiles?format=csv")
	if strings.Contains(owner.text, name) {
		t.Error("an erasure has left the profile")
	}
}

// TestComparedGroups: the page compares groups by any profile question, as estimates, with the number of people in each.
// Numbers are compared in two halves. Visitors of the public results do not see it.
func TestComparedGroups(t *testing.T) {
	s := begin(t)
	id := s.draft("name\nAmber\nBirch\nCedar\n", wire.Settings{K: 2, Each: 3, Grace: -1, Seed: 3})
	st := testsupport.Value(s.owner.Study(t.Context(), id)).OrFail(t)
	_, err := s.owner.Change(t.Context(), id, st.Version, wire.Change{Profile: &wire.Profile{Questions: []wire.ProfileQuestion{
		{Name: "place", Text: "Where?", Choices: []wire.ProfileChoice{{Text: "At home"}, {Text: "In an office"}}},
		{Name: "rooms", Text: "How many rooms?"},
	}}})
	s.must(err)
	_, err = s.studies.Owner.SetState(t.Context(), id, owner.Any, study.Open)
	s.must(err)
	for n := range 30 {
		name, place := fmt.Sprint("person ", n), "At home"
		order := []int{0, 1, 2} // two of three people prefer Amber to Birch
		if n%3 == 0 {
			place, order = "In an office", []int{1, 0, 2}
		}
		_, err := s.owner.AnswerProfile(t.Context(), id, wire.ProfileAnswers{
			Respondent: name, Answers: map[string]string{"place": place, "rooms": strconv.Itoa(1 + n%3)},
		})
		s.must(err)
		for range 3 {
			lease, err := s.studies.Dispatch.Ask(t.Context(), id, name, "")
			for try := 0; errors.Is(err, study.ErrNoQuestion) && try < 100; try++ {
				time.Sleep(20 * time.Millisecond)
				lease, err = s.studies.Dispatch.Ask(t.Context(), id, name, "")
			}
			s.must(err)
			pick := 0
			if slices.Index(order, lease.Shown[1]) < slices.Index(order, lease.Shown[0]) {
				pick = 1
			}
			s.must(s.studies.Dispatch.Answer(t.Context(), lease.Ticket, []int{pick}))
		}
	}
	s.counted(id, 90)
	p := s.person(true)
	p.send(s.url+"/sign-in", url.Values{"token": {s.secret}})
	p.get(s.results(id))
	p.sees(http.StatusOK, `<option>place</option>`)
	p.lacks("These are estimates")
	p.get(s.results(id) + "?by=place")
	cells := regexp.MustCompile(`<th scope="row" dir="auto">Birch</th><td[^>]*>0% <span class="soft">\(0 of \d+\)</span></td>` +
		`<td[^>]*>100% <span class="soft">\((\d+) of (\d+)\)</span></td>`)
	if !cells.MatchString(p.text) {
		t.Errorf("the page does not compare the groups: %s", p.text)
	}
	p.sees(http.StatusOK, `At home <span class="soft">(20 people)`)
	p.sees(http.StatusOK, `In an office <span class="soft">(10 people)`)
	p.sees(http.StatusOK, "These are estimates, and nothing is proven about a group.")
	for _, page := range []string{"?by=rooms", "/report?by=rooms"} {
		p.get(s.results(id) + page)
		p.sees(http.StatusOK, `≤ 2 <span class="soft">(20 people)`)
		p.sees(http.StatusOK, `&gt; 2 <span class="soft">(10 people)`)
	}
	p.get(s.results(id) + "?by=nothing")
	p.lacks("These are estimates")
	for name, view := range map[string]browser.View{"compare-phone": browser.Phone(), "compare-desktop": browser.Desktop()} {
		w := s.owned(browser.Start(t), id, view)
		w.Go(s.results(id) + "?by=place#compare")
		w.WaitText("#compare h2", "Compared by place")
		w.Accessible()
		keep(w, name)
		w.Dark(true)
		w.Readable()
		keep(w, name+"-dark")
	}
}

// TestDeclaredGroups: in a draft by majority, the choices of one profile question become the groups with certificates of
// their own. Groups that a program has set stay.
func TestDeclaredGroups(t *testing.T) {
	s := begin(t)
	p := s.person(true)
	p.send(s.url+"/sign-in", url.Values{"token": {s.secret}})
	segments := func(id string) string {
		st := testsupport.Value(s.store.Study(t.Context(), id)).OrFail(t)
		return fmt.Sprint(st.Settings.Strategy.Model.Segments)
	}
	save := func(id, declared string) {
		st := testsupport.Value(s.store.Study(t.Context(), id)).OrFail(t)
		p.send(s.results(id)+"/profile", url.Values{
			"version": {strconv.Itoa(st.Version)}, "name:0": {"place"}, "text:0": {"Where?"},
			"choices:0": {"home\noffice"}, "segment:0": {declared},
		})
		if p.status != http.StatusOK {
			t.Errorf("%d %s", p.status, p.text)
		}
	}
	id := s.draft(lamps(), wire.Settings{K: 3, Assume: "majority"})
	for declared, want := range map[string]string{"true": "[{home 1} {office 1}]", "": "[]"} {
		if save(id, declared); segments(id) != want {
			t.Errorf("declared %q: %s", declared, segments(id))
		}
	}
	if done := s.done(); done[0] != "owner change-study profile" {
		t.Errorf("the audit log has %q", done)
	}
	save(id, "")
	st := testsupport.Value(s.store.Study(t.Context(), id)).OrFail(t)
	p.send(s.results(id)+"/open", url.Values{"version": {strconv.Itoa(st.Version)}, "first": {"true"}})
	p.sees(http.StatusOK, `id="link"`) // the page to share the study
	own := s.draft(lamps(), wire.Settings{K: 3, Assume: "majority", Model: &wire.Model{
		Segments: []wire.Segment{{Name: "home", Share: 3}, {Name: "office", Share: 1}},
	}})
	for _, declared := range []string{"", "true"} {
		if save(own, declared); segments(own) != "[{home 3} {office 1}]" {
			t.Errorf("declared %q: %s", declared, segments(own))
		}
	}
}
