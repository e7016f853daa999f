package study

import (
	"context"
	"errors"
	"time"
)

// What respondents may hear.
var (
	ErrNotOpen  = errors.New("study: it is not open")
	ErrNone     = errors.New("study: there is no question at the moment")
	ErrEnough   = errors.New("study: this respondent has answered enough")
	ErrConflict = errors.New("study: the question was answered in another way")
	ErrReplaced = errors.New("study: the time to answer is over, and the question is somebody else's")
	ErrTooLate  = errors.New("study: the answer counts already and cannot be taken back")
)

// A PicksError says what is wrong with an answer.
type PicksError struct{ Problem string }

func (e *PicksError) Error() string { return "study: " + e.Problem }

// A Lease is a question that is somebody's to answer.
type Lease struct {
	Token   string
	Shown   []int // arms, in the order on the screen
	Picks   int   // how many to pick, best first
	Expires time.Time
}

// Ask deals the next question to a respondent. No two respondents are asked the same question of
// the deck, and nobody is shown the same arms twice in a row if there is another question. The
// order on the screen is the strategy's, which is random and goes to the log with the answer.
func (s *Service) Ask(ctx context.Context, id, respondent, segment string) (Lease, error) {
	study, err := s.store.Study(ctx, id)
	if err != nil {
		return Lease{}, err
	}
	if study.State != Open {
		return Lease{}, ErrNotOpen
	}
	position, shown, err := s.desk(id).deal(ctx, s, id, respondent)
	if err != nil {
		return Lease{}, err
	}
	now := s.clock()
	t := ticket{Study: id, Position: position, Shown: shown, Respondent: respondent, Segment: segment, Asked: now}
	return Lease{t.sign(s.secret), shown, min(study.Settings.Picks, len(shown)-1), now.Add(study.Settings.Lease)}, nil
}
