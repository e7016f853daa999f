package dispatch

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/live"
)

const (
	maxClaim  = 512                    // questions per claim
	claimFor  = 250 * time.Millisecond // how long one claim should last
	minUnseen = 4                      // stop claiming once this many cards are on the desk, even if all were just shown
	slowly    = 12 * time.Second       // the same for claims of at most minUnseen questions: less than study.ClaimTTL
)

// A desk deals the questions of one study in one process. Under load it claims several questions
// from the deck at a time, and before it runs out, so that most are served from memory.
type desk struct {
	mutex      sync.Mutex
	cards      []card
	recent     recent
	size       int             // questions requested by the last claim
	empty      bool            // the last claim found no question
	claimed    time.Time       // time of the last claim
	planned    <-chan struct{} // closed when a plan was written after that
	claiming   chan struct{}   // closed when the claim that respondents wait for ends; nil without one
	restocking bool            // a call of restock is claiming
	afresh     int             // the number of the first plan whose questions are dealt
}

// deal takes a question for a respondent: the first that does not show the arms that they saw last, if there is one. history has
// the arms of their last outcome in any process; the desk knows the arms shown since in this process.
//
// A respondent who has reached the limit of open questions gets one of them again. It may have been settled in another process.
func (d *desk) deal(
	ctx context.Context, s *Dispatcher, st study.Study, respondent string, history study.History,
) (dealt held, again bool, err error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for more := true; ; {
		d.begin(st.RestartPlan)
		if respondent != "" {
			limit := openLimit(st.Settings, history.Questions)
			if dealt, again = d.recent.again(respondent, limit, closedTo(st, s.Clock())); again {
				return dealt, true, nil
			}
		}
		if err := d.clear(ctx, s, st); err != nil {
			return held{}, false, err
		}
		at := d.find([]string{setOf(history.LastShown), d.recent.shown(respondent)})
		if more && at < 0 && len(d.cards) < minUnseen {
			more, err = d.claim(ctx, s, st)
			if err != nil && (!errors.Is(err, study.ErrFull) || len(d.cards) == 0) {
				return held{}, false, err
			}
			continue // the desk may have changed during the claim
		}
		if len(d.cards) == 0 {
			return held{}, false, study.ErrNoQuestion
		}
		dealt = held{d.take(max(at, 0)), s.Clock()}
		if respondent != "" {
			d.recent.note(respondent, dealt)
		}
		return dealt, false, nil
	}
}

// unlocked calls the store without the mutex, which the caller holds.
func (d *desk) unlocked(call func() error) error {
	d.mutex.Unlock()
	defer d.mutex.Lock()
	return call()
}

// closedTo returns a function that reports which open questions cannot be served again at a time,
// because they have expired or show a withdrawn arm.
func closedTo(s study.Study, now time.Time) func(held) bool {
	return func(h held) bool {
		return !now.Before(h.asked.Add(s.Settings.Lease)) || hasWithdrawn(s, h.question)
	}
}

