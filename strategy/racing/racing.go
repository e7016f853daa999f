package racing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/design"
	"bestpick/evidence"
	"bestpick/strategy"
)

// Racing is the certified strategy. The package comment describes it. It implements
// [strategy.Strategy] and is not safe for concurrent use.
type Racing struct {
	contest  contest
	pcg      *rand.PCG
	rng      *rand.Rand // draws from pcg
	tally    *choice.Tally
	linear   *choice.Linear
	evidence *evidence.Anytime
	tilts    *evidence.Tilts
	monitor  *checks.Monitor
	state    state
	leads    leads // of the last look, over its contenders; decks are planned from it

	survey survey        // scratch
	widest design.Widest // scratch
}

// state is what a snapshot has besides the contest and the parts that save themselves.
type state struct {
	Ledger    strategy.Ledger   `json:"ledger"`
	Deck      []choice.Question `json:"deck"`     // the next question last
	Asked     int               `json:"asked"`    // in all
	Answered  int               `json:"answered"` // in all
	NextLook  int               `json:"next_look"`
	NextCheck int               `json:"next_check"`
	Belief    evidence.Belief   `json:"belief"`
	Informed  hypotheses        `json:"informed,omitempty"` // the beliefs with a prior; Belief has the best θ̂ of them
	Trusted   bool              `json:"trusted,omitempty"`  // capital is invested because the prior helps
	Leader    int               `json:"leader"`
	Active    []int             `json:"active,omitempty"` // the active set, where that is not all arms
	Rivals    []bool            `json:"rivals,omitempty"` // which of it must be eliminated
	Standings standings         `json:"standings"`        // at the last look
	Goal      float64           `json:"goal,omitempty"`   // the ε that questions aim at, with a budget
	Memory    memory            `json:"memory"`
	Outlook   outlook           `json:"outlook"`
	Schedule  schedule          `json:"schedule"`
	Duels     duels             `json:"duels"`
	Tilting   tilting           `json:"tilting,omitzero"`
	Direct    bool              `json:"direct"`              // whether the deck is of duels
	Verifying []int             `json:"verifying,omitempty"` // arms to be compared with the leader directly
	Top       []int             `json:"top,omitempty"`       // see [strategy.Verdict]
	Decided   bool              `json:"decided"`
	Misfits   []strategy.Misfit `json:"misfits,omitempty"` // at the last check
	Outside   strategy.Outside  `json:"outside,omitzero"`  // the arms compared with none of them

	// With majority evidence:
	Respondents *respondents `json:"respondents,omitempty"`
	Election    election     `json:"election,omitzero"`
	Campaign    *campaign    `json:"campaign,omitempty"` // of the leader, where it is nominated
	Refutation  *refutation  `json:"refutation,omitempty"`
	Switched    bool         `json:"switched,omitempty"` // a linear race has fallen back
	Elected     bool         `json:"elected,omitempty"`  // the decision rests on majority evidence
	Cyclic      bool         `json:"cyclic,omitempty"`   // the decision is that no arm is majority-best
	Scale       int          `json:"scale,omitempty"`    // of the residuals
	NextTune    int          `json:"next_tune,omitempty"`
	Cycle       []int        `json:"cycle,omitempty"`    // see [strategy.Verdict]
	Segments    []segment    `json:"segments,omitempty"` // as declared
	Differ      bool         `json:"differ,omitempty"`   // it is certified that no arm is majority-best in all segments
}

const (
	lookEvery  = 1.0 / 64 // of the answers so far
	checkEvery = 1.0 / 16 // of the answers so far: whether they fit the model
	longPause  = 8        // answers between looks at very many arms, at least
	stream     = 0x52414345
)

// New returns the certified strategy for the arms of a catalogue.
func New(c *choice.Catalogue, settings Settings) (*Racing, error) {
	return newRacing(c, settings, defaultSizes())
}

