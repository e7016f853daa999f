package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
)

// A counted store records the size of each claim.
type counted struct {
	study.Store

	claims []int
}

func (c *counted) Claim(ctx context.Context, id string, n int, now time.Time) (study.Claim, error) {
	c.claims = append(c.claims, n)
	return c.Store.Claim(ctx, id, n, now)
}

// many returns n questions, no two of which show the same arms.
func many(n int) [][]int {
	var questions [][]int
	for a := range 8 {
		for b := range a {
			for c := range b {
				questions = append(questions, []int{a, b, c})
			}
		}
	}
	return slices.Repeat(questions, n/len(questions)+1)[:n]
}

// TestClaimsFollowDemand: a slow study claims one question at a time, so that questions rest on as
// many answers as possible, and up to four while people answer. A busy one claims more and more, before
// it runs out, and fewer when demand falls.
func TestClaimsFollowDemand(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	planned(s, many(600)...)
	store := &counted{Store: s.Store}
	service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock})
	for i := range 5 {
		s.Pass(9 * time.Second)
		s.Ask(service, fmt.Sprint("slow ", i))
	}
	for i := range 11 {
		s.Pass(time.Second)
		s.Ask(service, fmt.Sprint("steady ", i))
	}
	if want := []int{1, 1, 1, 1, 1, 2, 4, 4, 4}; !slices.Equal(store.claims, want) {
		t.Errorf("a slow study claims %v, want %v", store.claims, want)
	}
	store.claims = nil
	s.Pass(40 * time.Second)
	for i := range 256 {
		s.Ask(service, fmt.Sprint("quick ", i))
	}
	if want := []int{1, 2, 4, 8, 16, 32, 64, 128, 256}; !slices.Equal(store.claims, want) {
		t.Errorf("a busy study claims %v, want %v", store.claims, want)
	}
	store.claims = nil
	for _, pause := range []time.Duration{500 * time.Millisecond, 10 * time.Second} {
		s.Pass(pause)
		for i := 0; len(store.claims) == 0 || pause > time.Second && len(store.claims) < 2; i++ {
			s.Ask(service, fmt.Sprint("late ", pause, i))
		}
	}
	// 256 questions in half a second are 128 in a quarter of a second, and 128 in ten seconds are
	// many in twelve, so 4.
	if want := []int{128, 4}; !slices.Equal(store.claims, want) {
		t.Errorf("when demand falls, the study claims %v, want %v", store.claims, want)
	}
}

// TestQuestionsDoNotLieAround: questions that were on the desk for too long are given up at once,
// not only after the lease.
func TestQuestionsDoNotLieAround(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	planned(s, many(10)...)
	service := s.Service("one")
	two := func() { // the second claims two questions, of which one is left
		s.Ask(service, "anna")
		s.Ask(service, "ben")
	}
	two()
	s.Pass(20 * time.Second)
	if lease := s.Ask(service, "cleo"); !slices.Equal(lease.Shown, many(10)[2]) || len(s.Outcomes()) > 0 {
		t.Errorf("got question %v, the log is %v", lease.Shown, s.Outcomes())
	}
	two()
	s.Pass(20*time.Second + time.Microsecond)
	if lease := s.Ask(service, "cleo"); !slices.Equal(lease.Shown, many(10)[6]) {
		t.Errorf("got question %v", lease.Shown)
	}
	if log := s.Outcomes(); len(log) != 1 || log[0].Kind != study.Lost || log[0].Position != 5 || log[0].Plan != 1 {
		t.Errorf("the log is %+v", log)
	}
}

// TestManyWait: of many respondents who wait for a question, few query the store; when there are
// questions, all are served.
func TestManyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := studytest.Begin(t, studytest.Three())
		s.SetClock(time.Now())
		store := &counted{Store: s.Store}
		service := s.ServiceOn(store, wiring.Options{Name: "one", Patience: 10 * time.Second})
		const respondents = 200
		var waiting sync.WaitGroup
		for i := range respondents {
			waiting.Go(func() {
				if _, err := service.Ask(t.Context(), id, fmt.Sprint("r", i), ""); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(2 * time.Second)
		planned(s, many(respondents)...)
		waiting.Wait()
		if claims := len(store.claims); claims > 100 {
			t.Errorf("there were %d claims", claims)
		}
	})
}

// A heldUp store lets no claim pass until a channel is closed, if it has one.
type heldUp struct {
	study.Store

	pass <-chan struct{}
}

func (h *heldUp) Claim(ctx context.Context, id string, n int, now time.Time) (study.Claim, error) {
	if h.pass != nil {
		<-h.pass
	}
	return h.Store.Claim(ctx, id, n, now)
}

// TestSlowClaim: while a respondent waits for the store to claim questions, others can answer, and
// requests that wait for the same claim end with their context.
func TestSlowClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := studytest.Begin(t, studytest.Three())
		s.SetClock(time.Now())
		planned(s, many(10)...)
		store := &heldUp{Store: s.Store}
		service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock})
		open := s.Ask(service, "anna")
		pass := make(chan struct{})
		store.pass = pass
		var waiting sync.WaitGroup
		for _, who := range []string{"ben", "cleo"} {
			waiting.Go(func() {
				if _, err := service.Ask(t.Context(), id, who, ""); err != nil {
					t.Errorf("%s: %v", who, err)
				}
			})
		}
		synctest.Wait()
		s.Must(service.Answer(t.Context(), id, open.Token, []int{0}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := service.Ask(ctx, id, "dora", ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a request whose context ends: %v", err)
		}
		close(pass)
		waiting.Wait()
	})
}

// TestClaimedInVain: if all claimed questions show withdrawn arms, more are claimed.
func TestClaimedInVain(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	planned(s, []int{0, 1, 2}, []int{1, 0, 3}, []int{0, 4, 5}, []int{3, 0, 2}, []int{7, 5, 0}, []int{1, 2, 3}, []int{0, 6, 7})
	service := s.Service("one")
	_, err := service.Withdraw(t.Context(), id, owner.Any, "a0")
	s.Must(err)
	if lease := s.Ask(service, "anna"); !slices.Equal(lease.Shown, []int{1, 2, 3}) {
		t.Errorf("got question %v", lease.Shown)
	}
	if _, err := service.Ask(t.Context(), id, "ben", ""); !errors.Is(err, study.ErrNoQuestion) {
		t.Errorf("the next respondent gets %v", err)
	}
	lost := 0
	for _, o := range s.Outcomes() {
		if o.Kind == study.Lost {
			lost++
		}
	}
	if lost != 6 {
		t.Errorf("%d questions were given up", lost)
	}
}

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
