package checks

import (
	"fmt"
	"math"

	"bestpick/choice"
)

// A Response is an answer with what is known about how it was given.
type Response struct {
	choice.Answer

	Seconds  float64 // from seeing the question to answering; 0 where not known
	Identity string  // who the respondent is, where the owner of a study knows; else empty
}

// Rules say whose answers are left out. They have to be settled before a study begins, and none
// of them looks at which arms somebody picks: whoever leaves out those who disagree with the
// leader will find that all agree.
type Rules struct {
	// SameSlot leaves out who keeps picking the same slot, whatever stands there: where that is
	// so many times as likely as that they look at what they pick. Slots are dealt at random, so
	// that nobody who looks prefers one. Default 1,000; negative for never.
	SameSlot float64

	// Reading is the least time, in seconds, in which a question can be read. Who is faster in
	// more than half of their answers is left out. Default 0, for never.
	Reading float64

	// Twins lets two names of one identity count as two. By default only the first counts.
	Twins bool
}

// An Exclusion is a respondent who is left out, and why.
type Exclusion struct {
	Respondent string
	Reason     string
}

// Roster watches respondents one by one.
type Roster struct {
	people []person
	index  map[string]int
	names  map[string]string // identity → the name it had first
}

// A person is what is known of a respondent.
type person struct {
	name, identity string
	answers        int
	slots          []float64 // log-likelihood of keeping to each slot, against picking what stands anywhere
	seconds        []float64
}

// keeps is the probability with which somebody who keeps to a slot picks it.
const keeps = 0.95

// NewRoster returns an empty one.
func NewRoster() *Roster { return &Roster{index: map[string]int{}, names: map[string]string{}} }

// Tell notes a response. Those of nobody in particular are passed over.
func (r *Roster) Tell(a Response) {
	if a.Respondent == "" || len(a.Picks) == 0 {
		return
	}
	at, known := r.index[a.Respondent]
	if !known {
		at = len(r.people)
		r.index[a.Respondent] = at
		r.people = append(r.people, person{name: a.Respondent, identity: a.Identity})
		if _, taken := r.names[a.Identity]; a.Identity != "" && !taken {
			r.names[a.Identity] = a.Respondent
		}
	}
	p := &r.people[at]
	p.answers++
	k := len(a.Question)
	for len(p.slots) < k {
		p.slots = append(p.slots, 0)
	}
	for slot := range p.slots {
		switch {
		case slot >= k: // not on the screen, so they would pick as anyone
		case slot == a.Picks[0]:
			p.slots[slot] += math.Log(keeps * float64(k))
		default:
			p.slots[slot] += math.Log((1 - keeps) / float64(k-1) * float64(k))
		}
	}
	if a.Seconds > 0 {
		p.seconds = append(p.seconds, a.Seconds)
	}
}

// SameSlot returns the evidence that a respondent keeps to one slot, as a log of odds: the mean
// of the likelihood of keeping to it, over that of picking what stands there, with weights
// 1/((s+1)(s+2)) for the slots s = 0, 1, …, which sum to 1. It ever reaches 1/α with probability
// at most α for somebody who looks.
func (r *Roster) SameSlot(name string) float64 {
	at, known := r.index[name]
	if !known {
		return 0
	}
	var parts []float64
	for s, log := range r.people[at].slots {
		parts = append(parts, log-math.Log(float64((s+1)*(s+2))))
	}
	return choice.LogSumExp(append(parts, -math.Log(float64(len(parts)+1)))) // and slots never shown
}

// Excluded returns who is left out, in the order in which they came.
func (r *Roster) Excluded(rules Rules) []Exclusion {
	odds := rules.SameSlot
	if odds == 0 {
		odds = 1000
	}
	var out []Exclusion
	for _, p := range r.people {
		fast := 0
		for _, seconds := range p.seconds {
			if seconds < rules.Reading {
				fast++
			}
		}
		switch first := r.names[p.identity]; {
		case p.identity != "" && first != p.name && !rules.Twins:
			out = append(out, Exclusion{p.name, "the same person as " + first})
		case odds > 0 && r.SameSlot(p.name) >= math.Log(odds):
			out = append(out, Exclusion{p.name, "picks the same place whatever stands there"})
		case 2*fast > p.answers:
			out = append(out, Exclusion{p.name, fmt.Sprintf("answers %d of %d questions faster than they can be read", fast, p.answers)})
		}
	}
	return out
}