func newRacing(c *choice.Catalogue, settings Settings, size sizes) (*Racing, error) {
	settings = settings.WithDefaults()
	made, err := newContest(c, settings, size)
	if err != nil {
		return nil, err
	}
	pcg := rand.NewPCG(settings.Seed, stream)
	r := &Racing{contest: made, pcg: pcg, rng: rand.New(pcg), tally: choice.NewTally(made.views.shown.Len())}
	r.attach()
	r.evidence.Start(firstShare)
	r.state = state{NextLook: 1, Schedule: newSchedule()}
	if r.byMajority() {
		r.useResiduals()
	}
	r.believe()
	r.state.Memory = newMemory(&r.contest)
	if settings.CountsPeople() {
		r.state.Respondents = &respondents{}
		r.state.Segments = newSegments(&r.contest)
	} else {
		r.state.Outside.Offered = settings.Offer.Outside
	}
	l, others := r.chooseLeads(0)
	r.adopt(l, standings{Contenders: l.unknown(), Others: others})
	return r, nil
}

// attach rebuilds the parts that depend on the arms.
func (r *Racing) attach() {
	shown := r.contest.views.shown
	r.linear = choice.NewLinear(shown, r.tally)
	r.evidence = evidence.NewAnytime(shown, r.tally, r.contest.universal())
	r.tilts = evidence.NewTilts(shown, r.tally)
	r.monitor = checks.NewMonitor(r.contest.catalogue, shown, r.tally)
	r.monitor.Share(r.evidence)
}

// Ask returns a lost question, or the next one of the deck.
func (r *Racing) Ask() (choice.Question, error) {
	if r.state.Decided {
		return nil, strategy.ErrStopped
	}
	if q, ok := r.state.Ledger.AskAgain(); ok {
		r.state.Asked++
		return q, nil
	}
	if len(r.state.Deck) == 0 {
		r.plan(r.planner())
	}
	last := len(r.state.Deck) - 1
	q := r.state.Deck[last]
	r.state.Deck = r.state.Deck[:last]
	r.state.Asked++
	return r.state.Ledger.Ask(q), nil
}

// Tell predicts an answer, counts it, and looks when it is time. It counts answers after the
// decision too, in case arms are added or withdrawn.
func (r *Racing) Tell(answer choice.Answer) error { return r.tell(answer, r.state.Ledger.Settle) }

// Import counts an answer to a question that was asked elsewhere. The evidence stays valid as long
// as picks follow the model, and neither the choice of the question nor the decision to import the
// answer depends on the pick. If the [Model] has slots or clicks, Import returns an error: the
// model relies on a random order of the slots.
//
// Imported answers are no majority evidence, because which questions their respondents were asked may
// have depended on their choices. They only guide the choice of questions, and so do later answers of
// the same respondents.
func (r *Racing) Import(answer choice.Answer) error {
	if err := r.contest.settings.Model.CheckImport(); err != nil {
		return err
	}
	if r.state.Respondents == nil {
		return r.Recount(answer)
	}
	if _, err := r.accept(answer, r.unasked); err != nil {
		return err
	}
	return r.guide(r.contest.settings.Offer.Picked(answer))
}

// Recount counts an answer to a question that an earlier strategy of the same study asked. Unlike
// Import it accepts answers with slots or clicks in the [Model], because that strategy drew the
// order at random, too. This strategy must have another seed than that one. Otherwise it would draw
// the same orders again, after the answers to them are known.
func (r *Racing) Recount(answer choice.Answer) error { return r.tell(answer, r.unasked) }

// unasked settles a question that this strategy has not asked.
func (r *Racing) unasked(choice.Question) error {
	r.state.Asked++
	return nil
}

func (r *Racing) tell(answer choice.Answer, settle func(choice.Question) error) error {
	segment, err := r.accept(answer, settle)
	if err != nil {
		return err
	}
	if r.state.Respondents != nil {
		return r.collect(r.contest.settings.Offer.Picked(answer))
	}
	if err := r.learn(answer, segment); err != nil {
		return err
	}
	r.lookIfDue()
	return nil
}

