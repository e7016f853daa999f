package dispatch

import (
	"slices"
	"time"

	"bestpick/internal/study"
)

const (
	minRecent = 10_000 // respondents with one open question each that a desk remembers, at least
	maxOpen   = 32     // open questions per respondent and process
)

// openLimit returns how many open questions a respondent may have in one process after done ones.
func openLimit(s study.Settings, done int) int {
	if s.PerRespondent == study.NoLimit {
		return maxOpen
	}
	return min(s.PerRespondent-done, maxOpen)
}

// A held question was dealt to a respondent and is open: it is neither settled nor expired.
type held struct {
	card

	asked time.Time
}

// A visit is a desk's memory of one respondent.
type visit struct {
	last    string        // the arms they were shown last, see setOf
	open    []held        // least recently served first; some may have expired
	left    []card        // of their hand, in order, as far as this process knows; nil if the store must be read
	history study.History // that goes with left
}

// size returns what a visit counts towards the limit of memory.
func (v visit) size() int { return 1 + len(v.open) + len(v.left) }

// A recent is a cache of respondents with two generations. When the younger one is full, it replaces
// the older one, which bounds memory.
type recent struct {
	young, old map[string]visit
	size       int // of the visits in young
}

func (r *recent) find(respondent string) (v visit, young bool) {
	v, young = r.young[respondent]
	if !young {
		v = r.old[respondent]
	}
	return v, young
}

// shown returns the arms that a respondent was shown last, empty if unknown.
func (r *recent) shown(respondent string) (arms string) {
	v, _ := r.find(respondent)
	return v.last
}

// put replaces what is remembered of a respondent.
func (r *recent) put(respondent string, v visit) {
	before, young := r.find(respondent)
	switch {
	case young:
		r.size -= before.size()
	case r.young == nil || r.size >= 2*minRecent:
		r.young, r.old, r.size = map[string]visit{}, r.young, 0
	}
	delete(r.old, respondent)
	r.young[respondent] = v
	r.size += v.size()
}

// note remembers that a question was dealt to a respondent.
func (r *recent) note(respondent string, h held) {
	v, _ := r.find(respondent)
	v.last, v.open = h.set, append(v.open, h)
	r.put(respondent, v)
}

// again returns the open question of a respondent that was served least recently, and reports whether
// they have as many as the limit. Questions for which gone is true are dropped before.
func (r *recent) again(respondent string, limit int, gone func(held) bool) (h held, full bool) {
	r.drop(respondent, gone)
	v, _ := r.find(respondent)
	if len(v.open) < limit {
		return held{}, false
	}
	h = v.open[0]
	copy(v.open, v.open[1:])
	v.open[len(v.open)-1] = h
	return h, true
}

// drop removes open questions of a respondent.
func (r *recent) drop(respondent string, gone func(held) bool) {
	v, young := r.find(respondent)
	before := len(v.open)
	v.open = slices.DeleteFunc(v.open, gone)
	switch {
	case len(v.open) == before:
	case young:
		r.young[respondent] = v
		r.size -= before - len(v.open)
	default:
		r.old[respondent] = v
	}
}

// forget removes a respondent.
func (r *recent) forget(respondent string) {
	if v, young := r.find(respondent); young {
		r.size -= v.size()
	}
	delete(r.young, respondent)
	delete(r.old, respondent)
}

// A card is a question of the deck.
type card struct {
	position study.Position
	question []int
	set      string // of the question, see setOf
	plan     int
	claimed  time.Time
}
