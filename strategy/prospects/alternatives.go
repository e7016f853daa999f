package prospects

import (
	"slices"

	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// An Alternative is a questionnaire with what is expected of it.
type Alternative struct {
	Questionnaire

	Changed  Setting // what differs from the chosen questionnaire
	Expected Expectation
}

// A Setting names a setting of a questionnaire. The zero value is none of them.
type Setting string

// The settings that alternatives change.
const (
	Tolerance  Setting = "epsilon"
	Size       Setting = "k"
	Ranking    Setting = "picks"
	Assumption Setting = "assume"
	PerPerson  Setting = "each"
	Fakes      Setting = "fakes"
)

// A Comparison shows how the number of answers depends on the settings.
type Comparison struct {
	// Chosen is the questionnaire as it is set.
	Chosen Alternative

	// Others differ from it in one setting each: the tolerance, the arms in a question, the arms ranked
	// in an answer, the assumption, and under majority the questions per respondent and the people who may be fake.
	Others []Alternative

	// Cheapest needs the fewest answers of those with the tolerance, the assumption and the questions per respondent of Chosen.
	// Larger questions and rankings need fewer answers, but each takes a respondent longer.
	Cheapest Alternative

	// Each is the recommended number of questions per respondent: more need fewer respondents, but more
	// answers where people are counted rather than answers. It is the largest number, up to 20 since
	// people tire, with at most 1.5 times the fewest answers.
	Each int
}

// The settings that are compared.
func comparedTolerances() []float64 { return []float64{0, 0.2, 0.4} }
func comparedSizes() []int          { return []int{2, 3, 4, 5} }
func comparedPicks() []int          { return []int{1, 2} }
func comparedEach() []int           { return []int{1, 5, 10, 20} }
func comparedFakes() []int          { return []int{0, 2, 5, 10} }

// worthMore is how many times the fewest answers may be needed to spare respondents.
const worthMore = 1.5

// Compare estimates a questionnaire and its alternatives.
func (p *Prospects) Compare(q Questionnaire) Comparison {
	q = q.withDefaults()
	c := Comparison{Chosen: p.alternative(q, ""), Each: slices.Max(comparedEach())}
	c.Cheapest = c.Chosen
	for _, epsilon := range without(comparedTolerances(), q.Settings.Epsilon) {
		other := q
		other.Settings.Epsilon = epsilon
		c.Others = append(c.Others, p.alternative(other, Tolerance))
	}
	c.compareQuestions(p)
	if other, ok := p.otherAssumption(q); ok {
		c.Others = append(c.Others, p.alternative(other, Assumption))
	}
	if q.Settings.Assume == strategy.Majority {
		c.compareEach(p)
		for _, fakes := range without(comparedFakes(), q.Settings.Fakes) {
			other := q
			other.Settings.Fakes = fakes
			c.Others = append(c.Others, p.alternative(other, Fakes))
		}
	}
	return c
}

// compareQuestions adds questions of other sizes, and other rankings. Under majority an answer that orders all
// arms shown means more than another, so larger questions are ranked completely where the chosen ones are, and
// partial ones are not the cheapest with the same guarantee.
func (c *Comparison) compareQuestions(p *Prospects) {
	k, picks := c.Chosen.Settings.K, c.Chosen.Picks
	complete := c.Chosen.Settings.Assume == strategy.Majority && picks == k-1
	add := func(k, picks int, changed Setting) {
		if k > p.arms || picks >= k {
			return
		}
		other := c.Chosen.Questionnaire
		other.Settings.K, other.Picks = k, picks
		a := p.alternative(other, changed)
		c.Others = append(c.Others, a)
		if a.Expected.Median < c.Cheapest.Expected.Median && (!complete || picks == k-1) {
			c.Cheapest = a
		}
	}
	for _, size := range without(comparedSizes(), k) {
		if complete {
			add(size, size-1, Size)
			continue
		}
		add(size, min(picks, size-1), Size)
	}
	for _, count := range without(comparedPicks(), picks) {
		add(k, count, Ranking)
	}
}

// compareEach adds other numbers of questions per respondent, and recommends one.
func (c *Comparison) compareEach(p *Prospects) {
	var tried []Alternative
	for _, each := range comparedEach() {
		other := c.Chosen.Questionnaire
		other.Each = each
		tried = append(tried, p.alternative(other, PerPerson))
	}
	fewest := tried[0].Expected.Median
	for _, a := range tried {
		fewest = min(fewest, a.Expected.Median)
	}
	for _, a := range tried {
		if a.Expected.Median <= worthMore*fewest {
			c.Each = a.Each
		}
		if a.Each != c.Chosen.Each {
			c.Others = append(c.Others, a)
		}
	}
}

// otherAssumption returns the questionnaire under the other assumption, if that is possible.
func (p *Prospects) otherAssumption(q Questionnaire) (other Questionnaire, ok bool) {
	other = q
	if q.Settings.Assume == strategy.Majority {
		other.Settings.Assume, other.Settings.Fakes = strategy.Linear, 0
		return other, true
	}
	other.Settings.Assume, other.Settings.LinearOnly = strategy.Majority, racing.LinearOnly{}
	return other, p.electable && q.Settings.Model.IsPlain()
}

func (p *Prospects) alternative(q Questionnaire, changed Setting) Alternative {
	return Alternative{q, changed, p.Expect(q)}
}

// without returns the values other than one.
func without[T comparable](values []T, one T) []T {
	return slices.DeleteFunc(values, func(v T) bool { return v == one })
}
