package live_test

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/live"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
)

// TestChangesAreHeardOf: changes are visible immediately in the process that makes them, and soon
// in others.
func TestChangesAreHeardOf(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	one, two := s.Service("one"), s.Service("two")
	planner := one.Planner(id)
	s.Step(planner)
	s.Ask(one, "anna")
	s.Ask(two, "ben")
	_, err := one.SetState(t.Context(), id, owner.Any, study.Paused)
	s.Must(err)
	if _, err := one.Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("the process that paused the study asks: %v", err)
	}
	s.Pass(time.Second)
	if _, err := two.Ask(t.Context(), id, "ben", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("another process asks a second later: %v", err)
	}
}

// TestArmsWith: a caller that read the study before an arm was added gets that arm if it names it.
func TestArmsWith(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	before := s.Study()
	arms, err := service.Live.Arms(t.Context(), before) // cached from now on
	s.Must(err)
	_, err = s.Service("two").AddArms(t.Context(), id, owner.Any, s.WithArm("new", 0.4, 0.7))
	s.Must(err)
	for _, c := range []struct {
		named []int
		arms  int
	}{{nil, 8}, {[]int{-1, 7}, 8}, {[]int{0, 8}, 9}} {
		got, err := service.Live.ArmsWith(t.Context(), before, c.named...)
		s.Must(err)
		if got.Arms.Len() != c.arms {
			t.Errorf("%d arms with %v named, want %d", got.Arms.Len(), c.named, c.arms)
		}
	}
	if arms.Arms.Len() != 8 {
		t.Error("shared arms were changed")
	}
}

// id is the id of the study in most tests.
const id = studytest.ID

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// TestCards: cached cards are those of the arms, for many arms and concurrent callers. Plain cards
// have no attributes, and do not change the others.
func TestCards(t *testing.T) {
	const n = 2500
	ids, labels, rows := make([]string, n), make([]string, n), make([][]float64, n)
	for i := range n {
		ids[i], labels[i], rows[i] = "a"+strconv.Itoa(i), "arm "+strconv.Itoa(i), []float64{float64(i)}
	}
	c, err := choice.NewCatalogue(ids, []string{"price"}, rows)
	if err != nil {
		t.Fatal(err)
	}
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = float64(i) / 8
	}
	saved := &archive.Catalogue{
		Arms: c, Labels: labels,
		Attributes: []catalogue.Column{{Name: "price", Kind: catalogue.Number, Numbers: numbers}},
	}
	card := studytest.Begin(t, studytest.Three()).Service("one").Live.Cards(study.Study{ID: id}, saved)
	plain := live.RespondentCards(study.Study{Settings: study.Settings{HideAttributes: true}}, card)
	var asking sync.WaitGroup
	for step := range 4 {
		asking.Go(func() {
			for i := range 2 * n {
				arm := i * (2*step + 1) % n
				whole := saved.Card(arm)
				if diff := cmp.Diff(whole, card(arm)); diff != "" || len(whole.Attributes) != 1 {
					t.Errorf("arm %d: %s", arm, diff)
				}
				whole.Attributes = nil
				if diff := cmp.Diff(whole, plain(arm)); diff != "" {
					t.Errorf("arm %d: %s", arm, diff)
				}
			}
		})
	}
	asking.Wait()
}

// TestCardContent: respondents see the attributes that the owner shows, with names and units. Complete cards stay.
func TestCardContent(t *testing.T) {
	whole := archive.Card{
		ID: "a", Label: "Orb", Description: "round", Image: "x.png",
		Attributes: []archive.AttributeValue{{Name: "price", Value: "12"}, {Name: "cost", Value: "3"}, {Name: "size", Value: "4"}},
	}
	before := whole
	before.Attributes = append([]archive.AttributeValue(nil), whole.Attributes...)
	content := study.CardContent{
		Columns:     map[string]study.CardColumn{"price": {Name: "Price", Unit: "€"}, "cost": {Hidden: true}},
		HidePicture: true,
	}
	of := func(int) archive.Card { return whole }
	want := archive.Card{
		ID: "a", Label: "Orb", Description: "round",
		Attributes: []archive.AttributeValue{{Name: "Price", Value: "12\u00a0€"}, {Name: "size", Value: "4"}},
	}
	if diff := cmp.Diff(want, live.RespondentCards(study.Study{Page: study.Presentation{Cards: content}}, of)(0)); diff != "" {
		t.Error(diff)
	}
	content = study.CardContent{HideDescription: true}
	want = before
	want.Description, want.Attributes = "", nil
	if diff := cmp.Diff(want, live.RespondentCards(study.Study{
		Settings: study.Settings{HideAttributes: true},
		Page:     study.Presentation{Cards: content},
	}, of)(0)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, whole); diff != "" {
		t.Errorf("the complete card has changed: %s", diff)
	}
	for _, wrong := range []study.CardColumn{{Unit: strings.Repeat("m", study.MaxUnit+1)}, {Name: "a\x00"}, {Unit: "\xff"}} {
		page := study.Presentation{Cards: study.CardContent{Columns: map[string]study.CardColumn{"price": wrong}}}
		if page.Check() == nil {
			t.Errorf("%+v is accepted", wrong)
		}
	}
}
