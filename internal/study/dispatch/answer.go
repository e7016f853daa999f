package dispatch

import (
	"context"
	"errors"
	"slices"

	"bestpick/internal/study"
)

// OpenTicket verifies a token of a study, and returns its ticket with the study as this process knows it. It returns
// an error unless the respondent may answer: a former member of the panel, or a member whose key
// was replaced, may not. What is recorded with a ticket is checked with the current study.
func (s *Dispatcher) OpenTicket(ctx context.Context, id, token string) (Ticket, error) {
	st, err := s.Live.KnownStudy(ctx, id)
	if err != nil {
		return Ticket{}, err
	}
	t, err := open(token, s.MAC, s.OtherMACs...)
	if err == nil && t.Study.ID != id {
		err = study.ErrToken
	}
	if err != nil {
		return Ticket{}, err
	}
	if known, err := s.allow(ctx, t, st); err == nil {
		return known, nil
	}
	return s.current(ctx, t)
}

// allow returns a ticket with a study, if its respondent may answer.
func (s *Dispatcher) allow(ctx context.Context, t Ticket, st study.Study) (_ Ticket, err error) {
	t.Study = st.AsOf(s.Clock())
	switch {
	case t.Key != "":
		_, err = s.Live.Member(ctx, st, t.Key)
	case st.Settings.Audience == study.Personal:
		err = study.ErrPanel
	}
	return t, err
}

// current returns a ticket with the current study, if its respondent may still answer.
func (s *Dispatcher) current(ctx context.Context, t Ticket) (Ticket, error) {
	st, err := s.Live.CachedStudy(ctx, t.Study.ID)
	if err != nil {
		return Ticket{}, err
	}
	return s.allow(ctx, t, st)
}

// Answer records the picks of a question durably: slots in the order on the screen, best first, or as the offer of the study
// says. It is idempotent; a different answer to the same question returns ErrConflict. A question that expired and was replaced
// returns ErrReplaced. A respondent with Settings.PerRespondent standing questions gets ErrEnough. The first answer keeps the
// respondent's places; ErrQuota means that the reservation has ended and others have them.
func (s *Dispatcher) Answer(ctx context.Context, t Ticket, picks []int) error {
	return s.AnswerWith(ctx, t, picks, study.Note{})
}

// AnswerWith is [Dispatcher.Answer] with a note. The note of the first call is kept. A study without Settings.Notes
// refuses a rationale and metadata.
func (s *Dispatcher) AnswerWith(ctx context.Context, t Ticket, picks []int, note study.Note) error {
	if err := note.Check(); err != nil {
		return err
	}
	return s.upToDate(ctx, t, func(t Ticket) error {
		if err := t.Study.Settings.CheckAnswer(picks, len(t.Shown)); err != nil {
			return err
		}
		if s := t.Study.Settings; !s.Notes && !s.Judges && (note.Rationale != "" || len(note.Metadata) > 0) {
			return study.Invalid("rationale", "the study takes no rationale and no metadata: "+
				"its owner can allow them with the setting notes")
		}
		now := s.Clock()
		if err := s.Live.Hold(ctx, t.Study, t.Respondent, now, now.Add(study.HandIdle)); err != nil {
			return err
		}
		outcome := t.outcome(study.Answered, picks)
		outcome.Note = note
		if err := s.record(ctx, t, outcome); err != nil {
			return err
		}
		return s.Live.Hold(context.WithoutCancel(ctx), t.Study, t.Respondent, now, study.Kept) // also of one who is gone by now
	})
}

// upToDate calls do with a ticket. If do returns an error and the study is another one by now, it calls do again with a
// ticket for that. [study.Outcomes.Record] refuses what relies on a study that has changed.
func (s *Dispatcher) upToDate(ctx context.Context, t Ticket, do func(Ticket) error) error {
	for {
		err := do(t)
		if err == nil {
			return nil
		}
		if errors.Is(err, study.ErrChanged) {
			s.Live.Stale(t.Study.ID)
		}
		now, refused := s.current(ctx, t)
		if refused != nil {
			return refused
		}
		if now.Study.Version == t.Study.Version {
			return err
		}
		t = now
	}
}

