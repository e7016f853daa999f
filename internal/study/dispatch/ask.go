package dispatch

import (
	"context"
	"errors"
	"time"

	"bestpick/internal/study"
)

// A Lease assigns one question to one respondent until it expires.
type Lease struct {
	Ticket

	Token   string // of the ticket
	Expires time.Time
	Done    int // questions that the respondent has already answered or skipped
}

// A person is a respondent as a request names them.
type person struct {
	name, segment string
	key           string // hash of a member's key; empty for others
	alone         bool   // for one question only
}

// Ask is [Dispatcher.AskAs] for a respondent with a name.
func (s *Dispatcher) Ask(ctx context.Context, id, respondent, segment string) (Lease, error) {
	return s.AskAs(ctx, id, Who{Name: respondent}, segment)
}

// AskAs deals the next question to a respondent. No two respondents get the same question of the
// deck, and no respondent sees the same arms twice in a row if there is another question. The
// strategy chooses the order on the screen at random, and the log has it with the answer.
//
// A respondent may have 32 open questions per process, and fewer if that would exceed Settings.PerRespondent.
// Beyond that, Ask returns their open questions again, the least recently served one first. A
// respondent without a name has no such limit and is not remembered. People outside the audience of the study
// get ErrPanel or ErrNoID; a member of the panel with a key may also answer studies that anyone may answer. The given
// segment only counts if the member has none. A respondent who exceeds the rate limit gets an error with CodeTooMany.
func (s *Dispatcher) AskAs(ctx context.Context, id string, who Who, segment string) (Lease, error) {
	if err := s.limit(who.Caller(id)); err != nil {
		return Lease{}, err
	}
	st, err := s.asking(ctx, id)
	if err != nil {
		return Lease{}, err
	}
	respondent, err := s.respondent(ctx, st, who)
	if err != nil {
		return Lease{}, err
	}
	if respondent.segment == "" || st.ProfileDecides() {
		respondent.segment = segment
	}
	return s.ask(ctx, st, respondent)
}

func (s *Dispatcher) ask(ctx context.Context, st study.Study, who person) (Lease, error) {
	admission, err := s.Live.Admission(ctx, st, who.name)
	if err != nil {
		return Lease{}, err
	}
	if admission.Segment != "" {
		if who.segment != "" && who.segment != admission.Segment {
			return Lease{}, study.Invalid("segment", "the respondent's profile decides the segment, which is another one")
		}
		who.segment = admission.Segment
	}
	if err := st.Settings.Strategy.Model.CheckSegment(who.segment); err != nil {
		return Lease{}, study.Invalid("segment", err.Error())
	}
	if err := study.CheckText(who.segment); err != nil {
		return Lease{}, study.Invalid("segment", err.Error())
	}
	return s.next(ctx, st, who, s.Patience)
}

// next deals the next question of a respondent: of their hand, where the study's evidence is about people.
func (s *Dispatcher) next(ctx context.Context, st study.Study, who person, patience time.Duration) (Lease, error) {
	history, err := s.history(ctx, st, who.name)
	if err != nil {
		return Lease{}, err
	}
	if err := s.Live.Hold(ctx, st, who.name, s.Clock(), s.Clock().Add(study.HandIdle)); err != nil {
		return Lease{}, err
	}
	if st.Settings.HandSize() == 0 {
		return s.lease(ctx, st, who, history, patience)
	}
	card, left, err := s.fromHand(ctx, st, who, history, patience)
	if err != nil {
		return Lease{}, err
	}
	if !left {
		return s.lease(ctx, st, who, history, patience) // it only guides
	}
	return s.grant(st, who, card, history), nil
}

// Next deals another question to the respondent of a ticket that was just answered or skipped, which the rate limit has
// counted. It waits for a question up to patience. Without Settings.PerRespondent it does not read the
// respondent's history, and Lease.Done is 0.
func (s *Dispatcher) Next(ctx context.Context, t Ticket, patience time.Duration) (lease Lease, err error) {
	if t, err = s.current(ctx, t); err != nil {
		return Lease{}, err
	}
	if t.Study.State != study.Open {
		return Lease{}, t.Study.NotOpen()
	}
	who := person{name: t.Respondent, segment: t.Segment, key: t.Key}
	if t.Respondent != "" && t.Study.Settings.HandSize() > 0 {
		if card, history, ok := s.desk(t.Study.ID).serve(t.Study, t.Respondent, s.Clock(), nil); ok {
			return s.grant(t.Study, who, card, history), nil
		}
	}
	if t.Study.Settings.PerRespondent > 0 || t.Study.Settings.HandSize() > 0 {
		return s.next(ctx, t.Study, who, patience)
	}
	return s.lease(ctx, t.Study, who, study.History{LastShown: t.Shown}, patience)
}