// accept checks an answer, settles its question, and returns the segment.
func (r *Racing) accept(answer choice.Answer, settle func(choice.Question) error) (segment int, err error) {
	if err := r.contest.settings.Offer.Check(answer, r.contest.catalogue.Len()); err != nil {
		return 0, err
	}
	settings := &r.contest.settings
	if segment, err = settings.Model.segment(answer.Segment); err != nil {
		return 0, err
	}
	if settings.Model.Slots && len(answer.Question) > settings.K {
		return 0, fmt.Errorf("the question must have at most %d slots, got %d", settings.K, len(answer.Question))
	}
	if err := settle(answer.Question); err != nil {
		return 0, err
	}
	r.state.Answered++
	return segment, nil
}

// learn predicts the choices of an answer one by one, learns from each, and counts the answer. It
// goes through the choices by the rows shown, as the tally does: if slots matter, two slots with the
// same arm are a choice, and the tally counts it.
func (r *Racing) learn(answer choice.Answer, segment int) error {
	views, belief := r.contest.views, &r.state.Belief
	if r.byMajority() {
		return guide(views.shown, belief, r.tally, answer)
	}
	rows := choice.Answer{Question: make(choice.Question, len(answer.Question)), Picks: answer.Picks}
	for slot, arm := range answer.Question {
		rows.Question[slot] = views.row(arm, slot, segment)
	}
	for stage := range views.alternatives.Stages(rows) {
		shares, each := r.predict(stage)
		r.evidence.Predict(math.Log(shares[stage.Picked]))
		r.observe(answer, stage, shares)
		belief.Learn(views.shown, stage.Rows, shares, stage.Rows[stage.Picked])
		r.state.Informed.learn(views.shown, stage.Rows, each, stage.Picked)
	}
	return views.alternatives.Count(r.tally, rows)
}

// observe lets the checks and the duels bet on a choice, given the predicted probabilities. The
// checks bet on which arm is picked as the best, given that one is: of all offers that is the softmax
// of the arms alone.
func (r *Racing) observe(answer choice.Answer, stage choice.Stage, shares []float64) {
	slots := len(stage.Slots)
	arms := make([]int, slots)
	for i, slot := range stage.Slots {
		arms[i] = answer.Question[slot]
	}
	if stage.Worst || stage.Picked >= slots {
		r.monitor.Predict(math.Log(shares[stage.Picked]))
	} else {
		ofArms := shares
		if len(shares) > slots {
			ofArms = slices.Clone(shares[:slots])
			one := floats.Sum(ofArms) // the probability that one of the arms is picked
			floats.Scale(1/one, ofArms)
			r.monitor.Predict(math.Log(one))
		}
		r.monitor.Observe(checks.Pick{
			Arms: arms, Shown: slices.Clone(stage.Rows[:slots]), Slots: stage.Slots, Shares: ofArms, Belief: &r.state.Belief, Picked: stage.Picked,
			Respondent: answer.Respondent,
		})
	}
	if stage.Picked < slots {
		r.state.Duels.count(&r.contest, &r.state.Belief, comparison{
			left: arms, shares: shares, pick: arms[stage.Picked], first: slots == len(answer.Question), worst: stage.Worst,
		})
		r.tilts.Count(stage.Rows[:slots], stage.Picked)
	}
}

// Lose queues a question to be asked again, unless it shows a withdrawn arm.
func (r *Racing) Lose(q choice.Question) error {
	lose := r.state.Ledger.Lose
	if slices.ContainsFunc(q, r.contest.isWithdrawn) {
		lose = r.state.Ledger.Settle
	}
	if err := lose(q); err != nil {
		return err
	}
	r.state.Asked--
	return nil
}

