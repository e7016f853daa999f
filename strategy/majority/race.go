package majority

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/design"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
)

// A Race finds the arm that people choose. The package comment describes it. It implements [strategy.Strategy],
// [strategy.Changer], [strategy.Importer] and [strategy.Dealer], and is not safe for concurrent use.
type Race struct {
	poll  Poll
	model model // of all respondents
	pcg   *rand.PCG
	rng   *rand.Rand // draws from pcg
	state state
	leads survey.Leads // of the last look; decks are planned from it

	widest design.Widest // scratch
}

// state is what a snapshot has besides the poll, the model and the random numbers.
type state struct {
	Course      survey.Course       `json:"course"`
	Leader      int                 `json:"leader"`
	Contenders  []strategy.Standing `json:"contenders"` // at the last look
	Forecast    strategy.Forecast   `json:"forecast"`
	Outlook     survey.Outlook      `json:"outlook"`
	Comparisons *comparisons        `json:"comparisons,omitempty"` // of the leader, where it is nominated
	Refutation  *refutation         `json:"refutation,omitempty"`  // where people seem to have a cycle
	Cycle       []int               `json:"cycle,omitempty"`       // see [strategy.Verdict]
	Progress    float64             `json:"progress,omitempty"`    // see [strategy.Verdict]
	Decided     bool                `json:"decided,omitempty"`
	Cyclic      bool                `json:"cyclic,omitempty"`   // the decision is that no arm is majority-best
	Segments    subgroups           `json:"segments,omitempty"` // as declared
	Differ      bool                `json:"differ,omitempty"`   // it is certified that no arm is majority-best in all segments
}

// New returns a race between the arms of a catalogue.
func New(c *choice.Catalogue, settings Settings) (*Race, error) {
	poll, err := NewPoll(c, settings)
	if err != nil {
		return nil, err
	}
	m, err := newModel(c, choice.NewTally(c.Len()), guess{})
	if err != nil {
		return nil, err
	}
	m.forget()
	pcg := survey.NewPCG(settings.Seed)
	r := &Race{poll: *poll, model: m, pcg: pcg, rng: rand.New(pcg)}
	r.state = state{Course: survey.Course{NextLook: 1}, Segments: newSubgroups(r.poll.settings.Segments, m.rows)}
	l := r.poll.arms.leads(m.rows, &m.Belief, survey.OpenLeader)
	r.adopt(l, l.Unknown(func(arm int) int { return arm })) // all arms are compared
	return r, nil
}

// Continue returns a race with the evidence of a poll, and with the questions, answers and random numbers of the race that
// collected it. It looks at once.
func Continue(p *Poll, course survey.Course, tally *choice.Tally, pcg *rand.PCG, leader int) (*Race, error) {
	m, err := newModel(p.arms.catalogue, tally, guess{})
	if err != nil {
		return nil, err
	}
	m.forget()
	r := &Race{poll: *p, model: m, pcg: pcg, rng: rand.New(pcg), state: state{Course: course, Leader: leader}}
	r.decide()
	return r, nil
}

// Ask returns a lost question, or the next one of the deck.
func (r *Race) Ask() (choice.Question, error) {
	if r.state.Decided {
		return nil, strategy.ErrStopped
	}
	return r.state.Course.Ask(r.plan), nil
}

// Lose queues a question to be asked again, unless it shows a withdrawn arm. If it was dealt to a person without a name, they
// are no respondent.
func (r *Race) Lose(q choice.Question) error {
	if err := r.state.Course.Lose(q, r.poll.arms.isWithdrawn); err != nil {
		return err
	}
	if h, dealt := r.poll.Find("", q); dealt {
		r.close(h.Arrival)
	}
	return nil
}

// Begin says that the next questions asked are one hand, see [strategy.Dealer].
func (r *Race) Begin(questions int) { r.poll.Begin(&r.state.Course, questions) }