// lease deals a question and signs its ticket.
func (s *Dispatcher) lease(
	ctx context.Context, st study.Study, who person, history study.History, patience time.Duration,
) (Lease, error) {
	dealt, err := s.deal(ctx, st, who.name, history, patience)
	if err != nil {
		return Lease{}, err
	}
	s.desk(st.ID).restock(ctx, s, st)
	return s.grant(st, who, dealt, history), nil
}

// grant signs the ticket of a question.
func (s *Dispatcher) grant(st study.Study, who person, dealt held, history study.History) Lease {
	t := Ticket{
		Study: st, Position: dealt.position, Plan: dealt.plan, Shown: dealt.question,
		Respondent: who.name, Segment: who.segment, Key: who.key, Asked: dealt.asked,
	}
	return Lease{Ticket: t, Token: t.sign(s.MAC), Expires: dealt.asked.Add(st.Settings.Lease), Done: history.Questions}
}

// asking returns a study, or an error that matches ErrNotOpen unless it is open.
func (s *Dispatcher) asking(ctx context.Context, id string) (study.Study, error) {
	st, err := s.Live.CachedStudy(ctx, id)
	st = st.AsOf(s.Clock())
	if err == nil && st.State == study.Done {
		s.Close(id)
	}
	if err == nil && st.State != study.Open {
		err = st.NotOpen()
	}
	return st, err
}

// history returns the respondent's history in all processes, or ErrEnough if they have reached the limit.
func (s *Dispatcher) history(ctx context.Context, st study.Study, respondent string) (study.History, error) {
	each := st.Settings.PerRespondent
	if respondent == "" {
		if each > 0 {
			return study.History{}, study.Invalid(
				"respondent", "a name is required, because the study limits the questions per respondent",
			)
		}
		return study.History{}, nil
	}
	history, err := s.Store.Respondent(ctx, st.ID, respondent)
	if err == nil && each > 0 && history.Questions >= each {
		err = study.ErrEnough
	}
	return history, err
}

// deal takes a question from the desk. It waits up to patience for one.
func (s *Dispatcher) deal(
	ctx context.Context, st study.Study, respondent string, history study.History, patience time.Duration,
) (held, error) {
	return waitFor(ctx, s, st, patience, func(st study.Study) (held, error) {
		for {
			dealt, again, err := s.desk(st.ID).deal(ctx, s, st, respondent, history)
			if !again {
				return dealt, err
			}
			elsewhere, err := s.settledElsewhere(ctx, st.ID, dealt.position)
			if !elsewhere {
				return dealt, err
			}
			s.desk(st.ID).settled(respondent, dealt.position)
		}
	})
}

// waitFor calls take until it returns something else than ErrNoQuestion, after every plan, up to patience.
func waitFor[T any](
	ctx context.Context, s *Dispatcher, st study.Study, patience time.Duration, take func(study.Study) (T, error),
) (taken T, err error) {
	waited := time.NewTimer(patience)
	defer waited.Stop()
	for {
		planned := s.Live.Updates.Wait(st.ID)
		taken, err := take(st)
		if !errors.Is(err, study.ErrNoQuestion) || patience == 0 {
			return taken, err
		}
		look := time.NewTimer(pollEvery)
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-waited.C:
		case <-planned:
			err = nil
		case <-look.C: // another process may plan
			err = nil
		}
		look.Stop()
		if err == nil {
			st, err = s.asking(ctx, st.ID) // the study may have changed
		}
		if err != nil {
			return taken, err
		}
	}
}

// settledElsewhere reports whether another process has recorded a standing outcome of a question.
func (s *Dispatcher) settledElsewhere(ctx context.Context, id string, p study.Position) (bool, error) {
	last, err := s.Store.LastOutcome(ctx, id, p)
	if errors.Is(err, study.ErrNotFound) {
		return false, nil
	}
	return err == nil && last.Kind != study.Undone, err
}