// settled drops an open question of a respondent. The desk may be nil.
func (d *desk) settled(respondent string, p study.Position) {
	if d == nil {
		return
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.recent.drop(respondent, func(h held) bool { return h.position == p })
}

// recorded drops an open question of a respondent whose outcome this process has just recorded, and takes it off
// their hand. If they have another open question, one that was served elsewhere, or the store refused the outcome,
// another process may know more of the hand, and the store must be read again. The desk may be nil.
func (d *desk) recorded(t Ticket, refused bool) {
	if d == nil || t.Respondent == "" {
		return
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	v, _ := d.recent.find(t.Respondent)
	if v.left == nil {
		d.recent.drop(t.Respondent, func(h held) bool { return h.position == t.Position })
		return
	}
	if refused || len(v.open) != 1 || v.open[0].position != t.Position {
		v.left = nil
	}
	v.open = slices.DeleteFunc(v.open, func(h held) bool { return h.position == t.Position })
	v.left = slices.DeleteFunc(v.left, func(c card) bool { return c.position == t.Position })
	v.history = study.History{Questions: v.history.Questions + 1, LastShown: t.Shown}
	d.recent.put(t.Respondent, v)
}

// forget removes a respondent. The desk may be nil.
func (d *desk) forget(respondent string) {
	if d == nil {
		return
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.recent.forget(respondent)
}

// reopen makes a question open again after an undo. The desk may be nil.
func (d *desk) reopen(t Ticket) {
	if d == nil {
		return
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.recent.note(t.Respondent, held{card{position: t.Position, question: t.Shown, set: setOf(t.Shown), plan: t.Plan}, t.Asked})
	v, _ := d.recent.find(t.Respondent)
	v.left = nil
	d.recent.put(t.Respondent, v)
}

// take takes a card off the desk. It is usually the first one, and then no other card moves.
func (d *desk) take(at int) card {
	taken := d.cards[at]
	copy(d.cards[1:at+1], d.cards[:at])
	d.cards[0] = card{} // releases its memory
	d.cards = d.cards[1:]
	return taken
}

// begin empties the desk if the study has begun afresh: its questions are lost, and a respondent is erased.
func (d *desk) begin(afresh int) {
	if afresh > d.afresh {
		d.cards, d.recent, d.afresh = nil, recent{}, afresh
	}
}

// claim claims more questions, and reports whether there may be any. One respondent claims at a time;
// others wait for that claim. The mutex is released meanwhile.
func (d *desk) claim(ctx context.Context, s *Dispatcher, st study.Study) (more bool, err error) {
	if claiming := d.claiming; claiming != nil {
		return true, d.unlocked(func() error {
			select {
			case <-claiming:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}
	now := s.Clock()
	if d.exhausted(now) {
		return false, nil
	}
	d.order(s, st, now)
	claiming, size := make(chan struct{}), d.size
	d.claiming = claiming
	var claim study.Claim
	err = d.unlocked(func() (err error) {
		claim, err = s.Store.Claim(ctx, st.ID, size, now)
		return err
	})
	d.claiming = nil
	close(claiming)
	if err != nil {
		return false, err
	}
	d.put(claim)
	s.Live.Claimed(st.ID, claim.Low)
	return !d.empty, nil
}

// order sets the size of the next claim: enough questions for claimFor at the rate of the last
// claim, or up to minUnseen for slowly, but at most twice as many as before.
func (d *desk) order(s *Dispatcher, st study.Study, now time.Time) {
	rate := float64(d.size) / float64(max(now.Sub(d.claimed), time.Microsecond))
	size := min(int(max(rate*float64(claimFor), min(rate*float64(slowly), minUnseen))), 2*d.size)
	d.size, d.claimed = max(1, min(size, maxClaim)), now
	d.planned = s.Live.Updates.Wait(st.ID)
}

// put puts questions on the desk, except those of plans before the study restarted.
func (d *desk) put(claim study.Claim) {
	d.empty = len(claim.Questions) == 0
	for i, q := range claim.Questions {
		if claim.Plans[i] < d.afresh {
			continue
		}
		d.cards = append(d.cards, card{claim.First + study.Position(i), q, setOf(q), claim.Plans[i], claim.At})
	}
}

// restock claims more questions before the desk is empty, so that respondents do not wait for a
// claim. One call at a time does so; others return at once.
func (d *desk) restock(ctx context.Context, s *Dispatcher, st study.Study) {
	now := s.Clock()
	d.mutex.Lock()
	due := !d.restocking && d.size > minUnseen && len(d.cards) <= d.size/2 && !d.exhausted(now)
	if due {
		d.restocking = true
		d.order(s, st, now)
	}
	size := d.size
	d.mutex.Unlock()
	if !due {
		return
	}
	claim, err := s.Store.Claim(ctx, st.ID, size, now)
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.restocking = false
	if err == nil { // otherwise the next deal claims again and returns the error
		d.put(claim)
		s.Live.Claimed(st.ID, claim.Low)
	}
}

// exhausted reports whether the deck was empty recently and no plan was seen since. Then waiting
// respondents need not all query the store.
func (d *desk) exhausted(now time.Time) bool {
	if ago := now.Sub(d.claimed); !d.empty || ago < 0 || ago >= pollEvery/2 {
		return false
	}
	select {
	case <-d.planned:
		return false
	default:
		return true
	}
}

// isExhausted is exhausted, for callers without the mutex.
func (d *desk) isExhausted(now time.Time) bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.exhausted(now)
}

// exhaust notes that no hand was left at a time. planned is closed when a plan was written after that.
func (d *desk) exhaust(now time.Time, planned <-chan struct{}) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.empty, d.claimed, d.planned = true, now, planned
}

// clear removes questions that are too old or show withdrawn arms. They are recorded as lost, so
// that the planner replaces them. The mutex is released meanwhile.
func (d *desk) clear(ctx context.Context, s *Dispatcher, st study.Study) error {
	now := s.Clock()
	old := func(c card) bool { return now.Sub(c.claimed) > study.ClaimTTL }
	if len(st.Withdrawn) == 0 && (len(d.cards) == 0 || !old(d.cards[0])) { // cards are in the order of their claims
		return nil
	}
	var lost []study.Outcome
	d.cards = slices.DeleteFunc(d.cards, func(c card) bool {
		gone := old(c) || hasWithdrawn(st, c.question)
		if gone {
			lost = append(lost, study.Outcome{Position: c.position, Kind: study.Lost, Plan: c.plan, At: now})
		}
		return gone
	})
	if lost == nil {
		return nil
	}
	return d.unlocked(func() error {
		_, err := s.Store.Record(ctx, st.ID, study.Terms{}, lost...)
		return err
	})
}

// hasWithdrawn reports whether a question shows a withdrawn arm.
func hasWithdrawn(s study.Study, question []int) bool {
	return slices.ContainsFunc(question, func(arm int) bool { return slices.Contains(s.Withdrawn, arm) })
}

// find returns the first card that shows none of the given sets of arms, −1 if there is none.
func (d *desk) find(shown []string) int {
	return slices.IndexFunc(d.cards, func(c card) bool { return !slices.Contains(shown, c.set) })
}

// setOf returns a key for the set of arms of a question, independent of their order.
func setOf(question []int) string {
	var name []byte
	for _, arm := range slices.Sorted(slices.Values(question)) {
		name = binary.AppendUvarint(name, uint64(arm))
	}
	return string(name)
}

// desk returns the desk of a study in this process.
func (s *Dispatcher) desk(id string) *desk {
	return live.Remember(s.Live, id, live.Desk, func() *desk { return &desk{} })
}

// findDesk returns the desk of a study, or nil if this process has dealt no question of it.
func (s *Dispatcher) findDesk(id string) *desk { return live.Recall[desk](s.Live, id, live.Desk) }

// Forget removes a respondent from the memory of this process.
func (s *Dispatcher) Forget(id, respondent string) {
	s.findDesk(id).forget(respondent)
	s.Limiter.Forget(Caller(id, respondent, ""))
}

// Close frees the memory of a study that is over.
func (s *Dispatcher) Close(id string) { s.Live.Forget(id, live.Desk) }

// pollEvery is how often a waiting respondent checks for plans of other processes.
const pollEvery = 100 * time.Millisecond
