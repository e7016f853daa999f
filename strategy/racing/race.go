package racing

import (
	"errors"
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
	"bestpick/strategy/internal/survey"
)

// A Race is the certified strategy under either assumption: a [*Linear], a [*majority.Race], or a linear
// race that falls back to majority.
type Race interface {
	strategy.Snapshotter

	// Extend adds arms. The catalogue begins with the present arms, with the same features.
	Extend(arms *choice.Catalogue) error

	// Withdraw removes an arm: it is no longer shown, and cannot be the leader or a contender.
	Withdraw(arm int) error

	// Import counts an answer to a question that was asked elsewhere.
	Import(answer choice.Answer) error

	// Recount counts an answer to a question that an earlier race of the same study asked.
	Recount(answer choice.Answer) error

	// Theta returns θ̂ of all answers, for the features of the catalogue as given. It returns nil if the
	// model has further parameters, and before the first answer.
	Theta() []float64
}

// Linear is the certified strategy under [strategy.Linear]. The package comment describes it. It is not safe for concurrent use.
type Linear struct {
	problem  problem
	pcg      *rand.PCG
	rng      *rand.Rand // draws from pcg
	tally    *choice.Tally
	linear   *choice.Linear
	evidence *evidence.Anytime
	tilts    *evidence.Tilts
	monitor  *checks.Monitor
	state    state
	leads    leads // of the last look, over its contenders; decks are planned from it

	numbers numbers       // scratch
	widest  design.Widest // scratch
}

// state is what a snapshot has besides the problem and the parts that save themselves.
type state struct {
	Course    survey.Course     `json:"course"`
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
	Outlook   survey.Outlook    `json:"outlook"`
	Schedule  schedule          `json:"schedule"`
	Duels     duels             `json:"duels"`
	Tilting   tilting           `json:"tilting,omitzero"`
	Direct    bool              `json:"direct"`              // whether the deck is of duels
	Verifying []int             `json:"verifying,omitempty"` // arms to be compared with the leader directly
	Top       []int             `json:"top,omitempty"`       // see [strategy.Verdict]
	Decided   bool              `json:"decided"`
	Progress  float64           `json:"progress,omitempty"` // see [strategy.Verdict]
	Misfits   []strategy.Misfit `json:"misfits,omitempty"`  // at the last check
	Outside   strategy.Outside  `json:"outside,omitzero"`   // the arms compared with none of them
}

const (
	checkEvery = 1.0 / 16 // of the answers so far: whether they fit the model
	longPause  = 8        // answers between looks at very many arms, at least
)

func newLinear(c *choice.Catalogue, settings Settings, size lookSizes) (*Linear, error) {
	settings = settings.WithDefaults()
	made, err := newProblem(c, settings, size)
	if err != nil {
		return nil, err
	}
	pcg := survey.NewPCG(settings.Seed)
	r := &Linear{problem: made, pcg: pcg, rng: rand.New(pcg), tally: choice.NewTally(made.rows.screen.Len())}
	r.attach()
	r.evidence.Start(firstShare)
	r.state = state{
		Course: survey.Course{NextLook: 1}, Schedule: schedule{Level: firstLevel, Late: firstLate},
		Memory: newMemory(&r.problem),
	}
	r.state.Belief, r.state.Informed = r.problem.startBeliefs(r.linear, nil)
	r.state.Outside.Offered = settings.Offer.Outside
	l, others := r.chooseLeads(0)
	r.adopt(l, standings{Contenders: l.unknown(), Others: others})
	return r, nil
}

// attach rebuilds the parts that depend on the arms.
func (r *Linear) attach() {
	screen := r.problem.rows.screen
	r.linear = choice.NewLinear(screen, r.tally)
	r.evidence = evidence.NewAnytime(screen, r.tally, r.problem.universal())
	r.tilts = evidence.NewTilts(screen, r.tally)
	r.monitor = checks.NewMonitor(r.problem.catalogue, screen, r.tally)
	r.monitor.Share(r.evidence)
}

// Ask returns a lost question, or the next one of the deck.
func (r *Linear) Ask() (choice.Question, error) {
	if r.state.Decided {
		return nil, strategy.ErrStopped
	}
	return r.state.Course.Ask(func() { r.plan(r.planner()) }), nil
}

