package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/api"
	"bestpick/internal/middleware"
	"bestpick/wire"
)

// slow returns settings with which answers are counted only when the clock is moved.
func slow() wire.Settings { return wire.Settings{K: 3, Grace: 60, Lease: 600} }

// TestNext: the reply to an answer contains the next question, as long as the respondent may have
// one.
func TestNext(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(wire.Settings{K: 3, Grace: -1, Each: 3})
	q := s.ask(study.ID, "anna")
	next, err := s.respondent.AnswerAndAsk(t.Context(), study.ID, q.Token, q.Arms[0].ID)
	s.must(err)
	if next == nil || next.Respondent != "anna" || next.Done == nil || *next.Done != 1 || next.Each != 3 || len(next.Arms) != 3 ||
		next.Arms[0].Label == "" {
		t.Fatalf("the next question is %+v", next)
	}
	reply := s.send(sent{
		method: http.MethodPost, path: "/studies/" + study.ID + "/skips", kind: "application/json",
		body: fmt.Sprintf(`{"token": %q, "next": true}`, next.Token),
	})
	var skipped wire.Outcome
	s.must(reply.read(&skipped))
	if skipped.Kind != "skipped" || skipped.Next == nil || *skipped.Next.Done != 2 {
		t.Fatalf("%s", reply.text)
	}
	last, err := s.respondent.AnswerAndAsk(t.Context(), study.ID, skipped.Next.Token, skipped.Next.Arms[0].ID)
	if s.must(err); last != nil {
		t.Errorf("got a fourth question: %+v", last)
	}
	_, err = s.respondent.AnswerAndAsk(t.Context(), study.ID, q.Token, q.Arms[1].ID)
	s.refused(err, 409, wire.Conflict, "")
}

// TestExclude: owners exclude respondents, once each, and see how many; the audit log has no names. Studies whose evidence is
// not about people refuse it.
func TestExclude(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(wire.Settings{K: 2, Grace: -1, Assume: "majority"})
	s.answer(study.ID, "anna")
	for range 2 {
		_, err := s.owner.Exclude(t.Context(), study.ID, "anna")
		s.must(err)
	}
	_, err := s.owner.Exclude(t.Context(), study.ID, "cleo")
	s.refused(err, 422, wire.Invalid, "body.respondent")
	_, err = s.viewer.Exclude(t.Context(), study.ID, "anna")
	s.refused(err, 403, wire.Forbidden, "")
	s.eventually("the plan excludes one person", func() bool {
		v, err := s.owner.Verdict(t.Context(), study.ID)
		s.must(err)
		return v.ByHand == 1 && strings.Contains(v.Sentence, "Excluded by hand: 1 person.")
	})
	if e := s.entries(); e[len(e)-1].Operation != "exclude-respondent" || strings.Contains(e[len(e)-1].Detail, "anna") {
		t.Errorf("the last entry is %+v", e[len(e)-1])
	}
	linear := s.open(wire.Settings{K: 2, Grace: -1, Assume: "linear"})
	s.answer(linear.ID, "anna")
	_, err = s.owner.Exclude(t.Context(), linear.ID, "anna")
	s.refused(err, 422, wire.Invalid, "body.respondent")
}

// TestWeightsOverHTTP: the shares of a profile question are those of the population. The verdict says which group is missing
// until someone of it has answered, and the settings are in the reply.
func TestWeightsOverHTTP(t *testing.T) {
	s := begin(t, setting{})
	settings := wire.Settings{
		K: 2, Each: 1, Grace: -1, Assume: "majority", Weighted: true,
		Model: &wire.Model{Segments: []wire.Segment{
			{Name: "north", Share: 1},
			{Name: "south", Share: 3},
		}},
	}
	draft := s.draft(settings)
	_, err := s.owner.Change(t.Context(), draft.ID, draft.Version,
		wire.Change{Profile: &wire.Profile{Questions: []wire.ProfileQuestion{{
			Name: "region", Text: "Where are you?", Segment: true, Choices: []wire.ProfileChoice{{Text: "north"}, {Text: "south"}},
		}}}})
	s.must(err)
	opened, err := s.owner.Open(t.Context(), draft.ID)
	s.must(err)
	if !opened.Settings.Weighted {
		t.Errorf("%+v", opened.Settings)
	}
	const missing = "Missing: people of the group"
	for _, c := range []struct{ who, region, says string }{
		{"anna", "north", missing + " south, who are 75% of the population."}, {"ben", "south", ""},
	} {
		_, err := s.owner.AnswerProfile(t.Context(), draft.ID,
			wire.ProfileAnswers{Respondent: c.who, Answers: map[string]string{"region": c.region}})
		s.must(err)
		s.answer(draft.ID, c.who)
		s.eventually("the verdict is about "+c.who, func() bool {
			v, err := s.owner.Verdict(t.Context(), draft.ID)
			s.must(err)
			return strings.Contains(v.Sentence, missing) == (c.says != "") && strings.Contains(v.Sentence, c.says) && v.Respondents > 0
		})
	}
}

