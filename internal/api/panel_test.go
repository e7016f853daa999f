package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"bestpick/internal/middleware"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/study/replay"
	"bestpick/internal/table"
	"bestpick/wire"
)

// invite adds members to the panel of a study.
func (s *stage) invite(id string, names ...string) []wire.Member {
	s.Helper()
	people := make([]wire.NewMember, len(names))
	for i, name := range names {
		people[i].Name = name
	}
	members, err := s.owner.AddMembers(s.Context(), id, people...)
	s.must(err)
	for _, m := range members {
		s.secrets.add(m.Key)
	}
	return members
}

// panel returns all members of a study's panel.
func (s *stage) panel(id string) []wire.Member {
	s.Helper()
	members, _ := all(func(cursor string) ([]wire.Member, string) {
		page, err := s.owner.Panel(s.Context(), id, cursor)
		s.must(err)
		return page.Members, page.Next
	})
	return members
}

// TestPanel: in a study with a panel, only members can answer, each with their key and under their
// name.
func TestPanel(t *testing.T) {
	s := begin(t, setting{})
	ctx := t.Context()
	study := s.open(quick())
	before := s.ask(study.ID, "early")
	members := s.invite(study.ID, "anna", " ben / ../\n")
	anna, ben := members[0], members[1]
	if ben.Name != "ben / .."+"/" || anna.Link != "/s/"+study.ID+"?key="+anna.Key || anna.Key == ben.Key ||
		time.Since(anna.Added).Abs() > time.Minute {
		t.Errorf("the members are %+v", members)
	}
	read, err := s.viewer.Study(ctx, study.ID)
	s.must(err)
	if read.Settings.Audience != "personal" || study.Settings.Audience != "link" || read.Version == study.Version {
		t.Errorf("the study is %+v", read)
	}
	_, err = s.owner.Ask(ctx, study.ID, wire.Ask{Respondent: "anna"})
	if problem := s.refused(err, 403, wire.NotMember,
		""); problem.Detail != "only members of the panel may answer, each with the key in their personal link" {
		t.Errorf("the detail is %q", problem.Detail)
	}
	_, err = s.respondent.Ask(ctx, study.ID, wire.Ask{Respondent: "anna", Key: anna.Key + "x"})
	if problem := s.refused(err, 403, wire.NotMember, ""); problem.Detail != "the key does not belong to a member of the panel" {
		t.Errorf("the detail is %q", problem.Detail)
	}
	s.refused(s.respondent.Answer(ctx, study.ID, before.Token, before.Arms[0].ID), 403, wire.NotMember, "")
	q, err := s.askAs(study.ID, wire.Ask{Respondent: "someone else", Key: anna.Key})
	s.must(err)
	if q.Respondent != "anna" {
		t.Errorf("anna is asked as %q", q.Respondent)
	}
	s.must(s.respondent.Answer(ctx, study.ID, q.Token, q.Arms[0].ID))
	if listed := s.panel(study.ID); len(listed) != 2 || listed[0].Done != 1 || listed[1].Done != 0 || listed[0].Key != anna.Key {
		t.Errorf("the panel is %+v", listed)
	}
	_, err = s.viewer.Panel(ctx, study.ID, "")
	s.refused(err, 403, wire.Forbidden, "")

	if n, err := s.owner.RemoveMembers(ctx, study.ID, "anna", "nobody"); n != 1 || err != nil {
		t.Errorf("%d were removed, %v", n, err)
	}
	renewed, err := s.owner.RenewKey(ctx, study.ID, ben.Name)
	s.must(err)
	s.secrets.add(renewed.Key)
	_, err = s.respondent.Ask(ctx, study.ID, wire.Ask{Key: ben.Key})
	s.refused(err, 403, wire.NotMember, "")
	_, err = s.askAs(study.ID, wire.Ask{Key: renewed.Key})
	s.must(err)
	_, err = s.owner.RenewKey(ctx, study.ID, "anna")
	s.refused(err, 404, wire.NotFound, "")
}

