package api_test

import (
	"testing"

	"bestpick/wire"
)

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
	ask := func(asked wire.Ask) error {
		_, err := s.respondent.Ask(t.Context(), study.ID, asked)
		return err
	}
	send := func(sent wire.ProfileAnswers) (string, error) {
		return s.respondent.AnswerProfile(t.Context(), study.ID, sent)
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
	s.must(ask(wire.Ask{Respondent: "anna"}))
	_, err = send(wire.ProfileAnswers{Respondent: "anna", After: true, Answers: map[string]string{"years": "3"}})
	s.must(err)
	_, err = send(wire.ProfileAnswers{Respondent: "ben", Answers: young})
	s.refused(err, 409, wire.QuotaFull, "")
	s.refused(ask(wire.Ask{Respondent: "ben"}), 409, wire.QuotaFull, "")
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
