package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Answer records the picks of a question durably: slots in the order on the screen, best first. It is
// idempotent; a different answer to the same question returns ErrConflict. A question that expired and
// was replaced returns ErrReplaced. A respondent with Settings.Each standing questions gets ErrEnough.
func (s *Service) Answer(ctx context.Context, id, token string, picks []int) error {
	t, study, err := s.redeem(ctx, id, token)
	if err != nil {
		return err
	}
	if err := checkPicks(picks, len(t.Shown), study.picks(len(t.Shown))); err != nil {
		return err
	}
	return s.settle(ctx, t, study, Answered, picks)
}

// Skip records that the respondent cannot decide. Another respondent is asked the question again. It
// returns the errors of [Service.Answer].
func (s *Service) Skip(ctx context.Context, id, token string) error {
	t, study, err := s.redeem(ctx, id, token)
	if err != nil {
		return err
	}
	return s.settle(ctx, t, study, Skipped, nil)
}

// Undo takes an answer back, as long as no plan has counted it. That frees one of Settings.Each.
func (s *Service) Undo(ctx context.Context, id, token string) error {
	t, _, err := s.redeem(ctx, id, token)
	if err != nil {
		return err
	}
	outcome := t.outcome(Undone, nil)
	outcome.At = s.clock()
	refused, err := s.store.Record(ctx, t.Study, NoLimit, outcome)
	if err != nil {
		return err
	}
	if refused[0] == nil {
		s.observer.Recorded(Undone)
		if t.Respondent != "" {
			s.atDesk(t.Study, func(d *desk) { d.reopen(t) })
		}
		return nil
	}
	before, err := s.store.At(ctx, t.Study, t.Position)
	switch {
	case errors.Is(err, ErrNotFound) || err == nil && before.Kind != Answered && before.Kind != Undone:
		return ErrNotAnswered
	case err != nil || before.Kind == Undone:
		return err
	}
	return ErrTooLate
}

// An Asked is what a token says: who was asked, by the hash of their key if they are a member of a
// panel, and which arms they were shown, in the order on the screen.
type Asked struct {
	Respondent, Key string
	Shown           []int
}

// Asked returns what a token of a study says.
func (s *Service) Asked(id, token string) (Asked, error) {
	t, err := open(token, s.secret)
	if err != nil || t.Study != id {
		return Asked{}, ErrToken
	}
	return Asked{t.Respondent, t.Key, t.Shown}, nil
}

// redeem returns what a token says and the study it is of, if whoever was asked may answer.
func (s *Service) redeem(ctx context.Context, id, token string) (ticket, Study, error) {
	study, err := s.Lately(ctx, id)
	if err != nil {
		return ticket{}, study, err
	}
	t, err := open(token, s.secret)
	if err == nil && t.Study != id {
		err = ErrToken
	}
	if err == nil {
		err = s.mayAnswer(ctx, study, t)
	}
	return t, study, err
}

// mayAnswer returns an error unless whoever was asked might be asked now: somebody who is no longer a
// member of the panel, or has another key, does not answer what they were asked before.
func (s *Service) mayAnswer(ctx context.Context, study Study, t ticket) error {
	if t.Key != "" {
		_, err := s.member(ctx, study, t.Key)
		return err
	}
	if study.Panel {
		return ErrPanel
	}
	return nil
}

func (t ticket) outcome(kind Kind, picks []int) Outcome {
	return Outcome{
		Position: t.Position, Kind: kind, Plan: t.Plan, Shown: t.Shown, Picks: picks, Respondent: t.Respondent, Segment: t.Segment, Asked: t.Asked,
	}
}

// settle records an outcome. It returns ErrEnough if the respondent has answered or skipped as many
// questions as Settings.Each allows.
func (s *Service) settle(ctx context.Context, t ticket, study Study, kind Kind, picks []int) error {
	if study.State == Done {
		return s.explain(ctx, t, kind, picks, study.notOpen())
	}
	outcome := t.outcome(kind, picks)
	outcome.At = s.clock()
	refused, err := s.store.Record(ctx, t.Study, study.Settings.Each, outcome)
	if err != nil {
		return err
	}
	if !errors.Is(refused[0], ErrEnough) {
		s.atDesk(t.Study, func(d *desk) { d.settled(t.Respondent, t.Position) })
	}
	if errors.Is(refused[0], ErrTaken) {
		return s.explain(ctx, t, kind, picks, ErrConflict)
	}
	if refused[0] == nil {
		s.observer.Recorded(kind)
		s.work.ring(t.Study)
	}
	return refused[0]
}

// explain returns nil where the outcome is there already, and otherwise why it is refused.
func (s *Service) explain(ctx context.Context, t ticket, kind Kind, picks []int, otherwise error) error {
	before, err := s.store.At(ctx, t.Study, t.Position)
	switch {
	case errors.Is(err, ErrNotFound):
		return otherwise
	case err != nil:
		return err
	case before.Kind == Lost || before.Kind == Erased:
		return ErrReplaced
	case before.Kind == kind && slices.Equal(before.Picks, picks) && before.Respondent == t.Respondent:
		return nil
	}
	return otherwise
}

// checkPicks refuses picks of slots that were not shown, or too many or too few.
func checkPicks(picks []int, shown, wanted int) error {
	refuse := func(why string, numbers ...any) error { return Invalid("picks", fmt.Sprintf(why, numbers...)) }
	if len(picks) != wanted {
		return refuse("%d picks are expected, there are %d", wanted, len(picks))
	}
	for i, slot := range picks {
		if slot < 0 || slot >= shown {
			return refuse("slot %d was not shown", slot)
		}
		if slices.Contains(picks[:i], slot) {
			return refuse("slot %d is picked twice", slot)
		}
	}
	return nil
}