// TestRanking: several picks are ranked, best first.
func TestRanking(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(wire.Settings{K: 4, Picks: 2, Grace: -1})
	q := s.ask(study.ID, "anna")
	if q.Picks != 2 || len(q.Arms) != 4 {
		t.Errorf("%d picks of %d arms", q.Picks, len(q.Arms))
	}
	s.refused(s.respondent.Answer(t.Context(), study.ID, q.Token, q.Arms[0].ID), 422, wire.Invalid, "body.picks")
	s.refused(s.respondent.Answer(t.Context(), study.ID, q.Token, q.Arms[0].ID, q.Arms[0].ID), 422, wire.Invalid, "body.picks[1]")
	s.must(s.respondent.Answer(t.Context(), study.ID, q.Token, q.Arms[2].ID, q.Arms[0].ID))
}

// TestOffers: a question says what it offers besides picks, and answers with that are accepted. The
// settings are returned as they were given.
func TestOffers(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(wire.Settings{K: 4, Outside: true, Ties: true, Worst: true, Assume: "linear", Grace: -1})
	if got := study.Settings; !got.Outside || !got.Ties || !got.Worst || *got.Fallback != 0 {
		t.Errorf("the settings are %+v", got)
	}
	q := s.ask(study.ID, "anna")
	if q.Picks != 1 || !q.None || !q.Tie || !q.Worst {
		t.Errorf("the question is %+v", q)
	}
	a, b := q.Arms[0].ID, q.Arms[1].ID
	for at, wrong := range map[string]wire.Answer{
		"body.picks":    {None: true, Tie: true},
		"body.picks[1]": {Picks: []string{a}, Worst: a},
		"body.worst":    {Picks: []string{a}},
	} {
		wrong.Token = q.Token
		_, err := s.respondent.Reply(t.Context(), study.ID, wrong)
		s.refused(err, 422, wire.Invalid, at)
	}
	for _, answer := range []wire.Answer{{Picks: []string{b}, Worst: a}, {None: true}, {Tie: true}} {
		answer.Token, answer.Next = s.ask(study.ID, "anna").Token, true
		if answer.Worst != "" {
			answer.Token = q.Token
		}
		outcome, err := s.respondent.Reply(t.Context(), study.ID, answer)
		s.must(err)
		if outcome.Kind != "answered" {
			t.Errorf("%+v is %+v", answer, outcome)
		}
	}
	plain := s.open(wire.Settings{K: 3, Grace: -1})
	q = s.ask(plain.ID, "anna")
	if q.None || q.Tie || q.Worst {
		t.Errorf("a plain question offers %+v", q)
	}
	_, err := s.respondent.Reply(t.Context(), plain.ID, wire.Answer{Token: q.Token, None: true})
	s.refused(err, 422, wire.Invalid, "body.picks")
}

// TestNoQuestion: if no question is available, the reply has Retry-After.
func TestNoQuestion(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.open(quick())
	reply := s.send(sent{method: http.MethodPost, path: "/studies/" + study.ID + "/questions", kind: "application/json", body: "{}"})
	var problem wire.Problem
	s.must(reply.read(&problem))
	if reply.status != 503 || problem.Type != wire.NoQuestion || reply.header.Get("Retry-After") != "1" {
		t.Errorf("%d %s, Retry-After %q", reply.status, reply.text, reply.header.Get("Retry-After"))
	}
}

