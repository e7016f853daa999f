package racing

import (
	"errors"
	"math"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/majority"
)

// fallback is a race that begins under [strategy.Linear] and continues under [strategy.Majority] once the answers refute the
// linear model. Both kinds of evidence are collected from the first answer on, with a part of δ each, so that either may certify.
type fallback struct {
	personal // a *hedged, then a *majority.Race

	refuted // by what, once it is a *majority.Race
}

// A personal race has evidence about people.
type personal interface {
	Race
	strategy.Dealer
}

// refuted is what refuted the linear model.
type refuted struct {
	Model    checks.Finding    `json:"model"`
	Misfits  []strategy.Misfit `json:"misfits,omitempty"`
	Progress float64           `json:"progress,omitempty"` // until then
}

// hedged is the linear part of a fallback, with the majority evidence collected so far.
type hedged struct {
	*Linear

	poll    *majority.Poll
	elected bool // the decision rests on majority evidence
	whole   *fallback
}

func newFallback(c *choice.Catalogue, settings Settings) (*fallback, error) {
	linear, err := newLinear(c, settings, defaultLookSizes())
	if err != nil {
		return nil, err
	}
	poll, err := majority.NewPoll(c, linear.problem.settings.majority())
	if err != nil {
		return nil, err
	}
	f := &fallback{}
	f.personal = &hedged{Linear: linear, poll: poll, whole: f}
	return f, nil
}

// Verdict returns the state of knowledge as of the last look.
func (f *fallback) Verdict() strategy.Verdict {
	v := f.personal.Verdict()
	if _, linear := f.personal.(*hedged); !linear {
		v.Model, v.Misfits, v.Progress = f.Model, f.Misfits, max(f.Progress, v.Progress)
	}
	return v
}

// Leaderboard is that of the linear part, and after a certificate by majority evidence, or once the model is refuted, that of
// [majority.Race].
func (f *fallback) Leaderboard() []strategy.Rank {
	switch race := f.personal.(type) {
	case *majority.Race:
		return race.Leaderboard()
	case *hedged:
		if race.elected {
			return race.poll.Leaderboard(race.state.Leader, race.guide())
		}
		return race.Leaderboard()
	}
	return nil
}

// CertifiedEpsilon is that of the linear part. It reports false after a certificate by majority evidence.
func (f *fallback) CertifiedEpsilon() (epsilon float64, ok bool) {
	if h, linear := f.personal.(*hedged); linear && !h.elected {
		return h.CertifiedEpsilon()
	}
	return 0, false
}

// Tell counts an answer, as evidence about people if it is to a question of its respondent's hand.
func (h *hedged) Tell(answer choice.Answer) error { return h.tell(answer, h.state.Course.Settle) }

// Recount counts an answer to a question that an earlier strategy of the same study asked.
func (h *hedged) Recount(answer choice.Answer) error { return h.tell(answer, h.state.Course.Add) }

func (h *hedged) tell(answer choice.Answer, settle func(choice.Question) error) error {
	if _, err := h.accept(answer, settle); err != nil {
		return err
	}
	hand, evident := h.poll.Find(answer.Respondent, answer.Question)
	if !evident {
		hand, evident = h.poll.Deal(answer.Respondent, answer.Segment, []choice.Question{answer.Question}, h.guide())
	}
	if evident && h.poll.Count(answer) {
		h.poll.End(hand.Arrival)
	}
	return h.count(answer)
}

// guide predicts answers by the linear model.
func (h *hedged) guide() majority.Guide {
	picks := math.Round(h.tally.Picks() / max(float64(h.state.Course.Counted), 1))
	return majority.Guide{Rows: h.problem.rows.arms, Belief: &h.state.Belief, Picks: max(int(picks), 1)}
}

// Import counts an answer to a question that was asked elsewhere, which is no majority evidence.
func (h *hedged) Import(answer choice.Answer) error {
	if _, err := h.accept(answer, h.state.Course.Add); err != nil {
		return err
	}
	h.poll.Import(answer.Respondent)
	return h.count(answer)
}

// Begin says that the next questions asked are one hand, see [strategy.Dealer].
func (h *hedged) Begin(questions int) { h.poll.Begin(&h.state.Course, questions) }

// Deal places the bets on a person who arrives, see [majority.Race.Deal].
func (h *hedged) Deal(respondent, segment string, hand []choice.Question) error {
	for _, q := range hand {
		if err := q.Check(h.problem.catalogue.Len()); err != nil {
			return err
		}
	}
	h.poll.Deal(respondent, segment, hand, h.guide())
	return nil
}

// Redeal is Deal with questions that an earlier strategy of the same study asked.
func (h *hedged) Redeal(respondent, segment string, hand []choice.Question) error {
	err := h.Deal(respondent, segment, hand)
	h.poll.Redealt(respondent)
	return err
}

// End ends the hand of a person, see [majority.Race.End].
func (h *hedged) End(respondent string) error {
	hand, open := h.poll.Open(respondent)
	if !open {
		return nil
	}
	for _, q := range hand.Left {
		if !hand.Earlier {
			h.state.Course.Drop(q)
		}
	}
	h.poll.End(hand.Arrival)
	return nil
}