// lookIfDue looks when there are enough new answers since the last look.
func (r *Racing) lookIfDue() {
	if !r.state.Decided && r.counted() >= r.state.NextLook {
		r.look()
	}
}

// look proceeds from the fit to the active set and the standings of its arms, and then stops or
// plans.
func (r *Racing) look() {
	s := &r.state
	s.NextLook = r.counted() + r.pause()
	if r.byMajority() {
		r.lookByMajority()
		return
	}
	r.fit()
	l, found, certified := r.compare(s.Leader, s.Standings)
	for before := -1; !certified && len(found.Contenders) == 0 && found.Others > 0 && found.Others != before; {
		before = found.Others
		l, found, certified = r.compare(l.leader, found) // the most doubtful of the arms left
	}
	l.zeroEliminated(found.Contenders)
	l.epsilon = r.contest.goal(&l, r.counted())
	r.adopt(l, found)
	if certified || r.counted() >= s.NextCheck {
		s.NextCheck = r.counted() + int(checkEvery*float64(r.counted()))
		r.monitor.Look(s.Belief.Fitted)
		s.Misfits = r.contest.misfits(r.tally, s.Belief.Fitted)
	}
	if r.shouldFallBack() {
		r.fallBack()
		r.lookByMajority()
		return
	}
	if certified && r.shouldStop() {
		s.Decided, s.Deck = true, nil
		return
	}
	z := l.signal()
	if arm, elected := r.nominate(z); elected {
		s.Leader, s.Decided, s.Elected, s.Deck = arm, true, true, nil
		return
	}
	r.invest(found.Contenders, z)
	p := r.planner()
	s.Direct = z >= duelsFrom && p.duelsHelp(&s.Duels, &s.Belief)
	r.plan(p)
}

// counted returns the number of answers that count: all, or those of complete respondents and imported
// ones.
func (r *Racing) counted() int {
	if people := r.state.Respondents; people != nil {
		return people.Entered + people.Imported
	}
	return r.state.Answered
}

// pause returns the number of answers between two looks, which is also the number of questions in a
// deck.
func (r *Racing) pause() int {
	share := r.contest.settings.LookEvery
	if share == 0 {
		share = lookEvery
	}
	least := 1
	if r.contest.views.whitening != nil && share > 0 {
		least = longPause
	}
	return max(least, int(share*float64(r.counted())))
}

// compare chooses the active set and weighs the evidence against its arms. An eliminated arm stays
// eliminated while the leader does not change; the memory records which of very many arms are.
func (r *Racing) compare(leader int, earlier standings) (l leads, found standings, certified bool) {
	s := &r.state
	if r.contest.settings.Top != 0 {
		return r.compareTop()
	}
	l, earlier.Others = r.chooseLeads(leader)
	if l.leader != leader || r.contest.views.whitening != nil {
		earlier.Contenders = l.unknown()
	}
	w := weighing{contest: &r.contest, evidence: r.evidence, duels: &s.Duels, leads: &l, memory: &s.Memory, survey: &r.survey, answered: s.Answered}
	if r.tiltsCount() {
		w.tilts = r.tilts
	}
	found, certified = w.weigh(earlier)
	s.Outside = w.compareWithOutside(s.Outside)
	return l, found, certified
}

// chooseLeads chooses the active set by the belief, and the leader with it, because the rivals
// depend on the leader. others counts the arms that are neither in the set nor eliminated.
func (r *Racing) chooseLeads(before int) (l leads, others int) {
	c, b := &r.contest, &r.state.Belief
	var set activeSet
	leader := openLeader
	switch {
	case c.views.whitening != nil:
		set, leader, others = c.chooseAmongMany(b, before, r.state.Memory.Eliminated, r.rng, &r.survey)
	case c.views.judged.Product() != nil:
		set, leader = c.chooseProfiles(b)
	default:
		set = allArms(c.views)
	}
	l = c.newLeads(set, b, leader)
	if c.settings.Top != 0 {
		l = c.oppose(l, b, &r.state.Memory)
	}
	return l, others
}

