package dispatch

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"bestpick/internal/study"
)

// fromHand returns the next question of a respondent's hand, which they are dealt with their first question: all questions of
// their session, as one entry of the log. It reports false if none is left, and the study lets them go on.
func (s *Dispatcher) fromHand(
	ctx context.Context, st study.Study, who person, history study.History, patience time.Duration,
) (held, bool, error) {
	arrival, settled, err := s.hand(ctx, st, who, patience)
	if err != nil {
		return held{}, false, err
	}
	left := []card{}
	rng := rand.New(rand.NewPCG(uint64(arrival.Number), uint64(arrival.Hand.First)))
	for _, i := range rng.Perm(len(arrival.Hand.Cards)) {
		c := card{
			position: arrival.Hand.First + study.Position(i), question: arrival.Hand.Cards[i],
			set: setOf(arrival.Hand.Cards[i]), plan: arrival.Plan, claimed: arrival.At,
		}
		if !slices.Contains(settled, c.position) {
			left = append(left, c)
		}
	}
	dealt, _, ok := s.desk(st.ID).serve(st, who.name, s.Clock(), &visit{left: left, history: history})
	if each := st.Settings.PerRespondent; !ok && st.Settings.Budget == 0 && each != study.NoLimit && each <= study.MaxHand {
		err = study.ErrEnough // with a budget, the hand may have been smaller, or given to others
	}
	return dealt, ok, err
}

// serve returns the question to show next of a hand that was just read from the store, or with nil of the one that
// the desk remembers: one that this process has not served yet, so that the next question can be fetched ahead, and
// otherwise the least recently served one. It does not show the arms that the respondent saw last, if there is
// another. It reports false if no question is left.
func (d *desk) serve(st study.Study, respondent string, now time.Time, read *visit) (dealt held, h study.History, ok bool) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.begin(st.RestartPlan)
	v, _ := d.recent.find(respondent)
	if read != nil {
		v.left, v.history = read.left, read.history
	}
	if len(st.Withdrawn) > 0 {
		v.left = slices.DeleteFunc(slices.Clone(v.left), func(c card) bool { return hasWithdrawn(st, c.question) })
	}
	switch {
	case respondent == "" && len(v.left) > 0:
		return held{v.left[0], now}, v.history, true
	case len(v.left) == 0:
		if read != nil {
			d.recent.put(respondent, visit{last: v.last, open: v.open})
		}
		return held{}, v.history, false
	}
	v.open = slices.DeleteFunc(v.open, func(h held) bool {
		return !slices.ContainsFunc(v.left, func(c card) bool { return c.position == h.position })
	})
	isFresh := func(c card) bool {
		return !slices.ContainsFunc(v.open, func(h held) bool { return h.position == c.position })
	}
	shown := []string{setOf(v.history.LastShown), v.last}
	at := slices.IndexFunc(v.left, func(c card) bool { return isFresh(c) && !slices.Contains(shown, c.set) })
	if at < 0 {
		at = slices.IndexFunc(v.left, isFresh)
	}
	if at < 0 {
		dealt = v.open[0]
		v.open = append(v.open[1:], dealt)
	} else {
		dealt = held{v.left[at], now}
		v.last, v.open = dealt.set, append(v.open, dealt)
	}
	d.recent.put(respondent, v)
	return dealt, v.history, true
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
		now, planned := s.Clock(), s.Live.Updates.Wait(st.ID)
		if s.desk(st.ID).isExhausted(now) {
			return study.Outcome{}, study.ErrNoQuestion
		}
		dealt, err := s.Store.Deal(ctx, st.ID, size, st.Withdrawn, study.Outcome{
			Respondent: name, Segment: who.segment, At: now, Network: s.network(ctx, st, who, now),
		})
		if errors.Is(err, study.ErrNoQuestion) {
			s.desk(st.ID).exhaust(now, planned)
			s.Live.NeedsPlan(st.ID) // before studies where no person waits
		}
		return dealt, err
	})
	if err == nil {
		s.Live.NeedsPlan(st.ID)
	}
	return arrival, nil, err
}