// Skip records that the respondent cannot decide. The question is not replaced in their hand; a question outside of hands
// is asked again, of another respondent. It returns the errors of [Dispatcher.Answer].
func (s *Dispatcher) Skip(ctx context.Context, t Ticket) error {
	return s.upToDate(ctx, t, func(t Ticket) error { return s.record(ctx, t, t.outcome(study.Skipped, nil)) })
}

// Undo takes an answer back, as long as no plan has counted it. The question no longer counts
// towards Settings.PerRespondent. It is possible study.MaxUndos times.
func (s *Dispatcher) Undo(ctx context.Context, t Ticket) error {
	return s.upToDate(ctx, t, func(t Ticket) error { return s.undo(ctx, t) })
}

func (s *Dispatcher) undo(ctx context.Context, t Ticket) error {
	if err := s.limit(t.Caller()); err != nil {
		return err
	}
	outcome := t.outcome(study.Undone, nil)
	outcome.At = s.Clock()
	refused, err := s.Store.Record(ctx, t.Study.ID, study.Terms{Version: t.Study.Version}, outcome)
	if err != nil {
		return err
	}
	if refused[0] == nil {
		s.Observer.Recorded(study.Undone)
		if t.Respondent != "" {
			s.findDesk(t.Study.ID).reopen(t)
		}
		return nil
	}
	before, err := s.Store.LastOutcome(ctx, t.Study.ID, t.Position)
	switch {
	case errors.Is(err, study.ErrNotFound) || err == nil && before.Kind != study.Answered && before.Kind != study.Undone:
		return study.ErrNotAnswered
	case err != nil || before.Kind == study.Undone:
		return err
	}
	return study.ErrTooLate
}

func (t Ticket) outcome(kind study.Kind, picks []int) study.Outcome {
	return study.Outcome{
		Position: t.Position, Kind: kind, Plan: t.Plan, Shown: t.Shown, Picks: picks, Respondent: t.Respondent,
		Segment: t.Segment, Asked: t.Asked,
	}
}

// record records an outcome and wakes the planner. It returns ErrEnough if the respondent has answered or skipped as many
// questions as Settings.PerRespondent allows, and an error with CodeTooMany if they exceed the rate limit.
func (s *Dispatcher) record(ctx context.Context, t Ticket, outcome study.Outcome) error {
	if err := s.limit(t.Caller()); err != nil {
		return err
	}
	if t.Study.State == study.Done {
		return s.explain(ctx, outcome, t.Study.ID, t.Study.NotOpen())
	}
	outcome.At = s.Clock()
	terms := study.Terms{Version: t.Study.Version, Each: t.Study.Settings.PerRespondent}
	refused, err := s.Store.Record(ctx, t.Study.ID, terms, outcome)
	if err != nil {
		return err
	}
	s.Live.Confirm(t.Study.ID, terms.Version, outcome.At)
	if !errors.Is(refused[0], study.ErrEnough) {
		s.findDesk(t.Study.ID).recorded(t, refused[0] != nil)
	}
	switch {
	case errors.Is(refused[0], study.ErrTaken):
		return s.explain(ctx, outcome, t.Study.ID, study.ErrConflict)
	case refused[0] == nil:
		s.Observer.Recorded(outcome.Kind)
		s.Live.Recorded(t.Study.ID) // the study's planner waits in run.steps
	case !errors.Is(refused[0], study.ErrEnough):
		s.Live.Stale(t.Study.ID) // it was closed, or its budget has changed
	}
	return refused[0]
}

// explain returns nil if the same outcome is already recorded, with any note, and otherwise the reason for the refusal.
func (s *Dispatcher) explain(ctx context.Context, o study.Outcome, id string, otherwise error) error {
	before, err := s.Store.LastOutcome(ctx, id, o.Position)
	switch {
	case errors.Is(err, study.ErrNotFound):
		return otherwise
	case err != nil:
		return err
	case before.Kind == study.Lost || before.Kind == study.Erased:
		return study.ErrReplaced
	case before.Kind == o.Kind && slices.Equal(before.Picks, o.Picks) && before.Respondent == o.Respondent:
		return nil
	}
	return otherwise
}