// Deal reports that a person arrives who will be asked the given questions, which are outstanding: their hand. The bets on
// their answers are placed now, from all answers so far. Everyone has one hand, ever; what else they answer only guides the
// choice of questions. A person without a name is another one each time. An answer to a question that was not dealt is a
// person's who arrives with it.
func (r *Race) Deal(respondent, segment string, hand []choice.Question) error {
	of, err := r.poll.settings.numberOf(segment)
	if err != nil {
		return err
	}
	for _, q := range hand {
		if err := q.Check(r.poll.arms.catalogue.Len()); err != nil {
			return err
		}
	}
	r.deal(respondent, segment, of, hand)
	return nil
}

// Redeal is Deal with questions that an earlier strategy of the same study asked: they are not outstanding.
func (r *Race) Redeal(respondent, segment string, hand []choice.Question) error {
	err := r.Deal(respondent, segment, hand)
	r.poll.Redealt(respondent)
	return err
}

func (r *Race) deal(respondent, segment string, of int, cards []choice.Question) bool {
	by := r.guide()
	h, fresh := r.poll.Deal(respondent, segment, cards, by)
	if fresh && len(r.state.Segments) > 0 {
		r.state.Segments[of].bet(&r.poll.arms, h, by)
	}
	return fresh
}

// guide returns the model of all answers so far.
func (r *Race) guide() Guide {
	picks := math.Round(r.model.tally.Picks() / max(float64(r.state.Course.Counted), 1))
	return Guide{Rows: r.model.rows, Belief: &r.model.Belief, Picks: max(int(picks), 1)}
}

// End ends the hand of a person, who is dealt no other: because all of it is answered or skipped, or some time after the last
// answer. Which of these must not depend on their choices. Questions that are not answered are not asked again.
func (r *Race) End(respondent string) error {
	h, open := r.poll.Open(respondent)
	if !open {
		return nil
	}
	for _, q := range h.Left {
		if !h.Earlier {
			r.state.Course.Drop(q)
		}
	}
	r.close(h.Arrival)
	return nil
}

// Distrust lets the bets on a person whose hand is open win nothing, whatever they answer.
func (r *Race) Distrust(respondent string) {
	h, open := r.poll.Distrust(respondent)
	if s := r.segment(h); open && s != nil {
		s.Election.distrust(h)
	}
}

// segment returns the segment of a person, nil without segments.
func (r *Race) segment(h Hand) *subgroup {
	if len(r.state.Segments) == 0 {
		return nil
	}
	of, _ := r.poll.settings.numberOf(h.Segment) // checked on arrival
	return &r.state.Segments[of]
}

// MaxExcluded is the largest number of people whom an owner can exclude.
const MaxExcluded = 10

// Exclude notes that the owner excluded a person after seeing answers: from now on an arm is certified only if it is with
// everyone, and without what any one person more has added to its capital. It looks at once, and reopens a decision.
func (r *Race) Exclude() error {
	if r.poll.Election.Weighted || r.poll.Election.Excluded == MaxExcluded {
		return fmt.Errorf("majority: at most %d people can be excluded, and none from a weighted population", MaxExcluded)
	}
	r.poll.Election.Excluded++
	for i := range r.state.Segments {
		of := &r.state.Segments[i]
		of.Election.Excluded++
		of.Verdict.Status = strategy.Asking
	}
	r.reconsider()
	return nil
}

// close ends a hand.
func (r *Race) close(arrival int) {
	h := r.poll.End(arrival)
	if s := r.segment(h); s != nil {
		s.end(&r.poll.arms, h)
	}
}

// Ended reports whether answers of a respondent are no evidence, because their hand has ended.
func (r *Race) Ended(respondent string) bool { return r.poll.Ended(respondent) }

// Tell takes an answer. It guides the choice of questions and, if it is to a question of its respondent's hand, is evidence.
func (r *Race) Tell(answer choice.Answer) error { return r.tell(answer, r.state.Course.Settle) }

// Recount takes an answer to a question that an earlier strategy of the same study asked.
func (r *Race) Recount(answer choice.Answer) error { return r.tell(answer, r.state.Course.Add) }

