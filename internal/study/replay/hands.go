package replay

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/internal/study"
	"bestpick/strategy"
)

// A hand is a person who was dealt questions and whose hand has not ended. Hands are dealt in the order of positions.
type hand struct {
	Name   string           `json:"name"` // of the person, for the strategy
	First  study.Position   `json:"first"`
	Size   int              `json:"size"`
	Left   []study.Position `json:"left"`             // questions without an outcome
	Last   time.Time        `json:"last"`             // the time of the last answer or skip, or of the arrival
	Barred bool             `json:"barred,omitempty"` // the person is no evidence; the strategy knows nothing of the hand

	Lining   checks.Lining `json:"lining,omitempty"`
	Straight bool          `json:"straight,omitempty"`
}

// used is a person's part of the budget.
type used struct {
	Arrival int64 `json:"arrival"` // its number in the log
	Answers int   `json:"answers,omitempty"`
	Out     bool  `json:"out,omitempty"` // the owner excluded the person
}

// refund takes a person's answers out of the budget.
func (r *Replayer) refund(u *used) {
	r.State.Answers, r.State.Excluded, u.Answers = r.State.Answers-u.Answers, r.State.Excluded+u.Answers, 0
}

// dealer returns the strategy if its evidence is about people, nil otherwise.
func (r *Replayer) dealer() strategy.Dealer {
	dealer, _ := r.strategy.(strategy.Dealer)
	return dealer
}

// arrive deals a person their hand: the strategy places its bets on what is counted before, which is
// everything in the log before the arrival that can no longer be undone.
func (r *Replayer) arrive(o study.Outcome) error {
	dealer := r.dealer()
	if dealer == nil {
		return errors.New("this study deals no hands")
	}
	var cards []choice.Question
	var left []study.Position
	if n := len(r.State.Hands); n > 0 && o.Hand.First < r.State.Hands[n-1].First+study.Position(r.State.Hands[n-1].Size) {
		return fmt.Errorf("the hand from question %d on does not follow the previous one", o.Hand.First)
	}
	for i, card := range o.Hand.Cards {
		p := o.Hand.First + study.Position(i)
		if planned, out := r.State.Out[p]; p >= r.State.Began && (!out || !slices.Equal(planned, card)) {
			return fmt.Errorf("question %d is not the one of the hand", p)
		}
		cards, left = append(cards, card), append(left, p)
	}
	h := hand{Name: r.person(o), First: o.Hand.First, Size: len(cards), Left: left, Last: o.At}
	h.Barred = r.settings.InForce().IsCrowded(o.Hand.Nth)
	r.State.Hands, r.State.Dealt = append(r.State.Hands, h), h.First+study.Position(h.Size)
	if h.Name == o.Respondent {
		if r.State.Used == nil {
			r.State.Used = map[string]*used{}
		}
		r.State.Used[h.Name] = &used{Arrival: o.Number, Out: slices.Contains(r.State.People, o.Number)}
	}
	if h.Barred {
		return r.bar(h)
	}
	if h.First < r.State.Began {
		return dealer.Redeal(h.Name, o.Segment, cards)
	}
	return dealer.Deal(h.Name, o.Segment, cards)
}

// bar excludes a person on arrival. No bets are placed on them: who is excluded depends on times and networks of
// arrivals alone, and not on what anyone chooses. The questions of the hand are asked again, of others.
func (r *Replayer) bar(h hand) error {
	if r.State.Barred == nil {
		r.State.Barred = map[string]bool{}
	}
	r.State.Barred[h.Name] = true
	for i := range h.Size {
		p := h.First + study.Position(i)
		question, out := r.State.Out[p]
		delete(r.State.Out, p)
		if further := r.State.Turnout.settle(p); out && !further {
			if err := r.strategy.Lose(question); err != nil {
				return err
			}
		}
	}
	return nil
}

