package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
)

// TestExportWhileArmsCome: an export that starts before arms are added verifies, with any plans
// written meanwhile, and so does a replay.
func TestExportWhileArmsCome(t *testing.T) {
	for name, read := range map[string]func(*testing.T, study.Store) error{
		"export": func(t *testing.T, store study.Store) error {
			t.Helper()
			var export bytes.Buffer
			if err := replay.Export(t.Context(), store, id, &export); err != nil {
				return err
			}
			_, err := replay.Verify(&export)
			return err
		},
		"replay": func(t *testing.T, store study.Store) error {
			t.Helper()
			_, err := replay.Replay(t.Context(), store, id)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := studytest.Begin(t, studytest.Three())
			service := s.Service("one")
			planner := service.Planner(id)
			s.Work(service, planner, 2, 5)
			store := &laterStore{Store: s.Store, then: func() {
				_, err := service.AddArms(t.Context(), id, owner.Any, s.WithArm("new", 0.5, 0.5))
				s.Must(err)
				s.Work(service, planner, 2, 5)
			}}
			s.Must(read(t, store))
			s.Must(read(t, s.Store))
		})
	}
}

// id is the id of the study in most tests.
const id = studytest.ID

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// TestAlteredRestart: an export after an erasure verifies like others. The fields that say that the
// study restarted cannot be altered, and no answer passes for an erased one.
func TestAlteredRestart(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Work(service, planner, 3, 5)
	s.Erase(service, "r1")
	s.Pass(time.Second)
	s.Work(service, planner, 1, 5)
	var text bytes.Buffer
	s.Must(replay.Export(t.Context(), s.Store, id, &text))
	export, plan, log := text.String(), s.Plans()[0], s.Outcomes()
	if report, err := replay.Verify(strings.NewReader(export)); err != nil || report.Plans != len(s.Plans()) ||
		report.Verdict.Answered != 17 {
		t.Fatalf("%+v, %v", report, err)
	}
	answer := log[0]
	begun := fmt.Sprintf(`"afresh":{"arms":8,"seed":%d}`, plan.Restart.Seed)
	for name, c := range map[string]struct{ old, new string }{
		"no plan before":      {begun + ",", ""},
		"more arms at first":  {begun, strings.Replace(begun, "8", "9", 1)},
		"fewer arms at first": {begun, strings.Replace(begun, "8", "7", 1)},
		"another seed":        {begun, `"afresh":{"arms":8,"seed":1}`},
		"another position":    {fmt.Sprintf(`"first":%d`, plan.First), fmt.Sprintf(`"first":%d`, plan.First+1)},
		"another number":      {fmt.Sprintf(`"plan":{"number":%d`, plan.Number), fmt.Sprintf(`"plan":{"number":%d`, plan.Number+1)},
		"afresh in the middle": {
			fmt.Sprintf(`"plan":{"number":%d`, plan.Number+1),
			fmt.Sprintf(`"plan":{"number":%d,%s`, plan.Number+1, begun),
		},
		"an answer less": {
			fmt.Sprintf(`"number":%d,"position":%d,"kind":"answered"`, answer.Number, answer.Position),
			fmt.Sprintf(`"number":%d,"position":%d,"kind":"erased"`, answer.Number, answer.Position),
		},
	} {
		altered := strings.Replace(export, c.old, c.new, 1)
		_, err := replay.Verify(strings.NewReader(altered))
		if _, wrong := errors.AsType[*replay.ExportError](err); !wrong || altered == export {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPruned: all verdicts are pruned but that of the last plan and of plans that end a study, and have the digest
// of the settings only where it is another one. The study leads to the same verdict in its store and in another one, and a
// respondent can be erased.
func TestPruned(t *testing.T) {
	for name, settings := range map[string]study.Settings{"linear": terms(), "majority": peopled()} {
		t.Run(name, func(t *testing.T) {
			s := certified(t, settings, "")
			verdict, plans, digest := s.Agreed(), s.Plans(), ""
			for i, p := range plans {
				if complete := i == len(plans)-1 || p.Done != ""; p.IsPruned() == complete {
					t.Errorf("plan %d of %d has the verdict %s", p.Number, len(plans), p.Verdict)
				}
				var v study.Verdict
				s.Must(json.Unmarshal(p.Verdict, &v))
				if p.IsPruned() && v.Settings == digest {
					t.Errorf("plan %d has the digest %q of the settings again", p.Number, digest)
				}
				if v.Settings != "" {
					digest = v.Settings
				}
			}
			other := studytest.NewStore(t)
			_, err := owner.Copy(t.Context(), s.Store, other, id)
			s.Must(err)
			replayed, err := replay.Replay(t.Context(), other, id)
			s.Must(err)
			if diff := cmp.Diff(verdict, replayed); diff != "" {
				t.Error(diff)
			}
			s.Erase(s.Service("one"), "anna")
			s.Agreed()
		})
	}
}

// TestPrunedVerdicts: a replay notices a pruned verdict that is not that of the complete one.
func TestPrunedVerdicts(t *testing.T) {
	s := certified(t, terms(), "")
	log := s.Exported()
	lines := lines(log)
	body := lines[:len(lines)-1]
	last := lastOf(body)
	early := slices.IndexFunc(body, func(line string) bool { return strings.Contains(line, `"hash":"`) })
	for name, altered := range map[string][]string{
		"another hash":    replaced(body, early, strings.Replace(body[early], `"hash":"`, `"hash":"0`, 1)),
		"more answers":    replaced(body, early, strings.Replace(body[early], `"answered":`, `"answered":1`, 1)),
		"a hash":          replaced(body, last, strings.Replace(body[last], `"verdict":{`, `"verdict":{"hash":"00",`, 1)),
		"no complete one": replaced(body, last),
	} {
		if _, err := replay.Verify(strings.NewReader(signed(altered, attacker()))); !located(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReports: when a budget is spent, or the owner stops a study, the verdict has the smallest certified ε
// and a leaderboard that counts all answers. Replay, after a restart too, and a verified export agree.
func TestReports(t *testing.T) {
	for _, reason := range []study.Reason{study.Spent, study.Stopped} {
		t.Run(string(reason), func(t *testing.T) {
			settings := studytest.Three()
			if reason == study.Spent {
				settings.Budget = 40
			}
			s := studytest.Begin(t, settings)
			s.Prefers(0.6, 0.3)
			service := s.Service("one")
			s.Work(service, service.Planner(id), 4, 8)
			if v := s.Agreed(); v.Leaderboard == nil || v.Leaderboard.Answers < 10 || v.CertifiedEpsilon != nil {
				t.Errorf("before the end: %+v", v)
			}
			s.Crash()
			s.Pass(6 * time.Minute) // claims of the process that crashed expire
			service = s.Service("two")
			planner := service.Planner(id)
			s.Work(service, planner, 1, 8)
			if reason == study.Stopped {
				_, err := service.SetState(t.Context(), id, owner.Any, study.Done)
				s.Must(err)
			}
			s.Pass(time.Minute)
			s.Finish(planner)
			v := s.Agreed()
			if st := s.Study(); st.Reason != reason || v.Status != "asking" || v.Answered != 40 {
				t.Fatalf("the study is %s, %s, %s after %d answers", st.State, st.Reason, v.Status, v.Answered)
			}
			if v.CertifiedEpsilon == nil || !(*v.CertifiedEpsilon > 0) {
				t.Errorf("ε %v", v.CertifiedEpsilon)
			}
			if b := v.Leaderboard; b == nil || b.Answers != 40 || len(b.Ranks) != 8 {
				t.Errorf("the leaderboard is %+v", b)
			}
		})
	}
}

// TestStudyOfTop: a study of the two best arms ends with them, and counts only other arms as rivals.
func TestStudyOfTop(t *testing.T) {
	settings := studytest.Three()
	settings.Strategy.Top, settings.Strategy.Epsilon = 2, 0.5
	s := studytest.Begin(t, settings)
	service := s.Service("one")
	planner := service.Planner(id)
	for round := 0; s.Step(planner) && round < 100; round++ {
		for i := range 8 {
			lease, err := service.Ask(t.Context(), id, fmt.Sprint("r", i), "")
			if err != nil {
				break
			}
			s.Must(service.Answer(t.Context(), id, lease.Token, s.Crowd.Pick(lease.Shown, lease.Picks())))
		}
		s.Pass(11 * time.Second)
	}
	v := s.Agreed()
	if v.Status != "certified" || len(v.Top) != 2 {
		t.Fatalf("%+v", v)
	}
	for arm := range s.Arms.Len() {
		for _, best := range v.Top {
			if !slices.Contains(v.Top, arm) && s.Arms.Utility(arm, s.Theta) > s.Arms.Utility(best, s.Theta)+0.5 {
				t.Errorf("arm %d is better than one of %v", arm, v.Top)
			}
		}
	}
	progress, err := service.Progress(t.Context(), id)
	s.Must(err)
	if e := progress.Elimination(s.Arms); e.Rivals != 0 || e.Eliminated > 6 {
		t.Errorf("%+v", e)
	}
}

// A laterStore calls a function after its catalogue was read.
type laterStore struct {
	study.Store

	then func()
}

func (l *laterStore) Catalogue(ctx context.Context, id string) ([]byte, error) {
	saved, err := l.Store.Catalogue(ctx, id)
	l.then()
	return saved, err
}