// Lose queues a question to be asked again, unless it shows a withdrawn arm.
func (r *Linear) Lose(q choice.Question) error { return r.state.Course.Lose(q, r.problem.isWithdrawn) }

// Tell predicts an answer, counts it, and looks when it is time. It counts answers after the
// decision too, in case arms are added or withdrawn.
func (r *Linear) Tell(answer choice.Answer) error { return r.tell(answer, r.state.Course.Settle) }

// Import counts an answer to a question that was asked elsewhere. The evidence stays valid as long as picks follow the model, and
// neither the choice of the question nor the decision to import the answer depends on the pick. If the [Model] has slots or
// clicks, Import returns an error: the model relies on a random order of the slots.
func (r *Linear) Import(answer choice.Answer) error {
	if err := r.problem.settings.Model.CheckImport(); err != nil {
		return err
	}
	return r.Recount(answer)
}

// Recount counts an answer to a question that an earlier strategy of the same study asked. Unlike Import it accepts answers with
// slots or clicks in the [Model], because that strategy drew the order at random, too. This strategy must have another seed than
// that one. Otherwise it would draw the same orders again, after the answers to them are known.
func (r *Linear) Recount(answer choice.Answer) error { return r.tell(answer, r.state.Course.Add) }

func (r *Linear) tell(answer choice.Answer, settle func(choice.Question) error) error {
	segment, err := r.accept(answer, settle)
	if err != nil {
		return err
	}
	r.state.Course.Counted++
	if err := r.learn(answer, segment); err != nil {
		return err
	}
	if r.isDue() {
		r.look()
	}
	return nil
}

// accept checks an answer, settles its question, and returns the segment.
func (r *Linear) accept(answer choice.Answer, settle func(choice.Question) error) (segment int, err error) {
	settings := &r.problem.settings
	if err := settings.Offer.Check(answer, r.problem.catalogue.Len()); err != nil {
		return 0, err
	}
	if segment, err = settings.Model.segment(answer.Segment); err != nil {
		return 0, err
	}
	if settings.Model.Slots && len(answer.Question) > settings.K {
		return 0, fmt.Errorf("the question must have at most %d slots, got %d", settings.K, len(answer.Question))
	}
	return segment, settle(answer.Question)
}

// learn predicts the choices of an answer one by one, learns from each, and counts the answer. It goes through the choices by the
// rows on the screen, as the tally does: if slots matter, two slots with the same arm are a choice, and the tally counts it.
func (r *Linear) learn(answer choice.Answer, segment int) error {
	rows, s := r.problem.rows, &r.state
	shown := choice.Answer{Question: make(choice.Question, len(answer.Question)), Picks: answer.Picks}
	for slot, arm := range answer.Question {
		shown.Question[slot] = rows.row(arm, slot, segment)
	}
	for stage := range rows.alternatives.Stages(shown) {
		shares, each := r.problem.predict(&s.Belief, s.Informed, stage)
		r.evidence.Predict(math.Log(shares[stage.Picked]))
		r.observe(answer, stage, shares)
		s.Belief.Learn(rows.screen, stage.Rows, shares, stage.Rows[stage.Picked])
		s.Informed.learn(rows.screen, stage.Rows, each, stage.Picked)
	}
	return rows.alternatives.Count(r.tally, shown)
}

// observe lets the checks and the duels bet on a choice, given the predicted probabilities. The checks bet on which arm is picked
// as the best, given that one is: of all offers that is the softmax of the arms alone.
func (r *Linear) observe(answer choice.Answer, stage choice.Stage, shares []float64) {
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
			Arms: arms, Shown: slices.Clone(stage.Rows[:slots]), Slots: stage.Slots, Shares: ofArms, Belief: &r.state.Belief,
			Picked: stage.Picked, Respondent: answer.Respondent,
		})
	}
	if stage.Picked < slots {
		r.state.Duels.count(&r.problem, &r.state.Belief, comparison{
			left: arms, shares: shares, pick: arms[stage.Picked], first: slots == len(answer.Question), worst: stage.Worst,
		})
		r.tilts.Count(stage.Rows[:slots], stage.Picked)
	}
}