// leavesOut reports whether the rules leave out an answer: it is no evidence, and not part of the budget.
//
// An answer that is too fast counts as a question that was skipped: its comparisons stay lost until the hand ends, and are
// then left out only if the person answered another one about the same pair in time. So the proof of
// [evidence.Majority] holds with "answers in time" for "answers".
func (r *Replayer) leavesOut(o study.Outcome) bool {
	if o.Kind != study.Answered {
		return false
	}
	if r.settings.InForce().IsFast(o.Seconds()) || o.Respondent != "" && r.State.Barred[o.Respondent] {
		return true
	}
	at := r.handOf(o.Position)
	return at >= 0 && r.State.Hands[at].Barred
}

// guide tells the strategy an answer that the rules leave out. Under majority it guides the choice of questions; under
// linear every answer would be evidence.
func (r *Replayer) guide(answer choice.Answer) error {
	if r.settings.Assumption() != strategy.Majority {
		return nil
	}
	r.State.Guiding++
	return r.strategy.Import(answer)
}

// line notes the slot of an answer of a hand. A person who straight-lines is distrusted: their bets may only lose, which
// is valid whatever the rule depends on, see [evidence.Majority]. Their answers are no part of the budget.
func (r *Replayer) line(h *hand, o study.Outcome) {
	if h.Lining = h.Lining.Add(len(o.Shown), o.Picks[0]); h.Straight || !h.Lining.IsStraight() {
		return
	}
	h.Straight = true
	r.State.Watch.Straight++
	if r.settings.InForce().Straight && !h.Barred {
		r.dealer().Distrust(h.Name)
		if u := r.State.Used[h.Name]; u != nil {
			r.refund(u)
		}
	}
}

// person returns the name of the person who arrives, for the strategy. Without a name, everyone is another
// person, and so is everyone in a study about judges, in which each context is a new draw.
func (r *Replayer) person(o study.Outcome) string {
	if o.Respondent == "" || r.settings.Judges {
		return fmt.Sprint("\x00", o.Number)
	}
	return o.Respondent
}

// tellPerson tells the strategy an answer or a skip of a person. An answer beyond a hand, or after its end,
// only guides the choice of questions.
func (r *Replayer) tellPerson(o study.Outcome, answer choice.Answer) error {
	at, omitted := r.handOf(o.Position), r.leavesOut(o)
	if at >= 0 && o.At.After(r.State.Hands[at].Last.Add(study.HandIdle)) {
		if err := r.endHand(at); err != nil {
			return err
		}
		at = -1
	}
	question, out := r.State.Out[o.Position]
	delete(r.State.Out, o.Position)
	r.State.Abandoned = slices.DeleteFunc(r.State.Abandoned, func(p study.Position) bool { return p == o.Position })
	further := r.State.Turnout.settle(o.Position)
	if at < 0 && out && !further && (o.Kind != study.Answered || omitted) {
		if err := r.strategy.Lose(question); err != nil || !omitted {
			return err
		}
	}
	if at >= 0 {
		answer.Respondent = r.State.Hands[at].Name
	}
	if o.Kind == study.Answered && o.Position >= r.State.Next {
		return fmt.Errorf("question %d is not open", o.Position)
	}
	switch {
	case omitted:
		if err := r.guide(answer); err != nil {
			return err
		}
	case o.Kind == study.Answered:
		r.countAnswer(at, o.Respondent)
		tell := r.strategy.Recount
		switch {
		case out:
			tell, answer.Question = r.teller(further), question
		case at < 0 && (o.Respondent == "" || r.settings.Judges):
			tell = r.strategy.Import // the strategy knows the person of the ended hand by another name
		}
		if err := tell(answer); err != nil {
			return err
		}
	}
	if at < 0 {
		return nil
	}
	return r.settleCard(at, o)
}

// countAnswer counts an answer of an open hand, or without one if at is negative.
func (r *Replayer) countAnswer(at int, name string) {
	if at < 0 {
		r.State.Guiding++
	}
	u := r.State.Used[name]
	if u != nil && u.Out || at >= 0 && r.State.Hands[at].Straight && r.settings.InForce().Straight {
		r.State.Excluded++
		return
	}
	if r.State.Answers++; u != nil {
		u.Answers++
	}
}

