package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

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
	if profile.Answers["age"] != "Under 30" || profile.Answers["lamps"] != "4" || profile.Refused {
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
	third.WaitText("h1", "Über Sie")
	third.Tap(".profile .radio + .radio input")
	third.Tap(".profile .button")
	shown(third, 1)
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
		{Name: "=rooms", Text: "How many rooms?"},
	}
	for _, wrong := range [][]wire.ProfileQuestion{
		{{Name: "a", Text: "b", Choices: []wire.ProfileChoice{{Text: "one"}}}},
		{questions[1], questions[1]},
		{{Name: "a", Text: "b", Choices: []wire.ProfileChoice{{Text: "east"}, {Text: "west"}}, Segment: true}},
		{{Name: "a", Text: "b", Choices: []wire.ProfileChoice{{Text: "x", Quota: 1}, {Text: "y"}}, After: true}},
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
	p := s.person(false)
	p.get(s.page(id))
	p.sees(http.StatusOK, "Where &lt;b&gt;are&lt;/b&gt; you?")
	p.send(s.page(id)+"/profile", url.Values{"respondent": {name}, "answer:region": {"north"}, "answer:=rooms": {"many"}})
	p.sees(http.StatusUnprocessableEntity, "Please answer all questions")
	p.send(s.page(id)+"/profile", url.Values{"respondent": {name}, "answer:region": {"north"}, "answer:=rooms": {"3,50"}})
	p.sees(http.StatusOK, `id="question"`)
	p.send(s.page(id)+"/answer", url.Values{"pick": {"0"}})
	if outcome := s.kinds(id, study.Answered)[0]; outcome.Segment != "north" || outcome.Respondent != name {
		t.Errorf("%+v", outcome)
	}
	other := s.person(false)
	other.send(s.page(id)+"/profile", url.Values{
		"respondent": {study.NewName()}, "answer:region": {"north"},
		"answer:=rooms": {"1"},
	})
	other.sees(http.StatusOK, "enough answers from your group")

	owner := s.person(true)
	owner.send(s.url+"/sign-in", url.Values{"token": {s.secret}})
	owner.get(s.results(id) + "/export/profiles?format=csv")
	owner.sees(http.StatusOK, name+",false,north,3.5\n")
	owner.sees(http.StatusOK, "respondent,refused,region,'=rooms\n")
	_, err = s.studies.Owner.Erase(t.Context(), id, name)
	s.must(err)
	owner.get(s.results(id) + "/export/profiles?format=csv")
	if strings.Contains(owner.text, name) {
		t.Error("an erasure has left the profile")
	}
}