// TestPanelFile: members are imported from a file, atomically.
func TestPanelFile(t *testing.T) {
	s := begin(t, setting{idle: true})
	ctx := t.Context()
	settings := quick()
	settings.Model = &wire.Model{Segments: []wire.Segment{{Name: "north", Share: 1}, {Name: "south", Share: 2}}}
	study := s.draft(settings)
	s.invite(study.ID, "anna")
	done, err := s.owner.ImportMembers(ctx, study.ID,
		file("people.csv", "\ufeffname;e-mail;segment\r\nanna;a@b.example;south\r\n Zoë ;;\r\n"))
	s.must(err)
	if done != (wire.Joined{Members: 2, Added: 1}) {
		t.Errorf("the reply is %+v", done)
	}
	want := []string{"anna south", "Zoë "}
	check := func() {
		t.Helper()
		var got []string
		for _, m := range s.panel(study.ID) {
			got = append(got, m.Name+" "+m.Segment)
			s.secrets.add(m.Key)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the panel is %q", got)
		}
	}
	check()
	var many strings.Builder
	many.WriteString("name\n")
	for i := range 10_001 {
		fmt.Fprintf(&many, "person %d\n", i)
	}
	for text, told := range map[string]string{
		"":                         "people.csv: the file is empty",
		"name\n":                   "people.csv: there are no rows below the header",
		"mail,city\nx,y\n":         `people.csv:1: column "name": there is no such column; there are mail, city`,
		"name,name\nx,y\n":         `people.csv:1: column "name": there are two columns of that name`,
		"name\nben\nben\n":         `people.csv:3: column "name": the name is already in line 2`,
		"name,segment\n,north\n":   `people.csv:2: column "name": the value is missing`,
		"name,segment\nben,west\n": `people.csv:2: column "segment": there is no segment "west"`,
		"name\na\x00\n":            `people.csv:2: column "name": the text must be UTF-8 without zero bytes`,
		"name\n" + strings.Repeat("x", 201) + "\n": `people.csv:2: column "name": the text must have at most 200 characters, got 201`,
		many.String(): "people.csv:10002: the file has more than 10,000 rows",
	} {
		_, err := s.owner.ImportMembers(ctx, study.ID, file("people.csv", text))
		if problem := s.refused(err, 422, wire.Invalid, "body.members"); problem.Errors[0].Message != told {
			t.Errorf("%.40q: got %q, want %q", text, problem.Errors[0].Message, told)
		}
	}
	check()
}

// TestBadMembers: invalid members are rejected with the location of the problem, and no member is
// added.
func TestBadMembers(t *testing.T) {
	s := begin(t, setting{idle: true})
	ctx := t.Context()
	study := s.draft(quick())
	for at, people := range map[string][]wire.NewMember{
		"body.members":         {},
		"body.members[1].name": {{Name: "anna"}, {Name: "anna "}},
		"body.members[0].name": {{Name: " "}},
	} {
		_, err := s.owner.AddMembers(ctx, study.ID, people...)
		s.refused(err, 422, wire.Invalid, at)
	}
	_, err := s.owner.AddMembers(ctx, "none", wire.NewMember{Name: "anna"})
	s.refused(err, 404, wire.NotFound, "")
	if read, err := s.owner.Study(ctx, study.ID); err != nil || read.Settings.Audience != "link" || read.Version != study.Version ||
		len(s.panel(study.ID)) > 0 {
		t.Errorf("the study became %+v, %v", read, err)
	}
}

// TestTooManyQuestionsOfMember: the rate limit of members applies to their key, whatever name they
// send.
func TestTooManyQuestionsOfMember(t *testing.T) {
	s := begin(t, setting{patience: time.Minute, limiter: middleware.NewLimiter(0.001, 2)})
	study := s.open(slow())
	members := s.invite(study.ID, "anna", "ben")
	for i := range 3 {
		_, err := s.respondent.Ask(t.Context(), study.ID, wire.Ask{Respondent: fmt.Sprint("name ", i), Key: members[0].Key})
		if i < 2 {
			s.must(err)
		} else {
			s.refused(err, 429, wire.TooMany, "")
		}
	}
	_, err := s.respondent.Ask(t.Context(), study.ID, wire.Ask{Key: members[1].Key})
	s.must(err)
}

// TestKeysStayInside: neither exports nor replies to viewers contain keys.
func TestKeysStayInside(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(quick())
	anna := s.invite(study.ID, "anna")[0]
	q, err := s.askAs(study.ID, wire.Ask{Key: anna.Key})
	s.must(err)
	s.must(s.respondent.Answer(t.Context(), study.ID, q.Token, q.Arms[0].ID))
	for _, path := range []string{"", "/export/log", "/export/answers", "/export/arms", "/arms", "/verdict"} {
		reply := s.send(sent{token: s.owner.Token, method: http.MethodGet, path: "/studies/" + study.ID + path})
		if reply.status != 200 || strings.Contains(reply.text, anna.Key) {
			t.Errorf("%s: %d %s", path, reply.status, reply.text)
		}
	}
}