// settleCard notes the outcome of a question of an open hand, which ends with the last one.
func (r *Replayer) settleCard(at int, o study.Outcome) error {
	h := &r.State.Hands[at]
	h.Left = slices.DeleteFunc(h.Left, func(p study.Position) bool { return p == o.Position })
	if o.Kind != study.Lost {
		h.Last = o.At
	}
	if o.Kind == study.Answered && len(o.Picks) > 0 {
		r.line(h, o)
	}
	if len(h.Left) > 0 {
		return nil
	}
	return r.endHand(at)
}

// handOf returns the place of the open hand with a position, −1 if there is none.
func (r *Replayer) handOf(p study.Position) int {
	at, found := slices.BinarySearchFunc(r.State.Hands, p, func(h hand, p study.Position) int {
		switch {
		case p < h.First:
			return 1
		case p >= h.First+study.Position(h.Size):
			return -1
		}
		return 0
	})
	if !found {
		return -1
	}
	return at
}

// endHand ends the hand at a place.
func (r *Replayer) endHand(at int) error {
	h := r.State.Hands[at]
	r.State.Hands = slices.Delete(r.State.Hands, at, at+1)
	if r.settings.Budget > 0 {
		r.State.Abandoned = append(r.State.Abandoned, h.Left...)
	}
	for i := range h.Size {
		delete(r.State.Out, h.First+study.Position(i))
		r.State.Turnout.settle(h.First + study.Position(i))
	}
	if h.Barred {
		return nil
	}
	return r.dealer().End(h.Name)
}

// EndHands ends the hands without an answer for a while, and returns their number. Answers count after grace,
// and a hand has ended when all of its answers are counted. While more outcomes wait, and after the owner has
// closed the study, the time is that of the last counted answer: closing settles nothing.
func (r *Replayer) EndHands(st study.Study, now time.Time, more bool) (int, error) {
	r.handsEnded = time.Time{}
	now = now.Add(-max(0, st.Settings.Grace))
	if (more || st.State == study.Done) && r.State.Until.Before(now) {
		now = r.State.Until
	}
	until := now.Add(-study.HandIdle).UTC().Truncate(time.Microsecond)
	ended, err := r.endIdle(until)
	if ended > 0 {
		r.handsEnded = until
	}
	return ended, err
}

// endIdle ends the hands without an answer after a time, in the order of arrival, and returns their number.
func (r *Replayer) endIdle(until time.Time) (ended int, err error) {
	for at := 0; at < len(r.State.Hands); {
		if r.State.Hands[at].Last.After(until) {
			at++
			continue
		}
		if err := r.endHand(at); err != nil {
			return ended, err
		}
		ended++
	}
	return ended, nil
}

// Dealable returns how many of the last unclaimed questions can be dealt in hands: those after the last one that shows a
// withdrawn arm, because a hand is successive questions without one.
func (r *Replayer) Dealable(unclaimed int) int {
	for n := range unclaimed {
		question := r.State.Out[r.State.Next-1-study.Position(n)]
		if slices.ContainsFunc(question, func(arm int) bool { return slices.Contains(r.State.Withdrawn, arm) }) {
			return n
		}
	}
	return unclaimed
}

// HandsOver reports whether the next plan would end a hand.
func (r *Replayer) HandsOver(st study.Study, now time.Time) bool {
	until := now.Add(-max(0, st.Settings.Grace) - study.HandIdle)
	return slices.ContainsFunc(r.State.Hands, func(h hand) bool { return !h.Last.After(until) })
}

// NextEnd returns when the first hand ends without another answer, the zero time without hands.
func (r *Replayer) NextEnd(st study.Study) (next time.Time) {
	for _, h := range r.State.Hands {
		if end := h.Last.Add(max(0, st.Settings.Grace) + study.HandIdle); next.IsZero() || end.Before(next) {
			next = end
		}
	}
	return next
}

// Abandoned returns the questions of ended hands that are still reserved against the budget: they have no outcome, in log
// neither.
func (r *Replayer) Abandoned(st study.Study, log []study.Outcome) []study.Position {
	if r.settings.Budget = st.Settings.Budget; r.settings.Budget == 0 || st.State == study.Done {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.State.Abandoned), func(p study.Position) bool {
		return slices.ContainsFunc(log, func(o study.Outcome) bool { return o.Position == p })
	})
}

