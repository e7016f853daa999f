package study_test

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
	"bestpick/internal/study/wiring"
)

// TestArmsComeAndGo: new arms are asked about, withdrawn arms never again, and the verdict is about
// the current arms. Replay, verification and a restored snapshot agree.
func TestArmsComeAndGo(t *testing.T) {
	s := begin(t, three())
	s.prefers(0.6, 0.3)
	service := s.service("one")
	planner := service.Planner(id)
	s.run(service, planner, 2, 10)
	best := s.best(0, 1, 2, 3, 4, 5, 6, 7)
	_, err := service.Withdraw(t.Context(), id, owner.Any, s.arms.ID(best))
	s.must(err)
	changed, err := service.AddArms(t.Context(), id, owner.Any, s.with("new", 0.4, 0.7))
	s.must(err)
	if changed.Arms != 9 || !slices.Equal(changed.Withdrawn, []int{best}) {
		t.Errorf("%+v", changed)
	}
	s.must(service.Import(t.Context(), id, "before", s.foreign(600))) // enough for a snapshot
	asked := map[int]int{}
	for round := 0; s.step(planner); round++ {
		if round > 200 {
			t.Fatal("the study does not end")
		}
		for i := range 10 {
			lease, err := service.Ask(t.Context(), id, fmt.Sprint("r", i), "")
			if errors.Is(err, study.ErrNoQuestion) {
				break // planned questions may show the withdrawn arm
			}
			s.must(err)
			for _, arm := range lease.Shown {
				asked[arm]++
			}
			s.must(service.Answer(t.Context(), id, lease.Token, s.crowd.Pick(lease.Shown, 1)))
		}
		s.pass(11 * time.Second)
		if round%5 == 4 {
			s.crash()
			service = s.service(fmt.Sprint("process ", round))
			planner = service.Planner(id)
		}
	}
	if asked[best] > 0 || asked[8] == 0 {
		t.Errorf("asked about %v, but arm %d is withdrawn and arm 8 is new", asked, best)
	}
	left := slices.DeleteFunc([]int{0, 1, 2, 3, 4, 5, 6, 7, 8}, func(arm int) bool { return arm == best })
	verdict := s.agreed()
	if want := s.best(left...); verdict.Leader != want || verdict.Status != "certified" {
		t.Errorf("the best of %v is %d, the verdict %+v", left, want, verdict)
	}
}

// TestWithdrawnArmsAreNotAskedAbout tests that no question shows a withdrawn arm, even if it was
// already planned, claimed, or on the desk of another process.
func TestWithdrawnArmsAreNotAskedAbout(t *testing.T) {
	s := begin(t, three())
	one, two := s.service("one"), s.service("two")
	planner := one.Planner(id)
	s.step(planner)
	out := s.ask(two, "anna")
	for range 3 { // each claims more than it deals
		s.ask(one, "ben")
		s.ask(two, "cleo")
	}
	arm := out.Shown[0]
	_, err := one.Withdraw(t.Context(), id, owner.Any, s.arms.ID(arm))
	s.must(err)
	s.pass(time.Second) // until the other process reads the study again
	left := 0
	for i := range 60 {
		service := []*instance{one, two}[i%2]
		lease, err := service.Ask(t.Context(), id, fmt.Sprint("r", i), "")
		if errors.Is(err, study.ErrNoQuestion) {
			break
		}
		s.must(err)
		left++
		if slices.Contains(lease.Shown, arm) {
			t.Errorf("question %d shows %v", i, lease.Shown)
		}
	}
	plan := s.plans()[0]
	for _, q := range plan.Questions[9:] {
		if !slices.Contains(q, arm) {
			left--
		}
	}
	if left < 0 {
		t.Errorf("%d questions without the withdrawn arm were not asked", -left)
	}
	s.must(one.Answer(t.Context(), id, out.Token, []int{0})) // it was asked before the withdrawal
	s.pass(11 * time.Second)
	for range 5 {
		s.step(planner)
		s.pass(time.Minute)
	}
	for _, p := range s.plans()[1:] {
		for _, q := range p.Questions {
			if slices.Contains(q, arm) {
				t.Errorf("plan %d asks %v", p.Number, q)
			}
		}
	}
	if verdict := s.agreed(); verdict.Answered != 1 {
		t.Errorf("%+v", verdict)
	}
}

// TestChangedWhileItIsCertified: an arm that is added during the plan that would end the study
// still counts.
func TestChangedWhileItIsCertified(t *testing.T) {
	s := begin(t, three())
	store := &faulty{Store: s.store, before: once("nothing", nil)}
	service := s.serviceOn(store, wiring.Options{Name: "one", Clock: s.clock})
	planner := service.Planner(id)
	s.step(planner)
	s.must(service.Import(t.Context(), id, "enough", s.foreign(700)))
	store.before = once("Append", func() error {
		_, err := s.service("owner").AddArms(t.Context(), id, owner.Any, s.with("new", 5, 5))
		return err
	})
	if activity, err := planner.Step(t.Context()); err != nil || activity != planning.Busy {
		t.Errorf("%v, %v", activity, err)
	}
	if st := s.study(); st.State != study.Open {
		t.Fatalf("the study is %s", st.State)
	}
	for range 3 {
		s.step(planner)
	}
	plans := s.plans()
	if plans[1].Arms != 9 {
		t.Errorf("plan 2 has %d new arms", plans[1].Arms)
	}
	if verdict := s.agreed(); verdict.Leader != 8 {
		t.Errorf("the leader is %d", verdict.Leader)
	}
}

