package api_test

import (
	"strings"
	"testing"

	"bestpick/client"
	"bestpick/wire"
)

// TestPlainCards: if the owner hides attributes, no question shows them to respondents. Owners
// still see them. Opening the study does not change that.
func TestPlainCards(t *testing.T) {
	s := begin(t, setting{})
	settings := wire.Settings{K: 3, Grace: -1, Plain: true}
	study := s.open(settings)
	if !study.Settings.Plain {
		t.Errorf("the settings are %+v", study.Settings)
	}
	q := s.ask(study.ID, "anna")
	next, err := s.respondent.AnswerAndAsk(t.Context(), study.ID, q.Token, q.Arms[0].ID)
	s.must(err)
	for _, arm := range append(q.Arms, next.Arms...) {
		if arm.Label == "" || len(arm.Attributes) > 0 {
			t.Errorf("a respondent sees %+v", arm)
		}
	}
	page, err := s.viewer.Arms(t.Context(), study.ID, "")
	s.must(err)
	var exported strings.Builder
	s.must(s.owner.Export(t.Context(), study.ID, "arms", "csv", &exported))
	if len(page.Arms[0].Attributes) != 2 || !strings.Contains(exported.String(), "sweet") {
		t.Errorf("owners see %+v and export %s", page.Arms[0], exported.String())
	}
	settings.Plain = false
	_, err = s.owner.Change(t.Context(), study.ID, study.Version, wire.Change{Settings: &settings})
	s.refused(err, 409, wire.Started, "")
}

// TestPlainCardsOfAProduct: attributes of profiles cannot be hidden, since profiles consist of
// nothing else.
func TestPlainCardsOfAProduct(t *testing.T) {
	s := begin(t, setting{idle: true})
	plain := wire.Settings{Plain: true}
	_, err := s.owner.Create(t.Context(), client.NewStudy{Name: "Cameras", Catalogue: product(t), Settings: plain})
	told := s.refused(err, 422, wire.Invalid, "body.settings.plain_cards")
	if !strings.Contains(told.Detail, "profiles of a product have nothing else to show") {
		t.Errorf("the detail is %q", told.Detail)
	}
	cameras, err := s.owner.Create(t.Context(), client.NewStudy{Name: "Cameras", Catalogue: product(t)})
	s.must(err)
	_, err = s.owner.Change(t.Context(), cameras.Study.ID, cameras.Study.Version, wire.Change{Settings: &plain})
	s.refused(err, 422, wire.Invalid, "body.settings.plain_cards")
	fruit, err := s.owner.Create(t.Context(), client.NewStudy{Name: "Fruits", Catalogue: file("fruits.csv", fruits), Settings: plain})
	s.must(err)
	_, err = s.owner.ReplaceArms(t.Context(), fruit.Study.ID, fruit.Study.Version, product(t), nil)
	s.refused(err, 422, wire.Invalid, "body.catalogue")
}