// TestAnswerProfile: a program answers the profile questions of a respondent, under a name or with the key of a member,
// and can then ask. Quotas hold as on the page.
func TestAnswerProfile(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(slow())
	questions := wire.Profile{Questions: []wire.ProfileQuestion{
		{Name: "age", Text: "How old are you?", Choices: []wire.ProfileChoice{{Text: "Under 30", Quota: 1}, {Text: "30 or older"}}},
		{Name: "years", Text: "For how many years?", After: true},
	}}
	_, err := s.owner.Change(t.Context(), study.ID, study.Version, wire.Change{Profile: &questions})
	s.must(err)
	if entries := s.entries(); entries[len(entries)-1].Detail != "profile" {
		t.Errorf("the last entry is %+v", entries[len(entries)-1])
	}
	ask := func(asked wire.Ask) error {
		_, err := s.owner.Ask(t.Context(), study.ID, asked)
		return err
	}
	send := func(sent wire.ProfileAnswers) (string, error) {
		return s.owner.AnswerProfile(t.Context(), study.ID, sent)
	}
	s.eventually("the study has profile questions", func() bool { return ask(wire.Ask{Respondent: "anna"}) != nil })
	s.refused(ask(wire.Ask{Respondent: "anna"}), 409, wire.NoProfile, "")
	_, err = send(wire.ProfileAnswers{Respondent: "anna", Answers: map[string]string{"age": "young"}})
	s.refused(err, 422, wire.Invalid, "body.answers.age")
	young := map[string]string{"age": "Under 30"}
	name, err := send(wire.ProfileAnswers{Respondent: "anna", Answers: young})
	s.must(err)
	if name != "anna" {
		t.Errorf("the name has become %q", name)
	}
	_, err = send(wire.ProfileAnswers{Respondent: "anna", After: true, Answers: map[string]string{"years": "3"}})
	s.refused(err, 422, wire.Invalid, "body.respondent")
	s.answer(study.ID, "anna")
	_, err = send(wire.ProfileAnswers{Respondent: "anna", After: true, Answers: map[string]string{"years": "3"}})
	s.must(err)
	_, err = send(wire.ProfileAnswers{Respondent: "ben", Answers: young})
	s.refused(err, 409, wire.QuotaFull, "")
	s.refused(ask(wire.Ask{Respondent: "ben"}), 409, wire.QuotaFull, "")
	full := wire.Group{Question: "age", Answer: "Under 30", Answered: 1, Quota: 1}
	if groups := s.verdict(study.ID).Groups; len(groups) != 2 || groups[0] != full {
		t.Errorf("the groups are %+v, want %+v first", groups, full)
	}
	named, err := send(wire.ProfileAnswers{Answers: map[string]string{"age": "30 or older"}})
	s.must(err)
	s.must(ask(wire.Ask{Respondent: named}))
	members, err := s.owner.AddMembers(t.Context(), study.ID, wire.NewMember{Name: "zoe"})
	s.must(err)
	old := map[string]string{"age": "30 or older"}
	s.eventually("the study has a panel", func() bool {
		_, err := send(wire.ProfileAnswers{Respondent: "carl", Answers: old})
		return err != nil
	})
	_, err = send(wire.ProfileAnswers{Respondent: "carl", Answers: old})
	s.refused(err, 403, wire.NotMember, "")
	name, err = send(wire.ProfileAnswers{Key: members[0].Key, Answers: old})
	s.must(err)
	if name != "zoe" {
		t.Errorf("the member is %q", name)
	}
	s.must(ask(wire.Ask{Key: members[0].Key}))
}

// TestProfilesRefused: a study stores profiles only of people whom it asks: not in a draft, not after the end, and the
// questions at the end only of people who have answered. Without profile questions it stores none.
func TestProfilesRefused(t *testing.T) {
	s := begin(t, setting{})
	draft := s.draft(slow())
	questions := wire.Profile{Questions: []wire.ProfileQuestion{
		{Name: "age", Text: "How old?"},
		{Name: "years", Text: "How long?", After: true},
	}}
	_, err := s.owner.Change(t.Context(), draft.ID, draft.Version, wire.Change{Profile: &questions})
	s.must(err)
	send := func(after bool) error {
		_, err := s.owner.AnswerProfile(t.Context(), draft.ID, wire.ProfileAnswers{
			Respondent: "anna", After: after, Answers: map[string]string{"age": "30", "years": "3"},
		})
		return err
	}
	s.eventually("the draft has questions", func() bool { return send(true) != nil })
	s.refused(send(false), 409, wire.StudyDraft, "")
	s.refused(send(true), 422, wire.Invalid, "body.respondent")
	_, err = s.owner.Open(t.Context(), draft.ID)
	s.must(err)
	s.eventually("the study is open", func() bool { return !client.Is(send(true), wire.StudyDraft) })
	s.refused(send(true), 422, wire.Invalid, "body.respondent")
	_, err = s.owner.Close(t.Context(), draft.ID)
	s.must(err)
	s.eventually("the study is done", func() bool { return client.Is(send(false), wire.StudyDone) })
	s.refused(send(true), 422, wire.Invalid, "body.respondent")
	none := s.open(quick()).ID // without profile questions
	s.answer(none, "anna")
	_, err = s.owner.AnswerProfile(t.Context(), none,
		wire.ProfileAnswers{Respondent: "anna", After: true, Answers: map[string]string{"years": "3"}})
	s.must(err)
	if stored, err := s.store.Profiles(t.Context(), none, "", 10); err != nil || len(stored) > 0 {
		t.Errorf("%+v, %v", stored, err)
	}
}