// isDue reports whether there are enough new answers since the last look.
func (r *Linear) isDue() bool {
	return !r.state.Decided && r.state.Course.Counted >= r.state.Course.NextLook
}

// look weighs the evidence, and then stops or plans.
func (r *Linear) look() {
	if certified := r.weigh(); certified && r.shouldStop() {
		r.stop()
		return
	}
	r.proceed(r.leads.Signal())
}

// weigh goes from the fit to the active set and the standings of its arms, and checks from time to time
// whether the answers fit the model. It reports whether all arms but the leader are eliminated.
func (r *Linear) weigh() (certified bool) {
	s, counted := &r.state, r.state.Course.Counted
	s.Course.NextLook = counted + r.pause()
	r.problem.fitBeliefs(r.linear, &s.Belief, s.Informed)
	l, found, certified := r.compare(s.Leader, s.Standings)
	for before := -1; !certified && len(found.Contenders) == 0 && found.Others > 0 && found.Others != before; {
		before = found.Others
		l, found, certified = r.compare(l.leader, found) // the most doubtful of the arms left
	}
	l.zeroEliminated(found.Contenders)
	l.Epsilon = r.problem.goal(&l, counted)
	r.adopt(l, found)
	if certified || counted >= s.NextCheck {
		s.NextCheck = counted + int(checkEvery*float64(counted))
		r.monitor.Look(s.Belief.Fitted)
		s.Misfits = r.problem.misfits(r.tally, s.Belief.Fitted)
	}
	return certified
}

// proceed invests capital and plans, given the least Z.
func (r *Linear) proceed(z float64) {
	r.invest(z)
	p := r.planner()
	r.state.Direct = z >= duelsFrom && p.duelsHelp(&r.state.Duels, &r.state.Belief)
	r.plan(p)
}

// stop ends the race with its leader.
func (r *Linear) stop() { r.state.Decided, r.state.Course.Deck = true, nil }

// pause returns the number of answers between two looks.
func (r *Linear) pause() int {
	share, least := r.problem.settings.LookEvery, 1
	if r.problem.rows.whitening != nil && share >= 0 {
		least = longPause
	}
	return r.state.Course.Pause(share, least)
}

// compare chooses the active set and weighs the evidence against its arms. An eliminated arm stays
// eliminated while the leader does not change; the memory records which of very many arms are.
func (r *Linear) compare(leader int, earlier standings) (l leads, found standings, certified bool) {
	s := &r.state
	w := weighing{
		problem: &r.problem, evidence: r.evidence, duels: &s.Duels, memory: &s.Memory, numbers: &r.numbers,
		answered: s.Course.Answered,
	}
	if r.problem.settings.Top != 0 {
		return w.weighTop(&s.Belief)
	}
	l, earlier.Others = r.chooseLeads(leader)
	if l.leader != leader || r.problem.rows.whitening != nil {
		earlier.Contenders = l.unknown()
	}
	if w.leads = &l; r.tiltsCount() {
		w.tilts = r.tilts
	}
	found, certified = w.weigh(earlier)
	s.Outside = w.compareWithOutside(s.Outside)
	return l, found, certified
}

// tiltsCount reports whether tilts are evidence. As with duels, which arm is best may depend on the
// answers once arms were added or withdrawn.
func (r *Linear) tiltsCount() bool { return r.problem.tilted() && !r.state.Duels.Closed }

// chooseLeads chooses the active set by the belief, and the leader with it, because the rivals
// depend on the leader. others counts the arms that are neither in the set nor eliminated.
func (r *Linear) chooseLeads(before int) (l leads, others int) {
	c, b := &r.problem, &r.state.Belief
	var set activeSet
	leader := survey.OpenLeader
	switch {
	case c.rows.whitening != nil:
		set, leader, others = c.chooseAmongMany(b, before, r.state.Memory.Eliminated, r.rng, &r.numbers)
	case c.rows.arms.Product() != nil:
		set, leader = c.chooseProfiles(b)
	default:
		set = allArms(c.rows)
	}
	l = c.newLeads(set, b, leader)
	if c.settings.Top != 0 {
		l = c.oppose(l, b, &r.state.Memory)
	}
	return l, others
}

