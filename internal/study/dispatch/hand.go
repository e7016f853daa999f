package dispatch

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"bestpick/internal/study"
)

// fromHand returns the next question of a respondent's hand, which they are dealt with their first question:
// all questions of their session, as one entry of the log. It reports false if none is left, and the study
// lets them go on.
func (s *Dispatcher) fromHand(
	ctx context.Context, st study.Study, who person, history study.History, patience time.Duration,
) (held, bool, error) {
	arrival, settled, err := s.hand(ctx, st, who, patience)
	if err != nil {
		return held{}, false, err
	}
	var left []held
	for _, i := range order(arrival) {
		c := card{
			position: arrival.Hand.First + study.Position(i), question: arrival.Hand.Cards[i],
			set: setOf(arrival.Hand.Cards[i]), plan: arrival.Plan, claimed: arrival.At,
		}
		if !slices.Contains(settled, c.position) && !hasWithdrawn(st, c.question) {
			left = append(left, held{c, s.Clock()})
		}
	}
	if len(left) == 0 {
		if each := st.Settings.PerRespondent; each != study.NoLimit && each <= study.MaxHand {
			err = study.ErrEnough
		}
		return held{}, false, err
	}
	if who.name == "" {
		return left[0], true, nil
	}
	return s.desk(st.ID).serve(who.name, left, setOf(history.LastShown)), true, nil
}

// serve returns the question of a hand to show next, of those that are left: one that this process has not
// served yet, so that the next question can be fetched ahead, and otherwise the least recently served one. It
// does not show the arms that the respondent saw last, if there is another.
func (d *desk) serve(respondent string, left []held, last string) held {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	among := func(list []held, h held) bool {
		return slices.ContainsFunc(list, func(other held) bool { return other.position == h.position })
	}
	d.recent.drop(respondent, func(h held) bool { return !among(left, h) })
	before, _ := d.recent.find(respondent)
	fresh := slices.DeleteFunc(left, func(h held) bool { return among(before.open, h) })
	if len(fresh) == 0 {
		again, _ := d.recent.again(respondent, 1, func(held) bool { return false })
		return again
	}
	shown := []string{last, d.recent.shown(respondent)}
	at := slices.IndexFunc(fresh, func(h held) bool { return !slices.Contains(shown, h.set) })
	d.recent.note(respondent, fresh[max(at, 0)])
	return fresh[max(at, 0)]
}

// hand returns the arrival of a respondent, with the positions that are settled. A respondent without a name,
// or a judge, arrives with every question.
func (s *Dispatcher) hand(
	ctx context.Context, st study.Study, who person, patience time.Duration,
) (arrival study.Outcome, settled []study.Position, err error) {
	size, name := st.Settings.HandSize(), who.name
	if who.alone {
		size = 1
	}
	if name == "" || st.Settings.Judges {
		size, name = 1, ""
	} else if arrival, settled, err = s.Store.Hand(ctx, st.ID, name); !errors.Is(err, study.ErrNotFound) {
		return arrival, settled, err
	}
	arrival, err = waitFor(ctx, s, st, patience, func(st study.Study) (study.Outcome, error) {
		return s.Store.Deal(ctx, st.ID, size, st.Withdrawn, study.Outcome{Respondent: name, Segment: who.segment, At: s.Clock()})
	})
	if err == nil {
		s.Live.NeedsPlan(st.ID)
	}
	return arrival, nil, err
}

// order returns the random order of the questions of a hand.
func order(arrival study.Outcome) []int {
	rng := rand.New(rand.NewPCG(uint64(arrival.Number), uint64(arrival.Hand.First)))
	return rng.Perm(len(arrival.Hand.Cards))
}