// TestArmsThatCannotChange: existing arms cannot change, enough arms must remain for a question,
// and some models fix the arms.
func TestArmsThatCannotChange(t *testing.T) {
	s := begin(t, three())
	service := s.service("one")
	planner := service.Planner(id)
	s.step(planner)
	version := s.study().Version
	rebuilt := func(ids, features []string, rows [][]float64) func(*archive.Catalogue) (*archive.Catalogue, error) {
		return func(saved *archive.Catalogue) (*archive.Catalogue, error) {
			arms, err := choice.NewCatalogue(ids, features, rows)
			return &archive.Catalogue{Encoding: saved.Encoding, Arms: arms}, err
		}
	}
	var ids []string
	var rows [][]float64
	for arm := range 8 {
		ids, rows = append(ids, s.arms.ID(arm)), append(rows, s.arms.Arm(arm))
	}
	features := s.arms.Features()
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
	if s.study().Version != version {
		t.Error("the study changed")
	}
	for _, arm := range []string{"a0", "a1", "a2", "a3", "a4", "a0"} {
		_, err := service.Withdraw(t.Context(), id, owner.Any, arm)
		s.must(err)
	}
	for _, arm := range []string{"a5", "nothing"} {
		_, err := service.Withdraw(t.Context(), id, owner.Any, arm)
		if field, is := errors.AsType[*study.Error](err); !is || field.Field != "arm" {
			t.Errorf("%s: %v", arm, err)
		}
	}
	if st := s.study(); !slices.Equal(st.Withdrawn, []int{0, 1, 2, 3, 4}) || st.Version != version+5 {
		t.Errorf("%+v", st)
	}
	s.step(planner)
	if verdict := s.agreed(); verdict.Leader < 5 {
		t.Errorf("%+v", verdict)
	}
}

// TestArmsOfClicks: with random clicks in the model, arms are fixed once the study is open, and
// none can be withdrawn, so that every valid draft can run.
func TestArmsOfClicks(t *testing.T) {
	s := empty(t)
	service := s.service("one")
	settings := three()
	settings.Strategy.Model.Clicks = true
	s.create(id, settings, study.Draft)
	refused := func(err error) {
		t.Helper()
		if !errors.Is(err, study.ErrInvalid) {
			t.Errorf("the change is not refused: %v", err)
		}
	}
	_, err := service.Withdraw(t.Context(), id, owner.Any, "a0")
	refused(err)
	_, err = service.AddArms(t.Context(), id, owner.Any, s.with("new", 1, 1))
	s.must(err)
	_, err = service.SetState(t.Context(), id, owner.Any, study.Open)
	s.must(err)
	_, err = service.AddArms(t.Context(), id, owner.Any, s.with("newer", 1, 1))
	refused(err)
	_, err = service.Withdraw(t.Context(), id, owner.Any, "a0")
	refused(err)
	s.step(service.Planner(id))

	s.create("plain", three(), study.Draft)
	_, err = service.Withdraw(t.Context(), "plain", owner.Any, "a0")
	s.must(err)
	_, err = service.Change(t.Context(), "plain", owner.Any, func(st *study.Study) error { st.Settings.Strategy.Model.Clicks = true; return nil })
	refused(err)
	_, err = service.SetArms(t.Context(), "plain", owner.Any, s.saved) // restores all arms
	s.must(err)
	_, err = service.Change(t.Context(), "plain", owner.Any, func(st *study.Study) error { st.Settings.Strategy.Model.Clicks = true; return nil })
	s.must(err)
}

// TestDraftWithdrawn: arms that are withdrawn from a draft are never asked about.
func TestDraftWithdrawn(t *testing.T) {
	s := empty(t)
	s.create(id, three(), study.Draft)
	service := s.service("one")
	planner := service.Planner(id)
	if activity, err := planner.Step(t.Context()); err != nil || activity != planning.Idle {
		t.Errorf("a draft is planned: %v, %v", activity, err)
	}
	_, err := service.Withdraw(t.Context(), id, owner.Any, "a7")
	s.must(err)
	_, err = service.SetState(t.Context(), id, owner.Any, study.Open)
	s.must(err)
	s.run(service, planner, 3, 10)
	for _, o := range s.log() {
		if slices.Contains(o.Shown, 7) {
			t.Errorf("asked %v", o.Shown)
		}
	}
	if plan := s.plans()[0]; plan.Arms != 8 || !slices.Equal(plan.Withdrawn, []int{7}) {
		t.Errorf("the first plan has %d arms, without %v", plan.Arms, plan.Withdrawn)
	}
	s.agreed()
}
