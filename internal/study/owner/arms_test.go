package owner_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"bestpick/choice"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
)

// TestArmsComeAndGo: new arms are asked about, withdrawn arms never again, and the verdict is about
// the current arms. Replay, verification and a restored snapshot agree.
func TestArmsComeAndGo(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	s.Prefers(0.6, 0.3)
	service := s.Service("one")
	planner := service.Planner(id)
	s.Work(service, planner, 2, 10)
	best := s.Best(0, 1, 2, 3, 4, 5, 6, 7)
	_, err := service.Withdraw(t.Context(), id, owner.Any, s.Arms.ID(best))
	s.Must(err)
	changed, err := service.AddArms(t.Context(), id, owner.Any, s.WithArm("new", 0.4, 0.7))
	s.Must(err)
	if changed.Arms != 9 || !slices.Equal(changed.Withdrawn, []int{best}) {
		t.Errorf("%+v", changed)
	}
	s.Must(service.Import(t.Context(), id, "before", s.Foreign(600))) // enough for a snapshot
	asked := map[int]int{}
	for round := 0; s.Step(planner); round++ {
		if round > 200 {
			t.Fatal("the study does not end")
		}
		for i := range 10 {
			lease, err := service.Ask(t.Context(), id, fmt.Sprint("r", i), "")
			if errors.Is(err, study.ErrNoQuestion) {
				break // planned questions may show the withdrawn arm
			}
			s.Must(err)
			for _, arm := range lease.Shown {
				asked[arm]++
			}
			s.Must(service.Answer(t.Context(), id, lease.Token, s.Crowd.Pick(lease.Shown, 1)))
		}
		s.Pass(11 * time.Second)
		if round%5 == 4 {
			s.Crash()
			service = s.Service(fmt.Sprint("process ", round))
			planner = service.Planner(id)
		}
	}
	if asked[best] > 0 || asked[8] == 0 {
		t.Errorf("asked about %v, but arm %d is withdrawn and arm 8 is new", asked, best)
	}
	left := slices.DeleteFunc([]int{0, 1, 2, 3, 4, 5, 6, 7, 8}, func(arm int) bool { return arm == best })
	verdict := s.Agreed()
	if want := s.Best(left...); verdict.Leader != want || verdict.Status != "certified" {
		t.Errorf("the best of %v is %d, the verdict %+v", left, want, verdict)
	}
}

// TestWithdrawnArmsAreNotAskedAbout tests that no question shows a withdrawn arm, even if it was
// already planned, claimed, or on the desk of another process.
func TestWithdrawnArmsAreNotAskedAbout(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	one, two := s.Service("one"), s.Service("two")
	planner := one.Planner(id)
	s.Step(planner)
	out := s.Ask(two, "anna")
	for range 3 { // each claims more than it deals
		s.Ask(one, "ben")
		s.Ask(two, "cleo")
	}
	arm := out.Shown[0]
	_, err := one.Withdraw(t.Context(), id, owner.Any, s.Arms.ID(arm))
	s.Must(err)
	s.Pass(time.Second) // until the other process reads the study again
	left := 0
	for i := range 60 {
		service := []*studytest.Service{one, two}[i%2]
		lease, err := service.Ask(t.Context(), id, fmt.Sprint("r", i), "")
		if errors.Is(err, study.ErrNoQuestion) {
			break
		}
		s.Must(err)
		left++
		if slices.Contains(lease.Shown, arm) {
			t.Errorf("question %d shows %v", i, lease.Shown)
		}
	}
	plan := s.Plans()[0]
	for _, q := range plan.Questions[9:] {
		if !slices.Contains(q, arm) {
			left--
		}
	}
	if left < 0 {
		t.Errorf("%d questions without the withdrawn arm were not asked", -left)
	}
	s.Must(one.Answer(t.Context(), id, out.Token, []int{0})) // it was asked before the withdrawal
	s.Pass(11 * time.Second)
	for range 5 {
		s.Step(planner)
		s.Pass(time.Minute)
	}
	for _, p := range s.Plans()[1:] {
		for _, q := range p.Questions {
			if slices.Contains(q, arm) {
				t.Errorf("plan %d asks %v", p.Number, q)
			}
		}
	}
	if verdict := s.Agreed(); verdict.Answered != 1 {
		t.Errorf("%+v", verdict)
	}
}

// TestChangedWhileItIsCertified: an arm that is added during the plan that would end the study
// still counts.
func TestChangedWhileItIsCertified(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) { // where no slice takes too long
		store := &studytest.Faulty{Store: s.Store, Before: studytest.Once("nothing", nil)}
		service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock})
		planner := service.Planner(id)
		s.Step(planner)
		s.Must(service.Import(s.Context(), id, "enough", s.Foreign(700)))
		store.Before = studytest.Once("Append", func() error {
			_, err := s.Service("owner").AddArms(s.Context(), id, owner.Any, s.WithArm("new", 5, 5))
			return err
		})
		if activity, err := planner.Step(s.Context()); err != nil || activity != planning.Busy {
			s.Errorf("%v, %v", activity, err)
		}
		if st := s.Study(); st.State != study.Open {
			s.Fatalf("the study is %s", st.State)
		}
		for range 3 {
			s.Step(planner)
		}
		plans := s.Plans()
		if plans[1].Arms != 9 {
			s.Errorf("plan 2 has %d new arms", plans[1].Arms)
		}
		if verdict := s.Agreed(); verdict.Leader != 8 {
			s.Errorf("the leader is %d", verdict.Leader)
		}
	})
}