func (r *Race) tell(answer choice.Answer, settle func(choice.Question) error) error {
	of, err := r.poll.settings.numberOf(answer.Segment)
	if err != nil {
		return err
	}
	answer, err = r.accept(answer, settle)
	if err != nil {
		return err
	}
	h, evident := r.poll.Find(answer.Respondent, answer.Question)
	if !evident && r.deal(answer.Respondent, answer.Segment, of, []choice.Question{answer.Question}) {
		h, evident = r.poll.Find(answer.Respondent, answer.Question)
	}
	if evident {
		last := r.poll.Count(answer)
		if s := r.segment(h); s != nil {
			if err := s.count(r.model.rows, h.Arrival, answer); err != nil {
				return err
			}
		}
		if last {
			r.close(h.Arrival)
		}
	}
	r.state.Course.Counted++
	if err := r.learn(answer); err != nil {
		return err
	}
	r.lookIfDue()
	return nil
}

// Import takes an answer to a question that was asked elsewhere. It is no evidence, because which questions its respondent was
// asked may have depended on their choices. It only guides the choice of questions, and so do later answers of the same
// respondent.
func (r *Race) Import(answer choice.Answer) error {
	answer, err := r.accept(answer, r.state.Course.Add)
	if err != nil {
		return err
	}
	r.poll.Import(answer.Respondent)
	r.state.Course.Counted++
	if err := r.learn(answer); err != nil {
		return err
	}
	r.lookIfDue()
	return nil
}

// accept checks an answer and settles its question. It returns the picks of the best arms: of the best two of three, where the
// best and the worst are given.
func (r *Race) accept(answer choice.Answer, settle func(choice.Question) error) (choice.Answer, error) {
	s := &r.poll.settings
	if err := s.Offer.Check(answer, r.poll.arms.catalogue.Len()); err != nil {
		return answer, err
	}
	if _, err := s.numberOf(answer.Segment); err != nil {
		return answer, err
	}
	if err := settle(answer.Question); err != nil {
		return answer, err
	}
	if s.Offer.BestWorst && len(answer.Question) == 3 && len(answer.Picks) == 2 {
		answer.Picks = []int{answer.Picks[0], 3 - answer.Picks[0] - answer.Picks[1]} // the third is the worst
		return answer, nil
	}
	return s.Offer.Picked(answer), nil
}

// learn lets an answer guide the choice of questions.
func (r *Race) learn(a choice.Answer) error {
	return learn(r.model.rows, &r.model.Belief, r.model.tally, a)
}

// lookIfDue looks when there are enough new answers since the last look. After the decision it only evaluates the bets: later
// answers may raise doubts.
func (r *Race) lookIfDue() {
	if c := &r.state.Course; c.Counted >= c.NextLook {
		r.look()
	}
}

// look schedules the next look, and decides.
func (r *Race) look() {
	c := &r.state.Course
	c.NextLook = c.Counted + r.pause()
	if r.state.Decided {
		r.poll.Settle()
		return
	}
	r.decide()
}

// pause returns the number of answers until the next look: a share of the answers so far. Of many arms, single answers change
// nothing.
func (r *Race) pause() int {
	return r.state.Course.Pause(r.poll.settings.LookEvery, max(1, r.poll.arms.catalogue.Len()/armsPerAnswer))
}

// armsPerAnswer is the number of arms for each answer that is at least waited for.
const armsPerAnswer = 16