// adopt makes the results of a look the state of the race.
func (r *Racing) adopt(l leads, found standings) {
	s := &r.state
	r.leads = l
	s.Leader, s.Active, s.Rivals = l.leader, l.arms, l.rivals
	s.Standings = found
	if r.contest.settings.Budget != 0 {
		s.Goal = l.epsilon
	}
	s.Outlook = newOutlook(&s.Belief, &l)
	s.Verifying = nil
	if r.contest.settings.Top != 0 {
		order, _ := r.contest.ranking(&l)
		s.Top = r.contest.top(&l, order)
	}
}

// shouldStop reports whether to stop, now that all other arms are eliminated. If the answers refute
// the model, further answers cannot help. While they make it doubtful, or arms remain to be
// compared with the leader directly, the race continues.
func (r *Racing) shouldStop() bool {
	if !r.contest.settings.Model.Clicks {
		switch r.monitor.Finding().Status {
		case checks.Refuted:
			return true
		case checks.Doubtful:
			return false
		case checks.Fits:
		}
	}
	r.state.Verifying = r.contest.unverified(&r.leads, r.tally)
	return len(r.state.Verifying) == 0
}

// planner returns a planner with the weights of the last look, and the duels and picks as of now.
func (r *Racing) planner() *planner {
	p := &planner{
		contest: &r.contest, leads: &r.leads, contenders: r.state.Standings.Contenders, rng: r.rng, widest: &r.widest,
		duelled:  r.state.Duels.weigh(&r.contest, &r.leads),
		answered: r.counted(), picks: r.tally.Picks() / max(float64(r.counted()), 1),
	}
	p.weighPlaces(&r.state.Belief)
	return p
}

// plan plans a new deck.
func (r *Racing) plan(p *planner) {
	s := &r.state
	s.Deck, s.Verifying = p.deck(min(maxPlanned, r.pause()), agenda{s.Verifying, s.Direct, s.Campaign, s.Refutation}, &s.Outlook)
}

// Verdict returns the state of knowledge as of the last look, with the contenders by their lead.
func (r *Racing) Verdict() strategy.Verdict {
	s := &r.state
	v := strategy.Verdict{
		Leader: s.Leader, Asked: s.Asked, Answered: s.Answered, Contenders: []int{s.Leader},
		Model: r.monitor.Finding(), Misfits: slices.Clone(s.Misfits), Assumption: strategy.Linear, Outside: s.Outside.Clone(),
	}
	if r.byMajority() || s.Elected {
		v.Assumption = strategy.Majority
	}
	if s.Respondents != nil {
		v.Respondents, v.Answering = s.Respondents.Complete, len(s.Respondents.Held)
		v.Segments, v.SegmentsDiffer = r.segmentVerdicts(), s.Differ
	}
	v.Top = slices.Clone(s.Top)
	withdrawn := len(r.contest.withdrawn) + r.contest.inside()
	if s.Decided && !s.Cyclic {
		v.Elimination = strategy.NewElimination(r.contest.catalogue, withdrawn, 0)
		v.Status = strategy.Certified
		if v.Assumption == strategy.Linear && v.Model.Status == checks.Refuted && !r.contest.settings.Model.Clicks {
			v.Status = strategy.Decided
		}
		return v
	}
	for _, standing := range s.Standings.Contenders {
		v.Contenders = append(v.Contenders, standing.Arm)
	}
	v.Others, v.Cycle = s.Standings.Others, slices.Clone(s.Cycle)
	v.Elimination = strategy.NewElimination(r.contest.catalogue, withdrawn, len(s.Standings.Contenders)+v.Others)
	v.Standings = slices.Clone(s.Standings.Contenders)
	if s.Cyclic {
		v.Status = strategy.Cyclic
		return v
	}
	v.Forecast, v.Verifying = s.Standings.Forecast, slices.Clone(s.Verifying)
	return v
}
