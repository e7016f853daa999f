package majority

import (
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
)

// A Poll is majority evidence about all respondents: their answers, held until they are complete, and
// the election. A race under another assumption can collect it from its first answer on, and
// [Continue] as a majority race.
type Poll struct {
	settings Settings
	arms     arms

	People   respondents `json:"people"`
	Election election    `json:"election"`
}

// NewPoll returns a poll without answers.
func NewPoll(c *choice.Catalogue, settings Settings) (*Poll, error) {
	settings = settings.WithDefaults()
	if err := settings.Check(c); err != nil {
		return nil, err
	}
	return &Poll{settings: settings, arms: newArms(c, settings)}, nil
}

// Resume makes a poll that was decoded from JSON one about the given arms.
func (p *Poll) Resume(c *choice.Catalogue, settings Settings, withdrawn []int) {
	p.settings = settings.WithDefaults()
	p.arms = newArms(c, p.settings)
	p.arms.withdrawn = withdrawn
}

// Collect takes an answer. It returns the answers that are complete with it: this one, if it has no
// respondent. It reports an answer that comes too late to be evidence, because its respondent was
// complete.
func (p *Poll) Collect(a choice.Answer) (complete []choice.Answer, late bool) {
	if a.Respondent == "" {
		return []choice.Answer{a}, false
	}
	return nil, !p.People.hold(a)
}

// Finish returns the answers of a respondent, who is complete from now on. It is empty without a name.
func (p *Poll) Finish(respondent string) []choice.Answer {
	if respondent == "" {
		return nil
	}
	return p.People.finish(respondent)
}

// Finished reports whether later answers of a respondent are no evidence.
func (p *Poll) Finished(respondent string) bool { return p.People.Closed[respondent] }

// Guide takes an imported answer, which is no evidence: nor are later answers of the same respondent.
func (p *Poll) Guide(a choice.Answer) { p.People.close(a.Respondent) }

// Enter bets on the answers of a complete respondent, with predictions by a belief that rests on
// respondents before.
func (p *Poll) Enter(rows *choice.Catalogue, b *evidence.Belief, answers []choice.Answer) {
	p.People.Complete++
	p.People.Entered += len(answers)
	p.Election.enter(&p.arms, rows, b, answers)
}

// Support nominates an arm once it is credible, given the Z of its most doubtful rival, and returns the
// nominee that is elected, if there is one.
func (p *Poll) Support(arm int, z float64, answers int) (winner int, elected bool) {
	p.Election.support(&p.arms, arm, z, answers)
	return p.Election.elected(&p.arms)
}

// Counts returns the number of complete respondents, and of incomplete ones with at least one answer.
func (p *Poll) Counts() (complete, answering int) { return p.People.Complete, len(p.People.Held) }

// Change notes that arms have come or gone.
func (p *Poll) Change(c *choice.Catalogue, withdrawn []int) {
	p.arms.catalogue, p.arms.withdrawn = c, slices.Clone(withdrawn)
	p.Election.change(c.Len())
}