// decide fits the model, chooses the leader, and then stops or plans.
func (r *Race) decide() {
	s, a := &r.state, &r.poll.arms
	r.model.fit(s.Course.Counted)
	rows := r.model.rows
	r.poll.Settle()
	s.Segments.look(a, rows, &r.poll.People)
	s.Differ = s.Differ || s.Segments.differ(a.delta, a.catalogue.Len())
	people := group{
		arms: a, rows: rows, belief: &r.model.Belief, election: &r.poll.Election, leader: s.Leader,
		answers: s.Course.Counted, arrived: r.poll.People.Arrived, each: r.poll.People.each(), picks: r.model.tally.Picks(),
	}
	l, contenders, elected := people.look()
	for elected && !a.isLast() {
		a.placed = append(a.placed, l.Top)
		l, contenders, elected = people.look()
	}
	r.adopt(l, contenders)
	if elected {
		s.Decided, s.Course.Deck = true, nil
		return
	}
	s.Cyclic = len(a.placed) == 0 && r.poll.Election.isCyclic(a)
	if s.Cycle = people.findCycle(s.Cyclic); s.Cyclic {
		s.Decided, s.Course.Deck = true, nil
		return
	}
	s.Comparisons, s.Refutation = newComparisons(&people, &r.leads), nil
	if s.Comparisons != nil && a.top == 1 {
		s.Forecast = s.Comparisons.forecast(contenders, math.Log(1/a.studyDelta), a.k, s.Course.Answered)
	}
	if s.Cycle != nil && len(a.placed) == 0 && !r.poll.Election.Changed && !r.poll.Election.Weighted {
		s.Refutation = newRefutation(&people, &r.leads, s.Cycle)
	}
	r.plan()
}

// adopt makes the results of a look the state of the race.
func (r *Race) adopt(l survey.Leads, contenders []strategy.Standing) {
	r.leads = l
	r.keepContenders(contenders)
	s := &r.state
	s.Leader, s.Contenders, s.Forecast = l.Top, contenders, strategy.Forecast{}
	s.Outlook = survey.NewOutlook(&r.model.Belief, &r.leads)
	a := &r.poll.arms
	next := strategy.NewProgress(r.elimination(), contenders, math.Log(1/a.studyDelta), s.Course.Answered)
	s.Progress = max(s.Progress, (float64(len(a.placed))+next)/float64(a.top))
}

// elimination counts the rivals of the leader at the last look.
func (r *Race) elimination() strategy.Elimination {
	a := &r.poll.arms
	return strategy.NewElimination(a.catalogue, len(a.withdrawn)+len(a.placed), len(r.state.Contenders))
}

// keepContenders lets only contenders challenge the leader.
func (r *Race) keepContenders(contenders []strategy.Standing) {
	var arms []int
	for _, c := range contenders {
		arms = append(arms, c.Arm)
	}
	r.leads.Keep(arms)
}

// plan plans a new deck: of comparisons that refute all arms of a cycle, of the leader's comparisons with its rivals, or before
// there is a nominee of survey questions.
func (r *Race) plan() {
	s, c := &r.state, &r.state.Course
	p := survey.Planner{
		Leads: &r.leads, IsWithdrawn: c.Hand.Without(r.poll.arms.isOut, r.poll.arms.k, r.poll.arms.catalogue.Len()),
		K: r.poll.arms.k, Answered: c.Counted,
		Picks: r.model.tally.Picks() / max(float64(c.Counted), 1), RNG: r.rng, Widest: &r.widest,
		Fixed: s.Refutation != nil || s.Comparisons != nil,
	}
	p.Weigh(&r.model.Belief)
	deck := p.Deck(c.DeckSize(r.pause()), &s.Outlook, func(challenger int, _ bool) []int {
		switch {
		case s.Refutation != nil:
			return s.Refutation.question(p.K, r.rng)
		case s.Comparisons != nil:
			return append([]int{r.leads.Top}, s.Comparisons.question(p.K-1, r.rng)...)
		}
		return p.Survey(challenger, s.Outlook.Inverse)
	})
	c.Deck = c.Deck[:0:0]
	for _, q := range slices.Backward(deck) {
		c.Deck = append(c.Deck, q)
	}
}

