package majority

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
)

// A Poll is majority evidence about all respondents: the hands they were dealt, and the election. A race under another
// assumption can collect it from its first answer on, and [Continue] as a majority race.
type Poll struct {
	settings Settings
	arms     arms

	People   people   `json:"people"`
	Election election `json:"election"`
	Doubts   doubts   `json:"doubts"`
}

// NewPoll returns a poll without answers.
func NewPoll(c *choice.Catalogue, settings Settings) (*Poll, error) {
	settings = settings.WithDefaults()
	if err := settings.Check(c); err != nil {
		return nil, err
	}
	p := &Poll{settings: settings, arms: newArms(c, settings), Election: newElection(c.Len())}
	p.Election.Weighted = settings.Weights != nil
	return p, nil
}

// Resume makes a poll that was decoded from JSON one about the given arms.
func (p *Poll) Resume(c *choice.Catalogue, settings Settings, withdrawn []int) {
	p.settings = settings.WithDefaults()
	p.arms = newArms(c, p.settings)
	p.arms.withdrawn = withdrawn
}

// A Guide predicts answers. It rests on answers so far.
type Guide struct {
	Rows   *choice.Catalogue
	Belief *evidence.Belief
	Picks  int // arms that an answer ranks
}

// Begin begins a hand. Once there is a nominee, it is in nearly every question.
func (p *Poll) Begin(c *survey.Course, questions int) {
	if c.Hand = (survey.Hand{}); questions > 1 && len(p.Election.Nominees) == 0 {
		c.Begin(questions, p.arms.k, p.arms.catalogue.Len()-len(p.arms.withdrawn))
	}
}

// Deal places the bets on a person who arrives. It reports false for a person who has had a hand, whose answers are no evidence.
func (p *Poll) Deal(name, segment string, cards []choice.Question, by Guide) (Hand, bool) {
	h, fresh := p.People.arrive(name, segment, cards)
	if fresh {
		p.Election.weigh(by)
		p.Election.bet(&p.arms, h, by)
	}
	return h, fresh
}

// Redealt notes that an earlier strategy asked the questions of a person's open hand.
func (p *Poll) Redealt(name string) {
	at := slices.IndexFunc(p.People.Open, func(h Hand) bool { return h.Name == name })
	if at >= 0 {
		p.People.Open[at].Earlier = true
	}
}

// Find returns the open hand of a person that has a question. It reports false if there is none.
func (p *Poll) Find(name string, q choice.Question) (Hand, bool) {
	if h := p.People.find(name, q); h != nil {
		return *h, true
	}
	return Hand{}, false
}

// Count counts an answer of a person whose hand has the question, and reports whether it is the last one.
func (p *Poll) Count(a choice.Answer) (last bool) {
	h := p.People.find(a.Respondent, a.Question)
	h.answer(a)
	p.Election.count(h.Arrival, a)
	return len(h.Left) == 0
}

// End ends an open hand, see [evidence.Majority], and returns it as it is.
func (p *Poll) End(arrival int) Hand {
	h := p.People.end(arrival)
	p.Election.end(&p.arms, h)
	p.Doubts.end(h)
	return h
}

// Open returns the open hand of a person. It reports false if there is none.
func (p *Poll) Open(name string) (Hand, bool) {
	at := slices.IndexFunc(p.People.Open, func(h Hand) bool { return h.Name == name })
	if at < 0 {
		return Hand{}, false
	}
	return p.People.Open[at], true
}

// Distrust lets the bets on a person whose hand is open win nothing, and returns the hand. It reports false if there is none.
func (p *Poll) Distrust(name string) (Hand, bool) {
	h, open := p.Open(name)
	if open {
		p.Election.distrust(h)
	}
	return h, open
}

// Withdraw takes the questions that show an arm off all hands, and returns the hands that had one. What is not answered of
// them stays lost: if it were left out, which comparisons count would depend on why the arm is withdrawn.
func (p *Poll) Withdraw(arm int) []Hand {
	changed := p.People.withdraw(arm)
	for _, h := range changed {
		p.Election.cut(h)
	}
	return changed
}

// Ended reports whether answers of a person are no evidence, because their hand has ended.
func (p *Poll) Ended(name string) bool {
	_, open := p.Open(name)
	return p.People.Known[name] && !open
}

// Import notes that a person has imported answers: neither those nor their later ones are evidence.
func (p *Poll) Import(name string) { p.People.know(name) }

// Settle evaluates the bets.
func (p *Poll) Settle() {
	p.Election.settle(&p.arms, p.People.ended())
	p.Election.showWorse(&p.arms)
	p.Doubts.settle(&p.arms, &p.Election, p.People.ended())
}

// Support evaluates the bets, nominates an arm once it is credible, given the Z of its most doubtful rival, and returns the
// nominee that is elected, if there is one.
func (p *Poll) Support(arm int, z float64, answers int) (winner int, elected bool) {
	p.Settle()
	p.Election.support(&p.arms, arm, z, answers, p.People.Arrived)
	return p.Election.elected(&p.arms)
}

// Report adds what the poll knows to a verdict that has its status, leader and assumption.
func (p *Poll) Report(v *strategy.Verdict, by Guide) {
	v.Respondents, v.Answering = p.People.Complete, p.People.answering()
	v.Arrived, v.Finished = p.People.Arrived, p.People.Finished
	v.Partial = p.Election.Partial
	if arm, share, ok := p.Election.proven(&p.arms); ok {
		v.Proven = strategy.Proven{Arm: arm, Share: share}
	}
	certified := v.Status == strategy.Certified && v.Assumption == strategy.Majority
	v.Doubts = slices.Clone(p.Doubts.Found)
	if certified {
		v.Doubts = append(v.Doubts, p.Doubts.unchecked(p.People.answered(), !p.Election.Partial && p.arms.showAll())...)
		v.Missing, v.Withstands = 1, math.MaxInt
		for _, arm := range append([]int{v.Leader}, v.Top...) {
			v.Missing = min(v.Missing, p.Election.missing(&p.arms, arm, v.Top))
			v.Withstands = min(v.Withstands, p.Election.withstands(&p.arms, arm, v.Top))
		}
	}
	if !p.Election.Weighted {
		v.FirstChoice = p.arms.firstChoice(by, v.Leader)
	}
}

// firstChoice returns the share of an arm among all that are present, by the model.
func (a *arms) firstChoice(by Guide, arm int) float64 {
	present := a.present()
	at := slices.Index(present, arm)
	if at < 0 {
		return 0
	}
	return by.Belief.Predict(by.Rows, present)[at]
}

// Change notes that arms have come or gone.
func (p *Poll) Change(c *choice.Catalogue, withdrawn []int) {
	p.arms.catalogue, p.arms.withdrawn, p.arms.placed = c, slices.Clone(withdrawn), nil
	p.Election.change(&p.arms)
}
