package replay_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
)

// compacted compacts the study, and tests that all verdicts are pruned but that of the last plan.
func compacted(s *studytest.Stage) {
	s.Helper()
	s.Must(s.Store.Compact(s.Context(), id))
	plans := s.Plans()
	for i, p := range plans {
		if last := i == len(plans)-1; p.IsPruned() == last {
			s.Fatalf("plan %d of %d has the verdict %s", p.Number, len(plans), p.Verdict)
		}
	}
}

// TestCompaction: a compacted study leads to the same verdict, in its store and in another one, and has the same charts.
// An export from before verifies. A respondent can be erased.
func TestCompaction(t *testing.T) {
	for name, settings := range map[string]study.Settings{"linear": terms(), "majority": peopled()} {
		t.Run(name, func(t *testing.T) {
			s := certified(t, settings, "")
			before, verdict := s.Exported(), s.Agreed()
			looked, err := s.Service("before").Overview(t.Context(), id)
			s.Must(err)
			compacted(s)
			if diff := cmp.Diff(verdict, s.Agreed()); diff != "" {
				t.Error(diff)
			}
			later, err := s.Service("later").Overview(t.Context(), id)
			s.Must(err)
			if diff := cmp.Diff(looked.Course, later.Course); diff != "" {
				t.Error(diff)
			}
			if _, err := replay.Verify(strings.NewReader(before)); err != nil {
				t.Error(err)
			}
			after := s.Exported()
			if !strings.HasPrefix(before, `{"bestpick_study":2,`) || !strings.HasPrefix(after, `{"bestpick_study":3,`) || len(after) >= len(before) {
				t.Errorf("the export of %d bytes has %d: %.20s", len(before), len(after), after)
			}
			other := studytest.NewStore(t)
			_, err = owner.Copy(t.Context(), s.Store, other, id)
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
	compacted(s)
	log := s.Exported()
	lines := lines(log)
	body := lines[:len(lines)-1]
	last := lastOf(body)
	early := slices.IndexFunc(body, func(line string) bool { return strings.Contains(line, `"pruned":"`) })
	for name, altered := range map[string][]string{
		"another hash":     replaced(body, early, strings.Replace(body[early], `"pruned":"`, `"pruned":"0`, 1)),
		"another leader":   replaced(body, early, strings.Replace(body[early], `"leader":`, `"leader":1`, 1)),
		"a hash":           replaced(body, last, strings.Replace(body[last], `"verdict":{`, `"verdict":{"pruned":"00",`, 1)),
		"no complete one":  replaced(body, last),
		"an older version": replaced(body, 0, strings.Replace(body[0], `"bestpick_study":3`, `"bestpick_study":2`, 1)),
	} {
		if _, err := replay.Verify(strings.NewReader(signed(altered, attacker()))); !located(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
