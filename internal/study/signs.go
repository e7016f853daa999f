package study

import (
	"encoding/hex"
	"time"

	"bestpick/checks"
	"bestpick/strategy"
)

// Signs count what may be a sign of fraud among the counted outcomes. They exclude nothing: [Settings.Rules] do. Where a
// rule is off, the limit is that of [checks.UsualRules].
type Signs struct {
	Timed    int `json:"timed,omitempty"`    // answers with a known time
	Fast     int `json:"fast,omitempty"`     // of these, faster than the question can be read
	People   int `json:"people,omitempty"`   // who arrived
	Crowded  int `json:"crowded,omitempty"`  // of these, beyond the limit of their network and hour
	Largest  int `json:"largest,omitempty"`  // most people of one network in an hour
	Straight int `json:"straight,omitempty"` // people who keep picking the same slot
	Burst    int `json:"burst,omitempty"`    // most people who arrived in one minute
}

// A Sign is a warning: some of all people, or answers, look like fraud.
type Sign struct {
	Kind    string // fast, network, straight or burst
	Some    int
	All     int
	Largest int  // with network: most people of one network in an hour
	Counted bool // they are evidence, because the rule is off
}

// Limits of signs. Below them, a careless person or a link in a newsletter is more likely.
const (
	leastFast     = 10 // answers
	leastStraight = 3  // people
	leastBurst    = 10 // people
	shareOfSigns  = 10 // one in ten answers, or straight-lining people
	shareOfBurst  = 3  // one in three people
)

// Warnings returns the signs that an owner should know of.
func (s Signs) Warnings(rules checks.Rules) []Sign {
	var found []Sign
	if s.Fast >= leastFast && s.Fast*shareOfSigns >= s.Timed {
		found = append(found, Sign{Kind: "fast", Some: s.Fast, All: s.Timed, Counted: rules.Reading == 0})
	}
	if s.Crowded > 0 {
		found = append(found, Sign{Kind: "network", Some: s.Crowded, All: s.People, Largest: s.Largest, Counted: rules.Network == 0})
	}
	if s.Straight >= leastStraight && s.Straight*shareOfSigns >= s.People {
		found = append(found, Sign{Kind: "straight", Some: s.Straight, All: s.People, Counted: !rules.Straight})
	}
	if s.Burst >= leastBurst && s.Burst*shareOfBurst >= s.People {
		found = append(found, Sign{Kind: "burst", Some: s.Burst, All: s.People, Counted: true})
	}
	return found
}

// LeftOut returns how many people beyond the limit of their network, fast answers and straight-lining people the rules leave out.
func (s Signs) LeftOut(rules checks.Rules) (crowded, fast, straight int) {
	if rules.Network > 0 {
		crowded = s.Crowded
	}
	if rules.Reading > 0 {
		fast = s.Fast
	}
	if rules.Straight {
		straight = s.Straight
	}
	return crowded, fast, straight
}

// CheckExclusion returns an error unless people can be excluded by hand: the study must not be done, and seek one option
// under majority, with evidence about people without weights.
func (s Study) CheckExclusion() error {
	is := s.Settings
	switch {
	case s.State == Done:
		return s.NotOpen()
	case is.Assumption() != strategy.Majority || is.Judges || is.Strategy.Weighted || is.Strategy.Top != 0:
		return Invalid("respondent", "people can be excluded only if the study seeks one option under majority, without weights")
	}
	return nil
}

// InForce returns the rules that apply: none in a study about judges, who answer many questions from one place.
func (s Settings) InForce() checks.Rules {
	if s.Judges {
		return checks.Rules{}
	}
	return s.Rules
}

// WithLimits returns the rules with the usual limits where they are off: what is counted as a sign.
func WithLimits(rules checks.Rules) checks.Rules {
	usual := checks.UsualRules()
	if rules.Reading > 0 {
		usual.Reading = rules.Reading
	}
	if rules.Network > 0 {
		usual.Network = rules.Network
	}
	return usual
}

// Seconds returns how long the respondent took to answer, 0 if unknown.
func (o Outcome) Seconds() float64 {
	if o.Kind != Answered || o.Asked.IsZero() || o.At.Before(o.Asked) {
		return 0
	}
	return o.At.Sub(o.Asked).Seconds()
}

// Network returns the key under which the people of a network are counted in an hour, or "" if it is unknown: a MAC of the
// study, the hour and the network, so that a stored count reveals no address.
func Network(mac func([]byte) []byte, id, network string, at time.Time) string {
	if network == "" {
		return ""
	}
	const kept = 16 // bytes
	return hex.EncodeToString(mac([]byte("network\x00" + id + "\x00" + at.UTC().Format("2006-01-02T15") + "\x00" + network))[:kept])
}