// TestErase: no export contains data of an erased respondent, and the reply reports the change of
// the verdict. Erasing is idempotent.
func TestErase(t *testing.T) {
	s := begin(t, setting{})
	ctx := t.Context()
	open := s.open(quick())
	for _, who := range []string{"anna", "bert", "anna", "cleo"} {
		s.answer(open.ID, who)
	}
	_, err := s.owner.Import(ctx, open.ID, "survey",
		file("a.csv", "shown_1,shown_2,pick_1,respondent\napple,pear,pear,anna\napple,pear,pear,dan\n"))
	s.must(err)
	s.must(s.respondent.Skip(ctx, open.ID, s.ask(open.ID, "anna").Token))
	out := s.ask(open.ID, "bert")
	s.pass(time.Minute)
	s.eventually("all answers count", func() bool { return s.verdict(open.ID).Answers == 6 })
	before := s.verdict(open.ID)

	done, err := s.owner.Erase(ctx, open.ID, "anna")
	s.must(err)
	if done.Answers != 3 || done.Skips != 1 || done.TakenBack != 0 || done.Before.Answers != 6 || done.After.Answers != 3 ||
		done.After.Plan <= before.Plan {
		t.Errorf("%+v", done)
	}
	if done.Before.Leader != nil || done.After.Leader != nil || !strings.Contains(done.Sentence, "too early to name a leader") {
		t.Errorf("%s, of %+v and %+v", done.Sentence, done.Before.Leader, done.After.Leader)
	}
	var log bytes.Buffer
	if text := s.export(open.ID, table.CSV); strings.Contains(text, "anna") || !strings.Contains(text, "bert") ||
		strings.Contains(text, "erased") {
		t.Error(text)
	}
	s.must(s.owner.Export(ctx, open.ID, "log", "", &log))
	if strings.Contains(log.String(), "anna") || !strings.Contains(log.String(), `"kind":"erased"`) {
		t.Error(log.String())
	}
	report, err := replay.Verify(&log)
	s.must(err)
	if !strings.Contains(done.After.Sentence, "Left out, because their data was deleted: 1 person.") || done.Before.Erased != 0 ||
		done.After.Erased != 1 || report.Verdict.Erased != 1 {
		t.Errorf("%+v and %+v do not count the person", done.After, report.Verdict)
	}
	if report.Verdict.Answered != 3 {
		t.Errorf("%+v", report)
	}
	s.refused(s.respondent.Answer(ctx, open.ID, out.Token, out.Arms[0].ID), 409, wire.Replaced, "")
	s.answer(open.ID, "bert")

	again, err := s.owner.Erase(ctx, open.ID, "anna")
	s.must(err)
	if again.Answers+again.Skips+again.TakenBack > 0 ||
		again.Sentence != "Nothing was recorded of this respondent, so nothing has changed." || again.Before.Plan != again.After.Plan {
		t.Errorf("%+v", again)
	}
	_, err = s.owner.Erase(ctx, open.ID, "")
	s.refused(err, 422, wire.Invalid, "body.respondent")
	_, err = s.owner.Erase(ctx, "none", "anna")
	s.refused(err, 404, wire.NotFound, "")
}

// An impatientStore has the client disconnect during an erasure.
type impatientStore struct {
	study.Store

	leave context.CancelFunc
}

func (s *impatientStore) Erase(ctx context.Context, id, respondent string, p study.Plan) (study.Plan, error) {
	s.leave()
	time.Sleep(50 * time.Millisecond) // until the server notices
	return s.Store.Erase(ctx, id, respondent, p)
}

// TestEraseGoesOn: an erasure is completed and audited even if the client disconnects.
func TestEraseGoesOn(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	s := begin(t, setting{store: func(s *sqlite.Store) study.Store { return &impatientStore{s, leave} }})
	open := s.open(quick())
	s.answer(open.ID, "anna")
	if _, err := s.owner.Erase(ctx, open.ID, "anna"); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	s.eventually("it is recorded", func() bool {
		entries := s.entries()
		return entries[len(entries)-1].Operation == "erase-respondent"
	})
	done, err := s.owner.Erase(t.Context(), open.ID, "anna")
	s.must(err)
	if done.Answers > 0 {
		t.Errorf("%+v", done)
	}
}

// TestEraseForgets: an erasure resets the respondent's rate limit.
func TestEraseForgets(t *testing.T) {
	s := begin(t, setting{patience: 10 * time.Second, limiter: middleware.NewLimiter(0.0001, 2)})
	open := s.open(quick())
	s.answer(open.ID, "anna")
	if _, err := s.tryAsk(open.ID, "anna"); err == nil {
		t.Error("the rate limit does not apply")
	}
	_, err := s.owner.Erase(t.Context(), open.ID, "anna")
	s.must(err)
	s.answer(open.ID, "anna")
}