// A watch counts signs of fraud.
type watch struct {
	study.Signs

	Minute time.Time `json:"minute,omitzero"`  // of the last arrival
	Within int       `json:"within,omitempty"` // people who arrived in it
}

// add counts an outcome. Judges are not watched: they may be programs, and answer from one place.
func (w *watch) add(o study.Outcome, s study.Settings) {
	if s.Judges {
		return
	}
	rules := study.WithLimits(s.Rules)
	if seconds := o.Seconds(); seconds > 0 {
		w.Timed++
		if rules.IsFast(seconds) {
			w.Fast++
		}
	}
	if o.Kind != study.Arrived {
		return
	}
	if minute := o.At.UTC().Truncate(time.Minute); !minute.Equal(w.Minute) {
		w.Minute, w.Within = minute, 0
	}
	w.Within++
	w.People++
	w.Burst, w.Largest = max(w.Burst, w.Within), max(w.Largest, o.Hand.Nth)
	if rules.IsCrowded(o.Hand.Nth) {
		w.Crowded++
	}
}

// A turnout counts the people who have answered, and the days, as far as a study needs a minimum of them
// before it ends with a certificate. It depends on the log alone.
type turnout struct {
	Names  []string  `json:"names,omitempty"`  // sorted; none once there are enough
	People int       `json:"people,omitempty"` // also those without a name
	Days   int       `json:"days,omitempty"`
	Last   time.Time `json:"last,omitzero"` // the last of these days

	// Further has the questions without an outcome that the study has asked after its strategy stopped.
	Further []study.Position `json:"further,omitempty"`
}

// add counts an outcome. Without a name, every answer is another person's.
func (t *turnout) add(o study.Outcome, s study.Settings) {
	if o.Kind != study.Answered {
		return
	}
	if day := o.At.UTC().Truncate(24 * time.Hour); t.Days < s.LeastDays && day.After(t.Last) {
		t.Days, t.Last = t.Days+1, day
	}
	at, known := slices.BinarySearch(t.Names, o.Respondent)
	if t.People >= s.LeastPeople || known {
		return
	}
	if t.People++; o.Respondent != "" {
		t.Names = slices.Insert(t.Names, at, o.Respondent)
	}
	if t.People == s.LeastPeople {
		t.Names = nil
	}
}

// settle removes a question from the further ones, and reports whether it was one.
func (t *turnout) settle(p study.Position) bool {
	at, is := slices.BinarySearch(t.Further, p)
	if is {
		t.Further = slices.Delete(t.Further, at, at+1)
	}
	return is
}

// isEarly reports whether the study has too few people or days for a certificate. What its strategy has
// certified stays so: certificates hold at all later times.
func (r *Replayer) isEarly() bool {
	s, t := r.settings, r.State.Turnout
	return t.Days < s.LeastDays || !s.Judges && t.People < s.LeastPeople
}

// status returns the status of a study, or of one of its segments, given that of the strategy.
func (r *Replayer) status(s strategy.Status) strategy.Status {
	if (s == strategy.Certified || s == strategy.Cyclic) && r.isEarly() {
		return strategy.Asking
	}
	return s
}

// further returns a question of a study whose strategy has stopped too early: the leader among others, which
// are drawn with the numbers of answers and questions.
func (r *Replayer) further() choice.Question {
	r.State.Turnout.Further = append(r.State.Turnout.Further, r.State.Next)
	rng := rand.New(rand.NewPCG(uint64(r.State.Answers), uint64(r.State.Next-r.State.Began)))
	q := choice.Question{r.strategy.Verdict().Leader}
	for len(q) < r.settings.Strategy.K { // at least K arms remain
		if arm := rng.IntN(r.State.Arms); !slices.Contains(q, arm) && !slices.Contains(r.State.Withdrawn, arm) {
			q = append(q, arm)
		}
	}
	rng.Shuffle(len(q), func(i, j int) { q[i], q[j] = q[j], q[i] })
	return q
}

// teller returns how to tell the strategy an answer: a further question is not one of its own.
func (r *Replayer) teller(further bool) func(choice.Answer) error {
	if further {
		return r.strategy.Recount
	}
	return r.strategy.Tell
}
