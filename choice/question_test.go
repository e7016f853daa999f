package choice_test

import (
	"strings"
	"testing"

	"bestpick/choice"
)

func TestQuestionCheck(t *testing.T) {
	for _, c := range []struct {
		question choice.Question
		says     string
	}{
		{choice.Question{0, 1}, ""},
		{choice.Question{3, 3, 1}, ""},
		{nil, "at least two"},
		{choice.Question{2}, "at least two"},
		{choice.Question{0, 4}, "slot 1 shows arm 4"},
		{choice.Question{-1, 0}, "slot 0 shows arm -1"},
		{choice.Question{2, 2, 2}, "all 3 slots show arm 2"},
	} {
		checkSays(t, c.question, c.question.Check(4), c.says)
	}
}

func TestAnswerCheck(t *testing.T) {
	shown := choice.Question{3, 1, 0}
	for _, c := range []struct {
		answer choice.Answer
		says   string
	}{
		{choice.Answer{Question: shown, Picks: []int{1}}, ""},
		{choice.Answer{Question: shown, Picks: []int{2, 0, 1}}, ""},
		{choice.Answer{Question: choice.Question{1}, Picks: []int{0}}, "at least two"},
		{choice.Answer{Question: shown}, "at least one slot must be picked"},
		{choice.Answer{Question: shown, Picks: []int{3}}, "pick 1 is slot 3"},
		{choice.Answer{Question: shown, Picks: []int{0, -1}}, "pick 2 is slot -1"},
		{choice.Answer{Question: shown, Picks: []int{0, 1, 0}}, "slot 0 is picked twice"},
	} {
		checkSays(t, c.answer, c.answer.Check(4), c.says)
	}
}

// checkSays fails unless err is nil for "" and says the given words otherwise.
func checkSays(t *testing.T, what any, err error, says string) {
	t.Helper()
	switch {
	case says == "" && err != nil:
		t.Errorf("%v: refused: %v", what, err)
	case says != "" && err == nil:
		t.Errorf("%v: accepted, want %q", what, says)
	case says != "" && !strings.Contains(err.Error(), says):
		t.Errorf("%v: %q does not say %q", what, err, says)
	}
}
