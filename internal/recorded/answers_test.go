package recorded_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/choice"
	"bestpick/internal/recorded"
	"bestpick/internal/testsupport"
)

// TestAnswers: equal rows are one arm, slots are the order of the file, ranks the order of the
// picks, and a task whose alternatives are alike is left out.
func TestAnswers(t *testing.T) {
	const file = `task,who,rank,x,y
1,ann,2,1,0
1,ann,1,0,1
1,ann,,3,3
2,bob,,-0,1
2,bob,1,1,0
3,bob,1,3,3
3,bob,,3,3
`
	choices, err := recorded.ReadLong(strings.NewReader(file), "file", recorded.LongForm{
		Task: "task", Rank: "rank", Respondent: "who", Features: []string{"x", "y"}, Answers: true,
	})
	testsupport.NoError(t, err)
	want := []choice.Answer{
		{Question: choice.Question{0, 1, 2}, Picks: []int{1, 0}, Respondent: "ann"},
		{Question: choice.Question{1, 0}, Picks: []int{1}, Respondent: "bob"},
	}
	if diff := cmp.Diff(want, choices.Answers.Answers); diff != "" {
		t.Error(diff)
	}
	c := choices.Answers.Catalogue
	if c.Len() != 3 || c.Arm(2)[1] != 3 || c.ID(2) != "alternative 3 (x=3 y=3)" {
		t.Errorf("%d arms, %q %v", c.Len(), c.ID(2), c.Arm(2))
	}
}