// Verdict returns the state of knowledge as of the last look, with the contenders by their lead.
func (r *Race) Verdict() strategy.Verdict {
	s := &r.state
	v := strategy.Verdict{
		Leader: s.Leader, Asked: s.Course.Asked, Answered: s.Course.Answered, Contenders: []int{s.Leader},
		Model:      checks.Finding{Each: make([]float64, len(checks.All()))}, // nothing is assumed that could be checked
		Assumption: strategy.Majority, Segments: s.Segments.verdicts(), SegmentsDiffer: s.Differ,
		Elimination: r.elimination(), Progress: s.Progress, Early: len(r.poll.Election.Nominees) == 0,
	}
	if r.poll.arms.top > 1 {
		v.Top = r.best()
		v.Leader, v.Contenders = v.Top[0], []int{v.Top[0]}
	}
	if s.Decided {
		v.Progress = 1
	}
	left := s.Contenders
	if s.Decided && !s.Cyclic {
		v.Status = strategy.Certified
		v.Elimination = strategy.NewElimination(r.poll.arms.catalogue, len(r.poll.arms.withdrawn), 0)
	}
	r.poll.Report(&v, r.guide())
	if v.Status == strategy.Certified {
		return v
	}
	for _, standing := range left {
		v.Contenders = append(v.Contenders, standing.Arm)
	}
	v.Cycle, v.Standings = slices.Clone(s.Cycle), slices.Clone(left)
	if s.Cyclic {
		v.Status = strategy.Cyclic
		return v
	}
	v.Forecast = s.Forecast
	return v
}

// best returns as many arms as are sought: the elected arms in their order, then the leader, then the arms with the largest
// utilities.
func (r *Race) best() []int {
	a := &r.poll.arms
	best := append(slices.Clone(a.placed), r.state.Leader)
	likely := survey.Smallest{Size: a.top}
	for _, arm := range a.present() {
		if !slices.Contains(best, arm) {
			likely.Offer(arm, -r.model.rows.Utility(arm, r.model.Belief.Fitted))
		}
	}
	return append(best, likely.Sorted()...)[:a.top]
}

// Theta returns θ̂ of all answers, for the features of the catalogue as given. It returns nil before the first answer.
func (r *Race) Theta() []float64 {
	if r.model.tally.Picks() == 0 {
		return nil
	}
	return survey.Theta(r.poll.arms.catalogue, r.model.tally, r.poll.arms.catalogue.Dim())
}

// Extend adds arms while a study runs. The catalogue must begin with the present arms, with the same features. The certificate
// is over the arms at the time it is given, and holds for any reason to add or withdraw arms: from then on every rival of a
// nominee has a part of δ.
func (r *Race) Extend(c *choice.Catalogue) error {
	if err := r.poll.settings.Check(c); err != nil {
		return err
	}
	if err := survey.CheckExtended(r.poll.arms.catalogue, c); err != nil {
		return err
	}
	r.model.tally.Grow(c.Len())
	extended, err := newModel(c, r.model.tally, guess{Scale: r.model.Scale, NextTune: r.model.NextTune})
	if err != nil {
		return err
	}
	r.model = extended
	r.model.forget() // θ is in other coordinates now
	r.reopen(c, r.poll.arms.withdrawn)
	return nil
}

// Withdraw removes an arm while a study runs: it is no longer shown and cannot be the leader or a contender. At least K arms
// must remain.
func (r *Race) Withdraw(arm int) error {
	a := &r.poll.arms
	if a.isWithdrawn(arm) {
		return nil
	}
	if err := survey.CheckWithdrawal(a.catalogue, a.withdrawn, arm, a.k+a.top-1); err != nil {
		return err
	}
	r.state.Course.Ledger.Drop(arm)
	for _, h := range r.poll.Withdraw(arm) {
		if s := r.segment(h); s != nil {
			s.Election.cut(h)
		}
		if len(h.Left) == 0 {
			r.close(h.Arrival)
		}
	}
	r.reopen(a.catalogue, append(a.withdrawn, arm))
	return nil
}

// reopen reconsiders with the current arms.
func (r *Race) reopen(c *choice.Catalogue, withdrawn []int) {
	s := &r.state
	r.poll.Change(c, withdrawn)
	s.Segments.change(&r.poll.arms, r.model.rows)
	s.Leader, s.Comparisons = survey.OpenLeader, nil
	r.reconsider()
}

// reconsider looks at once, without the decisions so far.
func (r *Race) reconsider() {
	s := &r.state
	s.Decided, s.Cyclic, s.Differ, s.Progress, s.Course.Deck = false, false, false, 0, nil
	r.look()
}
