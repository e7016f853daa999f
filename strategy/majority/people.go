package majority

import (
	"slices"

	"bestpick/choice"
)

// people are everyone who has arrived. Everyone has one hand, ever: answers beyond it are no evidence.
type people struct {
	Arrived  int             `json:"arrived"`         // the number of the last person
	Open     []Hand          `json:"open,omitempty"`  // in the order of arrival
	Known    map[string]bool `json:"known,omitempty"` // names with a hand, or with imported answers
	Complete int             `json:"complete"`        // people whose hands have ended with an answer
	Entered  int             `json:"entered"`         // their answers
	Finished int             `json:"finished"`        // people who answered all of their hands
}

// A Hand is the questions of a person whose session has not ended.
type Hand struct {
	Arrival  int               `json:"arrival"`
	Name     string            `json:"name,omitempty"`
	Segment  string            `json:"segment,omitempty"`
	Cards    []choice.Question `json:"cards"`
	Left     []choice.Question `json:"left,omitempty"` // not answered
	Picks    [][]int           `json:"picks"`          // by card, nil where it is not answered
	Answered int               `json:"answered,omitempty"`
	Earlier  bool              `json:"earlier,omitempty"` // an earlier strategy asked the questions
}

// arrive deals a hand to a person. It reports false for a person who has had one.
func (p *people) arrive(name, segment string, cards []choice.Question) (Hand, bool) {
	if p.Known[name] {
		return Hand{}, false
	}
	p.know(name)
	p.Arrived++
	h := Hand{Arrival: p.Arrived, Name: name, Segment: segment}
	for _, q := range cards {
		h.Cards = append(h.Cards, slices.Clone(q))
	}
	h.Left, h.Picks = slices.Clone(h.Cards), make([][]int, len(h.Cards))
	p.Open = append(p.Open, h)
	return h, true
}

// know lets later answers of a person only guide. Answers without a name have no person.
func (p *people) know(name string) {
	if name == "" {
		return
	}
	if p.Known == nil {
		p.Known = map[string]bool{}
	}
	p.Known[name] = true
}

// find returns the open hand of a person with a question that is left, nil if there is none.
func (p *people) find(name string, q choice.Question) *Hand {
	at := slices.IndexFunc(p.Open, func(h Hand) bool { return h.Name == name && h.has(q) })
	if at < 0 {
		return nil
	}
	return &p.Open[at]
}

func (h *Hand) has(q choice.Question) bool {
	return slices.ContainsFunc(h.Left, func(left choice.Question) bool { return slices.Equal(left, q) })
}

// answer takes a question off a hand.
func (h *Hand) answer(a choice.Answer) {
	at := slices.IndexFunc(h.Left, func(left choice.Question) bool { return slices.Equal(left, a.Question) })
	h.Left = slices.Delete(h.Left, at, at+1)
	h.Answered++
	for card, q := range h.Cards {
		if h.Picks[card] == nil && slices.Equal(q, a.Question) {
			h.Picks[card] = append([]int{}, a.Picks...)
			return
		}
	}
}

// end closes the hand of a person.
func (p *people) end(arrival int) Hand {
	at := slices.IndexFunc(p.Open, func(h Hand) bool { return h.Arrival == arrival })
	h := p.Open[at]
	p.Open = slices.Delete(p.Open, at, at+1)
	if h.Answered > 0 {
		p.Complete++
		p.Entered += h.Answered
	}
	if h.Answered == len(h.Cards) {
		p.Finished++
	}
	return h
}

// withdraw takes the questions that show an arm off all hands, and returns the hands that had one.
func (p *people) withdraw(arm int) (changed []Hand) {
	for i := range p.Open {
		h := &p.Open[i]
		left := len(h.Left)
		h.Left = slices.DeleteFunc(h.Left, func(q choice.Question) bool { return slices.Contains(q, arm) })
		if len(h.Left) < left {
			changed = append(changed, *h)
		}
	}
	return changed
}

// ended returns up to which number all hands have ended.
func (p *people) ended() int {
	if len(p.Open) > 0 {
		return p.Open[0].Arrival - 1
	}
	return p.Arrived
}

// answering counts the people with an answer whose hands have not ended.
func (p *people) answering() int {
	n := 0
	for i := range p.Open {
		if p.Open[i].Answered > 0 {
			n++
		}
	}
	return n
}

// answered counts the people with an answer.
func (p *people) answered() int { return p.Complete + p.answering() }

// each returns how many questions a person answers, on average.
func (p *people) each() float64 {
	if p.Complete == 0 {
		if len(p.Open) > 0 {
			return float64(len(p.Open[0].Cards))
		}
		return 1
	}
	return float64(p.Entered) / float64(p.Complete)
}