// Distrust lets the bets on a person whose hand is open win nothing, see [majority.Race.Distrust].
func (h *hedged) Distrust(respondent string) { h.poll.Distrust(respondent) }

// Exclude returns an error: under linear, evidence is not about people.
func (h *hedged) Exclude() error {
	return errors.New("racing: people can be excluded only under majority")
}

// Ended reports whether answers of a respondent are no majority evidence, because their hand has ended.
func (h *hedged) Ended(respondent string) bool { return h.poll.Ended(respondent) }

// Lose queues a question to be asked again. If it was dealt to a person without a name, they are no respondent.
func (h *hedged) Lose(q choice.Question) error {
	if err := h.Linear.Lose(q); err != nil {
		return err
	}
	if hand, dealt := h.poll.Find("", q); dealt {
		h.poll.End(hand.Arrival)
	}
	return nil
}

// count counts an answer as linear evidence, and looks when it is time.
func (h *hedged) count(answer choice.Answer) error {
	h.state.Course.Counted++
	if err := h.learn(answer, 0); err != nil {
		return err
	}
	if h.isDue() {
		return h.look()
	}
	return nil
}

// look weighs the linear evidence. If the answers refute the model, the race continues under majority. Otherwise it stops with
// either certificate, or plans.
func (h *hedged) look() error {
	certified := h.weigh()
	if finding := h.monitor.Finding(); finding.Status == checks.Refuted {
		race, err := majority.Continue(h.poll, h.state.Course, h.tally, h.pcg, h.state.Leader)
		if err != nil {
			return err
		}
		h.whole.personal, h.whole.refuted = race, refuted{finding, h.state.Misfits, h.state.Progress}
		return nil
	}
	if certified && h.shouldStop() {
		h.stop()
		return nil
	}
	z := h.leads.Signal()
	if arm, elected := h.poll.Support(h.state.Leader, z, h.state.Course.Counted); elected {
		h.state.Leader, h.elected = arm, true
		h.stop()
		return nil
	}
	h.proceed(z)
	return nil
}

// Extend adds arms while a study runs, see [Linear.Extend] and [majority.Race.Extend].
func (h *hedged) Extend(c *choice.Catalogue) error {
	if err := h.extend(c); err != nil {
		return err
	}
	return h.reopened()
}

// Withdraw removes an arm while a study runs.
func (h *hedged) Withdraw(arm int) error {
	if h.problem.isWithdrawn(arm) {
		return nil
	}
	if err := h.withdraw(arm); err != nil {
		return err
	}
	for _, hand := range h.poll.Withdraw(arm) {
		if len(hand.Left) == 0 {
			h.poll.End(hand.Arrival)
		}
	}
	return h.reopened()
}

// reopened looks at once, with the current arms.
func (h *hedged) reopened() error {
	h.poll.Change(h.problem.catalogue, h.problem.withdrawn)
	h.elected = false
	return h.look()
}

// Verdict returns the state of knowledge as of the last look.
func (h *hedged) Verdict() strategy.Verdict {
	v := h.Linear.Verdict()
	if h.elected {
		v.Assumption, v.Status = strategy.Majority, strategy.Certified
	}
	h.poll.Report(&v, h.guide())
	return v
}

const (
	fallbackName    = "fallback"
	fallbackVersion = 1
)

// fallbackSnapshot has the linear part, or once that is refuted the race under majority.
type fallbackSnapshot struct {
	refuted

	Linear   []byte         `json:"linear,omitempty"` // a sealed snapshot
	Poll     *majority.Poll `json:"poll,omitempty"`
	Elected  bool           `json:"elected,omitempty"`
	Majority []byte         `json:"majority,omitempty"` // a sealed snapshot
}

// Snapshot returns the state, for [Restore].
func (f *fallback) Snapshot() ([]byte, error) {
	inner, err := f.personal.Snapshot()
	if err != nil {
		return nil, err
	}
	saved := fallbackSnapshot{Majority: inner, refuted: f.refuted}
	if h, linear := f.personal.(*hedged); linear {
		saved = fallbackSnapshot{Linear: inner, Poll: h.poll, Elected: h.elected}
	}
	return strategy.Seal(fallbackName, fallbackVersion, saved)
}

func restoreFallback(c *choice.Catalogue, data []byte) (*fallback, error) {
	var saved fallbackSnapshot
	if err := strategy.Unseal(data, fallbackName, fallbackVersion, &saved); err != nil {
		return nil, err
	}
	f := &fallback{refuted: saved.refuted}
	if saved.Majority != nil {
		race, err := majority.Restore(c, saved.Majority)
		f.personal = race
		return f, err
	}
	linear, err := restoreLinear(c, saved.Linear, defaultLookSizes())
	if err != nil {
		return nil, err
	}
	saved.Poll.Resume(c, linear.problem.settings.majority(), linear.problem.withdrawn)
	f.personal = &hedged{Linear: linear, poll: saved.Poll, elected: saved.Elected, whole: f}
	return f, nil
}