// adopt makes the results of a look the state of the race.
func (r *Linear) adopt(l leads, found standings) {
	s := &r.state
	r.leads = l
	s.Leader, s.Active, s.Rivals = l.leader, l.arms, l.rivals
	s.Standings = found
	s.Progress = max(s.Progress, strategy.NewProgress(r.elimination(), found.Contenders, r.problem.threshold(), s.Course.Answered))
	if r.problem.settings.Budget != 0 {
		s.Goal = l.Epsilon
	}
	s.Outlook = survey.NewOutlook(&s.Belief, &l.Leads)
	s.Verifying = nil
	if r.problem.settings.Top != 0 {
		order, _ := r.problem.ranking(&l)
		s.Top = r.problem.top(&l, order)
	}
}

// invest invests capital in the evidence and in direct comparisons, given the least Z.
func (r *Linear) invest(z float64) {
	s, contenders := &r.state, r.state.Standings.Contenders
	if !s.Informed.settled() {
		return
	}
	if s.Informed.proven() && !s.Trusted {
		s.Trusted = true
		r.evidence.Start(trustedShare * r.evidence.Cash())
	}
	s.Schedule.invest(r.evidence, z, r.problem.dim(), s.Course.Answered)
	if r.tiltsCount() {
		s.Tilting.aim(r.tilts, &s.Belief, &r.leads, contenders, s.Course.Answered)
	}
	s.Duels.open(&r.problem, &r.leads, contenders, z)
}

// shouldStop reports whether to stop, now that all other arms are eliminated. If the answers refute the model, further answers
// cannot help. While they make it doubtful, or arms remain to be compared with the leader directly, the race continues.
func (r *Linear) shouldStop() bool {
	if !r.problem.settings.Model.Clicks {
		switch r.monitor.Finding().Status {
		case checks.Refuted:
			return true
		case checks.Doubtful:
			return false
		case checks.Fits:
		}
	}
	r.state.Verifying = r.problem.unverified(&r.leads, r.tally)
	return len(r.state.Verifying) == 0
}

// planner returns a planner with the weights of the last look, and the duels and picks as of now.
func (r *Linear) planner() *planner {
	p := r.problem.newPlanner(&r.leads, &r.state.Belief, &r.state.Course, r.tally.Picks(), r.rng, &r.widest)
	p.contenders, p.duelled = r.state.Standings.Contenders, r.state.Duels.weigh(&r.problem, &r.leads)
	return p
}

// plan plans a new deck.
func (r *Linear) plan(p *planner) {
	s := &r.state
	s.Course.Deck, s.Verifying = p.deck(s.Course.DeckSize(r.pause()), s.Verifying, s.Direct, &s.Outlook)
}

// Verdict returns the state of knowledge as of the last look, with the contenders by their lead.
func (r *Linear) Verdict() strategy.Verdict {
	s := &r.state
	v := strategy.Verdict{
		Leader: s.Leader, Asked: s.Course.Asked, Answered: s.Course.Answered, Contenders: []int{s.Leader},
		Model: r.monitor.Finding(), Misfits: slices.Clone(s.Misfits), Assumption: strategy.Linear, Outside: s.Outside.Clone(),
		Top: slices.Clone(s.Top),
	}
	if s.Decided {
		v.Elimination = strategy.NewElimination(r.problem.catalogue, r.apart(), 0)
		v.Status, v.Progress = strategy.Certified, 1
		if v.Model.Status == checks.Refuted && !r.problem.settings.Model.Clicks {
			v.Status = strategy.Decided
		}
		return v
	}
	for _, standing := range s.Standings.Contenders {
		v.Contenders = append(v.Contenders, standing.Arm)
	}
	v.Others = s.Standings.Others
	v.Elimination, v.Progress, v.Early = r.elimination(), s.Progress, s.Course.Answered < leastNamed
	v.Standings = slices.Clone(s.Standings.Contenders)
	v.Forecast, v.Verifying = s.Standings.Forecast, slices.Clone(s.Verifying)
	return v
}

