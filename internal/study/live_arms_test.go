package study_test

import (
	"testing"

	"bestpick/internal/study/owner"
)

// TestArmsWith: a caller that read the study before an arm was added gets that arm if it names it.
func TestArmsWith(t *testing.T) {
	s := begin(t, three())
	service := s.service("one")
	before := s.study()
	arms, err := service.Live.Arms(t.Context(), before) // cached from now on
	s.must(err)
	_, err = s.service("two").AddArms(t.Context(), id, owner.Any, s.with("new", 0.4, 0.7))
	s.must(err)
	for _, c := range []struct {
		named []int
		arms  int
	}{{nil, 8}, {[]int{-1, 7}, 8}, {[]int{0, 8}, 9}} {
		got, err := service.Live.ArmsWith(t.Context(), before, c.named...)
		s.must(err)
		if got.Arms.Len() != c.arms {
			t.Errorf("%d arms with %v named, want %d", got.Arms.Len(), c.named, c.arms)
		}
	}
	if arms.Arms.Len() != 8 {
		t.Error("shared arms were changed")
	}
}
