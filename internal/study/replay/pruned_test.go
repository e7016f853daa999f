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

// TestPruned: all verdicts are pruned but that of the last plan and of plans that end a study. The study leads to the
// same verdict in its store and in another one, and a respondent can be erased.
func TestPruned(t *testing.T) {
	for name, settings := range map[string]study.Settings{"linear": terms(), "majority": peopled()} {
		t.Run(name, func(t *testing.T) {
			s := certified(t, settings, "")
			verdict, plans := s.Agreed(), s.Plans()
			for i, p := range plans {
				if complete := i == len(plans)-1 || p.Done != ""; p.IsPruned() == complete {
					t.Errorf("plan %d of %d has the verdict %s", p.Number, len(plans), p.Verdict)
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
	early := slices.IndexFunc(body, func(line string) bool { return strings.Contains(line, `"pruned":"`) })
	for name, altered := range map[string][]string{
		"another hash":    replaced(body, early, strings.Replace(body[early], `"pruned":"`, `"pruned":"0`, 1)),
		"more answers":    replaced(body, early, strings.Replace(body[early], `"answered":`, `"answered":1`, 1)),
		"a hash":          replaced(body, last, strings.Replace(body[last], `"verdict":{`, `"verdict":{"pruned":"00",`, 1)),
		"no complete one": replaced(body, last),
	} {
		if _, err := replay.Verify(strings.NewReader(signed(altered, attacker()))); !located(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
