package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"bestpick/client"
	"bestpick/internal/study"
	"bestpick/wire"
)

// TestAudience: who may answer is chosen at creation, and requests of others are refused with what they lack.
func TestAudience(t *testing.T) {
	s := begin(t, setting{})
	const panel = "only members of the panel may answer, each with the key in their personal link"
	const ids = "only people with an id in their link may answer, and a valid signature if the study's ids are signed"
	sign := func(id, pid string) string {
		mac := hmac.New(sha256.New, []byte(s.studies.Dispatch.IDKey(id)))
		mac.Write([]byte(pid))
		return hex.EncodeToString(mac.Sum(nil))
	}
	for _, c := range []struct {
		audience string
		ask      func(id string) wire.Ask
		refused  string // the detail; empty if the request is allowed
	}{
		{"", func(string) wire.Ask { return wire.Ask{} }, ""},
		{"link", func(string) wire.Ask { return wire.Ask{} }, ""},
		{"ids", func(string) wire.Ask { return wire.Ask{} }, ids},
		{"ids", func(string) wire.Ask { return wire.Ask{PID: "p1"} }, ""},
		{"signed", func(string) wire.Ask { return wire.Ask{} }, ids},
		{"signed", func(string) wire.Ask { return wire.Ask{PID: "p1"} }, ids},
		{"signed", func(id string) wire.Ask { return wire.Ask{PID: "p2", Signature: sign(id, "p1")} }, ids},
		{"signed", func(id string) wire.Ask { return wire.Ask{PID: "p1", Signature: sign(id, "p1")} }, ""},
		{"personal", func(string) wire.Ask { return wire.Ask{} }, panel},
		{"personal", func(string) wire.Ask { return wire.Ask{PID: "p1"} }, panel},
		{"personal", func(id string) wire.Ask { return wire.Ask{Key: s.invite(id, "anna")[0].Key} }, ""},
	} {
		settings := slow()
		settings.Audience = c.audience
		opened := s.open(settings)
		if c.audience == "" && opened.Settings.Audience != "link" {
			t.Errorf("the default is %q", opened.Settings.Audience)
		}
		ask := c.ask(opened.ID)
		for who, token := range map[string]string{"an owner": s.owner.Token, "anyone": ""} {
			s.respondent.Token = token
			q, err := s.askAs(opened.ID, ask)
			switch {
			case c.refused == "":
				s.must(err)
				if want := ask.PID; want != "" && q.Respondent != want {
					t.Errorf("%s, %+v: asked as %q", c.audience, ask, q.Respondent)
				}
			case s.refused(err, 403, wire.NotMember, "").Detail != c.refused:
				t.Errorf("%q, %s with %+v: %v", c.audience, who, ask, err)
			}
		}
		welcome, err := s.respondent.Welcome(t.Context(), opened.ID)
		s.must(err)
		if open := opened.Settings.Audience == "link"; open != (welcome.Respondent != "") {
			t.Errorf("%q: the welcome names %q", c.audience, welcome.Respondent)
		}
	}
	settings := slow()
	settings.Audience = "everyone"
	_, err := s.owner.Create(t.Context(), client.NewStudy{Name: "x", Settings: settings, Catalogue: file("fruits.csv", fruits)})
	s.refused(err, 422, wire.Invalid, "body.settings.audience")
}

// TestNamesOfAnOpenLink: the server names the people of an open link. Without an owner's token a client can neither make up
// a name, nor answer under that of another person, and a name of one study is none of another.
func TestNamesOfAnOpenLink(t *testing.T) {
	s := begin(t, setting{})
	opened, other := s.open(slow()), s.open(slow())
	welcome, err := s.respondent.Welcome(t.Context(), opened.ID)
	s.must(err)
	first, err := s.askAs(opened.ID, wire.Ask{Respondent: welcome.Respondent})
	s.must(err)
	name, signature, _ := strings.Cut(welcome.Respondent, ".")
	if first.Respondent != welcome.Respondent || !study.IsNewName(name) {
		t.Errorf("asked as %q, want %q", first.Respondent, welcome.Respondent)
	}
	elsewhere, err := s.respondent.Welcome(t.Context(), other.ID)
	s.must(err)
	made := study.NewName()
	for _, claimed := range []string{
		"anna", made, made + "." + signature, name, name + ".", name + "." + signature[1:],
		elsewhere.Respondent,
	} {
		for who, token := range map[string]string{
			"without a token": "", "a viewer": s.viewer.Token,
			"a wrong token": s.viewer.Token + "x",
		} {
			s.respondent.Token = token
			_, err := s.respondent.Ask(t.Context(), opened.ID, wire.Ask{Respondent: claimed})
			if told := s.refused(err, 403, wire.Forbidden, "").Detail; !strings.HasPrefix(told,
				"only an owner's token may name respondents") {
				t.Errorf("%s: %q", who, told)
			}
			_, err = s.respondent.AnswerProfile(t.Context(), opened.ID,
				wire.ProfileAnswers{Respondent: claimed, Answers: map[string]string{}})
			s.refused(err, 403, wire.Forbidden, "")
		}
	}
	s.respondent.Token = ""
	if q := s.ask(opened.ID, "anna"); q.Respondent != "anna" { // with the token of an owner
		t.Errorf("asked as %q, want anna", q.Respondent)
	}
	s.must(s.respondent.Answer(t.Context(), opened.ID, first.Token, first.Arms[0].ID))
	if history, err := s.store.Respondent(t.Context(), opened.ID, name); err != nil || history.Questions != 1 {
		t.Errorf("%q has %+v, %v", name, history, err)
	}
	_, err = s.owner.Erase(t.Context(), opened.ID, welcome.Respondent)
	s.must(err)
	if history, err := s.store.Respondent(t.Context(), opened.ID, name); err != nil || history.Questions != 0 {
		t.Errorf("after the erasure %q has %+v, %v", name, history, err)
	}
}