// TestArmsThatCannotChange: existing arms cannot change, enough arms must remain for a question,
// and some models fix the arms.
func TestArmsThatCannotChange(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	version := s.Study().Version
	rebuilt := func(ids, features []string, rows [][]float64) func(*archive.Catalogue) (*archive.Catalogue, error) {
		return func(saved *archive.Catalogue) (*archive.Catalogue, error) {
			arms, err := choice.NewCatalogue(ids, features, rows)
			return &archive.Catalogue{Encoding: saved.Encoding, Arms: arms}, err
		}
	}
	var ids []string
	var rows [][]float64
	for arm := range 8 {
		ids, rows = append(ids, s.Arms.ID(arm)), append(rows, s.Arms.Arm(arm))
	}
	features := s.Arms.Features()
	swapped, moved := slices.Clone(ids), slices.Clone(rows)
	swapped[0], swapped[1] = ids[1], ids[0]
	moved[2] = []float64{0, 0}
	unwilling := errors.New("no")
	for name, add := range map[string]func(*archive.Catalogue) (*archive.Catalogue, error){
		"fewer":          rebuilt(ids[:7], features, rows[:7]),
		"swapped":        rebuilt(append(swapped, "new"), features, append(slices.Clone(rows), []float64{1, 1})),
		"moved":          rebuilt(append(slices.Clone(ids), "new"), features, append(moved, []float64{1, 1})),
		"other features": rebuilt(append(slices.Clone(ids), "new"), []string{"p", "q"}, append(slices.Clone(rows), []float64{1, 1})),
		"unwilling":      func(*archive.Catalogue) (*archive.Catalogue, error) { return nil, unwilling },
	} {
		_, err := service.AddArms(t.Context(), id, owner.Any, add)
		if field, is := errors.AsType[*study.Error](err); is && field.Field != "arms" || !is && !errors.Is(err, unwilling) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s.Study().Version != version {
		t.Error("the study changed")
	}
	for _, arm := range []string{"a0", "a1", "a2", "a3", "a4", "a0"} {
		_, err := service.Withdraw(t.Context(), id, owner.Any, arm)
		s.Must(err)
	}
	for _, arm := range []string{"a5", "nothing"} {
		_, err := service.Withdraw(t.Context(), id, owner.Any, arm)
		if field, is := errors.AsType[*study.Error](err); !is || field.Field != "arm" {
			t.Errorf("%s: %v", arm, err)
		}
	}
	if st := s.Study(); !slices.Equal(st.Withdrawn, []int{0, 1, 2, 3, 4}) || st.Version != version+5 {
		t.Errorf("%+v", st)
	}
	s.Step(planner)
	if verdict := s.Agreed(); verdict.Leader < 5 {
		t.Errorf("%+v", verdict)
	}
}

// TestArmsOfClicks: with random clicks in the model, arms are fixed once the study is open, and
// none can be withdrawn, so that every valid draft can run.
func TestArmsOfClicks(t *testing.T) {
	s := studytest.Empty(t)
	service := s.Service("one")
	settings := studytest.Three()
	settings.Strategy.Model.Clicks = true
	s.Create(id, settings, study.Draft)
	refused := func(err error) {
		t.Helper()
		if !errors.Is(err, study.ErrInvalid) {
			t.Errorf("the change is not refused: %v", err)
		}
	}
	_, err := service.Withdraw(t.Context(), id, owner.Any, "a0")
	refused(err)
	_, err = service.AddArms(t.Context(), id, owner.Any, s.WithArm("new", 1, 1))
	s.Must(err)
	_, err = service.SetState(t.Context(), id, owner.Any, study.Open)
	s.Must(err)
	_, err = service.AddArms(t.Context(), id, owner.Any, s.WithArm("newer", 1, 1))
	refused(err)
	_, err = service.Withdraw(t.Context(), id, owner.Any, "a0")
	refused(err)
	s.Step(service.Planner(id))

	s.Create("plain", studytest.Three(), study.Draft)
	_, err = service.Withdraw(t.Context(), "plain", owner.Any, "a0")
	s.Must(err)
	_, err = service.Change(t.Context(), "plain", owner.Any,
		func(st *study.Study) error { st.Settings.Strategy.Model.Clicks = true; return nil })
	refused(err)
	_, err = service.SetArms(t.Context(), "plain", owner.Any, s.Saved) // restores all arms
	s.Must(err)
	_, err = service.Change(t.Context(), "plain", owner.Any,
		func(st *study.Study) error { st.Settings.Strategy.Model.Clicks = true; return nil })
	s.Must(err)
}

// TestDraftWithdrawn: arms that are withdrawn from a draft are never asked about.
func TestDraftWithdrawn(t *testing.T) {
	s := studytest.Empty(t)
	s.Create(id, studytest.Three(), study.Draft)
	service := s.Service("one")
	planner := service.Planner(id)
	if activity, err := planner.Step(t.Context()); err != nil || activity != planning.Idle {
		t.Errorf("a draft is planned: %v, %v", activity, err)
	}
	_, err := service.Withdraw(t.Context(), id, owner.Any, "a7")
	s.Must(err)
	_, err = service.SetState(t.Context(), id, owner.Any, study.Open)
	s.Must(err)
	s.Work(service, planner, 3, 10)
	for _, o := range s.Outcomes() {
		if slices.Contains(o.Shown, 7) {
			t.Errorf("asked %v", o.Shown)
		}
	}
	if plan := s.Plans()[0]; plan.Arms != 8 || !slices.Equal(plan.Withdrawn, []int{7}) {
		t.Errorf("the first plan has %d arms, without %v", plan.Arms, plan.Withdrawn)
	}
	s.Agreed()
}