// leastNamed is the number of answers before which no arm is named as the leader.
const leastNamed = 10

// apart counts the arms that are neither the leader nor rivals.
func (r *Linear) apart() int { return len(r.problem.withdrawn) + r.problem.inside() }

// elimination counts the rivals of the leader at the last look.
func (r *Linear) elimination() strategy.Elimination {
	found := &r.state.Standings
	return strategy.NewElimination(r.problem.catalogue, r.apart(), len(found.Contenders)+found.Others)
}

// Theta returns θ̂ of all answers, for the features of the catalogue as given. It returns nil if
// the [Model] has further parameters, and before the first answer.
func (r *Linear) Theta() []float64 {
	rows, c := r.problem.rows, r.problem.catalogue
	if rows.slots > 1 || rows.segments > 1 || r.problem.settings.Model.Intercepts || r.tally.Picks() == 0 {
		return nil
	}
	return survey.Theta(choice.NewAlternatives(c, r.problem.settings.Offer).Rows(), r.tally, c.Dim())
}

// errFixed is the error for products, and for a model that uses only duels: these depend on the set of arms.
var errFixed = errors.New("with clicks in the model, or with a product, arms cannot be added or withdrawn")

// Extend adds arms while a study runs. The catalogue must begin with the present arms, with the same features; the model predicts
// the new arms from their features at once. The certificate is over the arms at the time it is given, and holds for any reason to
// add or withdraw arms: from now on only the evidence about all of θ counts, which does not depend on which arm is best.
func (r *Linear) Extend(c *choice.Catalogue) error {
	if err := r.extend(c); err != nil {
		return err
	}
	r.look()
	return nil
}

// extend is Extend without a look.
func (r *Linear) extend(c *choice.Catalogue) error {
	old, s := r.problem.catalogue, &r.state
	if r.problem.settings.Model.Clicks || old.Product() != nil || c.Product() != nil {
		return errFixed
	}
	if err := r.problem.settings.check(c, r.problem.size); err != nil {
		return err
	}
	if err := survey.CheckExtended(old, c); err != nil {
		return err
	}
	extended, err := newProblem(c, r.problem.settings, r.problem.size)
	if err != nil {
		return err
	}
	extended.withdrawn = r.problem.withdrawn
	r.monitor.Look(s.Belief.Fitted) // with the arms before
	monitor, saved := r.monitor, r.evidence.State()
	r.problem = extended
	r.tally.Grow(extended.rows.screen.Len())
	r.attach()
	r.evidence.Restore(saved)
	r.monitor.Succeed(monitor)
	s.Belief, s.Informed = r.problem.startBeliefs(r.linear, s.Informed) // θ is in other coordinates now
	searched := s.Memory.Searched
	s.Memory = newMemory(&r.problem)
	s.Memory.Searched = searched
	r.reopen()
	return nil
}

// Withdraw removes an arm while a study runs: it is no longer shown and cannot be the leader or a
// contender. At least K arms must remain.
func (r *Linear) Withdraw(arm int) error {
	if r.problem.isWithdrawn(arm) {
		return nil
	}
	if err := r.withdraw(arm); err != nil {
		return err
	}
	r.look()
	return nil
}

// withdraw is Withdraw without a look.
func (r *Linear) withdraw(arm int) error {
	c := &r.problem
	if c.settings.Model.Clicks || c.catalogue.Product() != nil {
		return errFixed
	}
	if err := survey.CheckWithdrawal(c.catalogue, c.withdrawn, arm, c.settings.K); err != nil {
		return err
	}
	if c.catalogue.Len()-len(c.withdrawn)-1 <= c.settings.Top {
		return fmt.Errorf("more than %d arms must remain, of which the %[1]d best are certified", c.settings.Top)
	}
	c.withdrawn = append(c.withdrawn, arm)
	r.state.Course.Ledger.Drop(arm)
	r.reopen()
	return nil
}

// reopen reopens a decision and closes the duels, because arms have come or gone.
func (r *Linear) reopen() {
	s := &r.state
	s.Duels.Closed, s.Decided, s.Course.Deck, s.Leader, s.Progress = true, false, nil, survey.OpenLeader, 0
}