// TestConsent: a study with a text of consent asks only people who agreed to it, and stores no profile of others. Who
// agreed to which text, and when, is exported and erased.
func TestConsent(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(slow())
	page := wire.Page{Texts: map[string]wire.PageTexts{"en": {Welcome: "Hi", Consent: "I agree."}, "de": {Thanks: "Danke"}}}
	questions := wire.Profile{Questions: []wire.ProfileQuestion{{Name: "age", Text: "How old are you?"}}}
	_, err := s.owner.Change(t.Context(), study.ID, study.Version, wire.Change{Page: &page, Profile: &questions})
	s.must(err)
	ask := func(asked wire.Ask) error {
		_, err := s.respondent.Ask(t.Context(), study.ID, asked)
		return err
	}
	s.eventually("the study asks for consent", func() bool { return ask(wire.Ask{}) != nil })
	welcome, err := s.respondent.Welcome(t.Context(), study.ID)
	s.must(err)
	agreed := welcome.Texts["de"].ConsentID
	if welcome.Texts["de"].Consent != "I agree." || agreed == "" {
		t.Errorf("%+v", welcome)
	}
	first := wire.ProfileAnswers{Answers: map[string]string{"age": "30"}}
	_, err = s.respondent.AnswerProfile(t.Context(), study.ID, first)
	s.refused(err, 409, wire.NoConsent, "")
	s.refused(ask(wire.Ask{}), 409, wire.NoConsent, "")
	s.refused(ask(wire.Ask{Consent: "yes"}), 422, wire.Invalid, "body.consent")
	s.refused(ask(wire.Ask{Consent: agreed}), 409, wire.NoProfile, "")
	first.Consent = agreed
	name, err := s.respondent.AnswerProfile(t.Context(), study.ID, first)
	s.must(err)
	s.must(ask(wire.Ask{Respondent: name}))
	stored, err := s.store.Profile(t.Context(), study.ID, strings.Split(name, ".")[0])
	s.must(err)
	if stored.Consent != "I agree." || stored.Agreed.IsZero() || stored.Answers["age"] != "30" {
		t.Errorf("stored: %+v", stored)
	}
	_, err = s.owner.Erase(t.Context(), study.ID, name)
	s.must(err)
	if stored, err = s.store.Profile(t.Context(), study.ID, strings.Split(name, ".")[0]); err != nil || stored.Consent != "" ||
		!stored.Agreed.IsZero() {
		t.Errorf("an erasure has left %+v, %v", stored, err)
	}
}

// TestDone tests that a caller who claims an id that is not checked does not learn how often it has answered, neither
// from the question nor from its token. All others do.
func TestDone(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(wire.Settings{K: 3, Grace: -1, Each: 5})
	says := func(who string, q wire.Question, want int) {
		t.Helper()
		switch {
		case want < 0 && q.Done != nil:
			t.Errorf("%s: the question reports %d as done", who, *q.Done)
		case want >= 0 && (q.Done == nil || *q.Done != want):
			t.Errorf("%s: the question does not report %d as done", who, want)
		}
	}
	says("a name that a token gives", s.answer(study.ID, "anna"), 0)
	claimed := s.open(wire.Settings{K: 3, Grace: -1, Each: 5, Audience: "ids"})
	for range 2 {
		q, err := s.askAs(claimed.ID, wire.Ask{PID: "anna"})
		s.must(err)
		says("a claimed id", q, -1)
		s.must(s.respondent.Answer(t.Context(), claimed.ID, q.Token, q.Arms[0].ID))
	}
	q := s.ask(study.ID, "anna")
	next, err := s.respondent.AnswerAndAsk(t.Context(), study.ID, q.Token, q.Arms[0].ID)
	s.must(err)
	says("next", *next, 2)

	made := s.answer(study.ID, "")
	says("a name of the server's, first", made, 0)
	says("a name of the server's, again", s.ask(study.ID, made.Respondent), 1)

	member := s.invite(study.ID, "cleo")[0]
	for done := range 2 {
		q, err := s.askAs(study.ID, wire.Ask{Key: member.Key})
		s.must(err)
		says("a member", q, done)
		s.must(s.respondent.Answer(t.Context(), study.ID, q.Token, q.Arms[0].ID))
	}

	unlimited := s.open(quick())
	says("no limit", s.ask(unlimited.ID, ""), -1)
}

