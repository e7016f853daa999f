package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
)

// A stocked store records for each claim how many questions were left on the desk.
type stocked struct {
	counted

	asked int // questions served so far, including the current one
	left  []int
}

func (s *stocked) Claim(ctx context.Context, id string, n int, now time.Time) (study.Claim, error) {
	left := -s.asked
	for _, claimed := range s.claims {
		left += claimed
	}
	s.left = append(s.left, left)
	return s.counted.Claim(ctx, id, n, now)
}

// TestStock: a busy desk claims when half of its last claim is left, and never more than 512
// questions, for any number of concurrent respondents.
func TestStock(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	planned(s, many(2500)...)
	store := &stocked{counted: counted{Store: s.Store}}
	service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock})
	for store.asked < 1200 {
		store.asked++
		s.Ask(service, fmt.Sprint("r", store.asked))
	}
	if want := []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 512}; !slices.Equal(store.claims, want) {
		t.Errorf("the desk claims %v, want %v", store.claims, want)
	}
	for i, left := range store.left[5:] {
		if before := store.claims[4+i]; left != before/2 {
			t.Errorf("%d of %d questions are left at the next claim", left, before)
		}
	}
}

// An interrupted store calls a function between a claim and its reply.
type interrupted struct {
	study.Store

	happen func(claimed int)
}

func (i *interrupted) Claim(ctx context.Context, id string, n int, now time.Time) (study.Claim, error) {
	claim, err := i.Store.Claim(ctx, id, n, now)
	i.happen(len(claim.Questions))
	return claim, err
}

// TestStockWhileErasing: questions that were claimed before an erasure, and arrive on the desk
// after it, are not asked: their answers would be refused.
func TestStockWhileErasing(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	planned(s, many(200)...)
	store := &interrupted{Store: s.Store, happen: func(int) {}}
	service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock})
	s.Answer(service, "gone")
	erased := false
	store.happen = func(claimed int) {
		if !erased && claimed == 16 { // by the restock of one respondent, while others continue
			erased = true
			s.Erase(service, "gone")
			s.Answer(service, "meanwhile")
		}
	}
	for i := 0; !erased; i++ {
		lease := s.Ask(service, fmt.Sprint("before ", i))
		if erased {
			s.Refused(service, lease) // the question was open
		}
	}
	for i := 0; ; i++ {
		lease, err := service.Ask(t.Context(), id, fmt.Sprint("after ", i), "")
		if errors.Is(err, study.ErrNoQuestion) {
			break
		}
		s.Must(err)
		s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	}
}
