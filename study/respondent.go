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

	ErrNotAnswered = errors.New("study: the question is not answered, so there is nothing to take back")
)

// A Lease is a question that is somebody's to answer.
type Lease struct {
	Study   Study
	Token   string
	Shown   []int // arms, in the order on the screen
	Picks   int   // how many to pick, best first
	Expires time.Time
	Done    int // questions that the respondent has answered or skipped before, where there is a limit
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
	if err := study.Settings.Strategy.Model.CheckSegment(segment); err != nil {
		return Lease{}, &FieldError{"segment", err.Error()}
	}
	history, err := s.history(ctx, study, respondent)
	if err != nil {
		return Lease{}, err
	}
	if each := study.Settings.Each; each > 0 && history.Questions >= each {
		return Lease{}, ErrEnough
	}
	dealt, err := s.deal(ctx, study, respondent, history)
	if err != nil {
		return Lease{}, err
	}
	now := s.clock()
	t := ticket{
		Study: id, Position: dealt.position, Plan: dealt.plan, Shown: dealt.question,
		Respondent: respondent, Segment: segment, Asked: now,
	}
	return Lease{
		Study: study, Token: t.sign(s.secret), Shown: dealt.question, Picks: study.picks(len(dealt.question)),
		Expires: now.Add(study.Settings.Lease), Done: history.Questions,
	}, nil
}

// history returns what a respondent has done, where that matters: if nobody is asked more than so many
// questions, or if this process does not remember them.
func (s *Service) history(ctx context.Context, study Study, respondent string) (History, error) {
	if study.Settings.Each == 0 && s.desk(study.ID).remembers(respondent) {
		return History{}, nil
	}
	return s.store.Respondent(ctx, study.ID, respondent)
}

// deal takes a question from the desk, and waits a while for one if there is none.
func (s *Service) deal(ctx context.Context, study Study, respondent string, history History) (card, error) {
	last := ""
	if history.Last != nil {
		last = setOf(history.Last)
	}
	patience := time.NewTimer(s.patience)
	defer patience.Stop()
	for {
		planned := s.news.wait(study.ID)
		dealt, err := s.desk(study.ID).deal(ctx, s, study, respondent, last)
		if !errors.Is(err, ErrNone) || s.patience == 0 {
			return dealt, err
		}
		again := time.NewTimer(impatience)
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-patience.C:
		case <-planned:
			again.Stop()
			continue
		case <-again.C: // another process may plan
			continue
		}
		again.Stop()
		return card{}, err
	}
}

// impatience is how often a respondent who waits looks whether another process has planned.
const impatience = 100 * time.Millisecond

// picks returns how many of the arms shown are to be picked.
func (s Study) picks(shown int) int { return min(s.Settings.Picks, shown-1) }