// TestRateLimit: replies to respondents say what is left of their rate limit, until it is exceeded.
// It applies to each respondent separately, and counts undos.
func TestRateLimit(t *testing.T) {
	s := begin(t, setting{limiter: middleware.NewLimiter(0.001, 3)})
	study := s.open(quick())
	s.eventually("questions are planned, so that no request has to be repeated", func() bool {
		return s.verdict(study.ID).Plan > 0
	})
	welcome, err := s.respondent.Welcome(t.Context(), study.ID)
	s.must(err)
	q := s.ask(study.ID, welcome.Respondent)
	reply := s.send(sent{
		method: http.MethodPost, path: "/studies/" + study.ID + "/answers", kind: "application/json",
		body: `{"token":"` + q.Token + `","picks":["` + q.Arms[0].ID + `"],"next":true}`,
	})
	if got := reply.header.Get("Ratelimit"); reply.status != 200 || !strings.HasPrefix(got, `"respondent";r=1;t=`) ||
		reply.header.Get("Ratelimit-Policy") != `"respondent";q=3;w=3000` {
		t.Errorf("%d %v", reply.status, reply.header)
	}
	var last raw
	for range 3 {
		last = s.send(sent{
			method: http.MethodPost, path: "/studies/" + study.ID + "/questions", kind: "application/json",
			body: `{"respondent":"` + q.Respondent + `"}`,
		})
	}
	var problem wire.Problem
	s.must(last.read(&problem))
	if last.status != 429 || problem.Type != wire.TooMany ||
		!strings.HasPrefix(last.header.Get("Ratelimit"), `"respondent";r=0;t=`) || last.header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", last.status, last.header, last.text)
	}
	s.ask(study.ID, "ben")
	patient := s.open(slow()).ID
	s.eventually("its questions are planned", func() bool { return s.verdict(patient).Plan > 0 })
	q = s.ask(patient, "carl")
	s.must(s.respondent.Answer(t.Context(), patient, q.Token, q.Arms[0].ID))
	s.must(s.respondent.Undo(t.Context(), patient, q.Token))
	s.refused(s.respondent.Answer(t.Context(), patient, q.Token, q.Arms[1].ID), 429, wire.TooMany, "")
}

// TestTooMany: Retry-After is in whole seconds, and at least 1.
func TestTooMany(t *testing.T) {
	w := httptest.NewRecorder()
	api.TooMany(w, 1200*time.Millisecond)
	if w.Code != 429 || w.Header().Get("Retry-After") != "2" || w.Header().Get("Content-Type") != "application/problem+json" ||
		!strings.Contains(w.Body.String(), wire.TooMany) {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

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
	set, err := s.owner.SetContexts(ctx, id, 0,
		client.File{Name: "texts.csv", Contents: strings.NewReader(contextTexts())}, "markdown")
	s.must(err)
	if set != (wire.Contexts{Contexts: 3, Texts: 18, Format: "markdown"}) {
		t.Errorf("%+v", set)
	}
	_, err = s.owner.Open(ctx, id)
	s.must(err)
	asked := map[string]int{}
	q, err := s.owner.Ask(ctx, id, wire.Ask{Respondent: "anna"})
	s.must(err)
	for range 12 {
		asked[q.Context]++
		for _, arm := range q.Arms {
			if want := strings.ToUpper(arm.ID) + " for " + q.Context; arm.Text != want || arm.Label != "" || arm.Attributes != nil ||
				q.Format != "markdown" {
				t.Errorf("%+v in %q", arm, q.Context)
			}
		}
		s.must(s.respondent.Answer(ctx, id, q.Token, q.Arms[0].ID))
		q, err = s.owner.Ask(ctx, id, wire.Ask{Respondent: "anna"})
		s.must(err)
	}
	if asked["pie"]+asked["juice"]+asked["jam"] != 12 || len(asked) == 1 { // all alike with probability 3⁻¹¹
		t.Errorf("the contexts were %v", asked)
	}
	_, err = s.owner.SetContexts(ctx, id, 0, client.File{Name: "texts.csv", Contents: strings.NewReader(contextTexts())}, "plain")
	s.refused(err, 409, wire.Started, "")
}
