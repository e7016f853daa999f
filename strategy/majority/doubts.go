package majority

import (
	"cmp"
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
)

// doubts bet against the assumptions of majority evidence: that people are drawn from one population, and that neither whether
// they answer nor what else is shown depends on what they choose. The unit is a person: what they chose between a nominee and a
// rival. For leavers and skips that is their first choice, because what people choose most often depends on how many questions
// they answer. For drift it is what they chose most often: if choices vary, that drifts where people compare the two more often
// than before.
//
// For drift, leavers and skips, people of two groups are to choose the rival with one probability. Against it bets the mixture
// of two independent ones with Jeffreys' prior, relative to the largest likelihood of one: at most a martingale, whichever
// probability holds (universal inference of Wasserman, Ramdas and Balakrishnan, PNAS 2020). The evidence for a doubt is the
// mean over all pairs of arms, and over the moments at which people may have changed; a doubt is reported while it is five or
// more. Of the people, only those count before whom all hands have ended, so that pace does not matter.
//
// For slates, the share of a person's slates in which the rival is ranked higher minus the share of their real pairs has the
// mean 0, and capitals bet on it as in [evidence.Majority]: one that it is larger, one that it is smaller. With s slates and p
// pairs its variance is at most 1/(4s) + 1/(4p), and Kelly's stake for a mean of slateShift is slateShift over that. The bet on
// a person is about the two arms with the largest stake, which depends on the questions that they answered alone.
//
// Answers have no time here; a caller that knows the pace of people can add a check of it.
type doubts struct {
	Waiting []Hand           `json:"waiting,omitempty"` // ended, while a hand before is open
	Records []record         `json:"records,omitempty"` // of pairs, in the order of their first comparison
	Slates  [2]float64       `json:"slates"`            // logs of the capitals that bet on slates
	Growth  float64          `json:"growth"`            // of one of these that a shift was expected to cause
	Found   []strategy.Doubt `json:"found,omitempty"`   // at the last look
}

// A record is what people chose between a rival and an arm.
type record struct {
	Arm     int         `json:"arm"`
	Rival   int         `json:"rival"`
	Often   votes       `json:"often"`            // what people chose most often
	Before  []votes     `json:"before,omitempty"` // the same of the first people, for each possible change that has passed
	First   votes       `json:"first"`            // what people chose first
	Left    votes       `json:"left"`             // the same of people who left early
	Skipped votes       `json:"skipped"`          // and of people who skipped a comparison of the two
	Slates  slateEffect `json:"slates"`
}

// votes count the people who chose the rival, and the arm.
type votes [2]float64

// A slateEffect is how slates differ from pairs.
type slateEffect struct {
	People float64 `json:"people"` // on whose answers about the two arms was bet
	Slates float64 `json:"slates"` // sum of their shares of slates that chose the rival
	Pairs  float64 `json:"pairs"`  // and of pairs
}

const (
	doubtful    = 1.6094379124341003 // log 5
	fewPeople   = 140                // cannot show that the first 40 choose otherwise
	firstChange = 10                 // people before the first change that is tried
	changeRatio = 1.5                // from one to the next
	changes     = 12                 // that are tried

	slateShift  = 0.1 // ten points
	maxSlateBet = 0.9
	slatesCheck = 7.0 // expected of the log of the evidence: a shift is found with a probability of 90%
)

// changeAt returns the number of people before a possible change.
func changeAt(i int) int { return int(firstChange * math.Pow(changeRatio, float64(i))) }

// end notes that a hand has ended.
func (d *doubts) end(h Hand) {
	if h.Answered > 0 {
		d.Waiting = append(d.Waiting, h)
	}
}

// settle counts the people up to a number in the order of their arrival.
func (d *doubts) settle(a *arms, e *election, ended int) {
	slices.SortFunc(d.Waiting, func(a, b Hand) int { return a.Arrival - b.Arrival })
	at := 0
	for ; at < len(d.Waiting) && d.Waiting[at].Arrival <= ended; at++ {
		d.count(a, e, d.Waiting[at])
	}
	if at > 0 {
		d.Waiting = slices.Delete(d.Waiting, 0, at)
		d.Found = d.find(a.catalogue.Len())
	}
}

// count counts a person, for all pairs of a nominee and another arm that they compared.
func (d *doubts) count(a *arms, e *election, h Hand) {
	var boldest testimony
	var about [2]int
	for i := range e.Nominees {
		arm := e.Nominees[i].Arm
		for _, rival := range shownWith(h.Cards, arm) {
			twice := slices.ContainsFunc(e.Nominees[:i], func(n nominee) bool { return n.Arm == rival })
			if twice || a.isWithdrawn(arm) || a.isWithdrawn(rival) {
				continue
			}
			seen := testify(h, arm, rival)
			if !seen.decided {
				continue
			}
			d.record(arm, rival).add(h.Arrival, seen)
			if seen.slateStake() > boldest.slateStake() {
				boldest, about = seen, [2]int{arm, rival}
			}
		}
	}
	if stake := boldest.slateStake(); stake > 0 {
		r := d.record(about[0], about[1])
		slates, pairs := boldest.slates.share(), boldest.pairs.share()
		d.Slates[0] += math.Log1p(stake * (slates - pairs))
		d.Slates[1] += math.Log1p(stake * (pairs - slates))
		d.Growth += stake * slateShift / 2
		r.Slates = slateEffect{r.Slates.People + 1, r.Slates.Slates + slates, r.Slates.Pairs + pairs}
	}
}

// record returns the record of a pair, a new one if there is none.
func (d *doubts) record(arm, rival int) *record {
	at := slices.IndexFunc(d.Records, func(r record) bool { return r.Arm == arm && r.Rival == rival })
	if at < 0 {
		at = len(d.Records)
		d.Records = append(d.Records, record{Arm: arm, Rival: rival})
	}
	return &d.Records[at]
}

// A testimony is what one person chose between a rival and an arm.
type testimony struct {
	decided       bool
	first, often  int // chosen: 0 for the rival, 1 for the arm
	left, skipped bool
	pairs, slates votes // answers
}

func testify(h Hand, arm, rival int) testimony {
	var seen testimony
	last := -1
	for i, picks := range h.Picks {
		if picks != nil {
			last = i
		}
	}
	seen.left = last < len(h.Cards)-1
	for i, q := range h.Cards {
		if !evidence.Compares(q, arm, rival) {
			continue
		}
		if h.Picks[i] == nil {
			seen.skipped = seen.skipped || i < last
			continue
		}
		b := evidence.Bet{Arm: arm}
		b.Count(choice.Answer{Question: q, Picks: h.Picks[i]}, rival)
		of := &seen.slates
		if len(q) == 2 {
			of = &seen.pairs
		}
		for chosen, n := range []int{b.Rival, b.Nominee} {
			of[chosen] += float64(n)
			if n > 0 && !seen.decided {
				seen.decided, seen.first = true, chosen
			}
		}
	}
	seen.often = seen.first
	if other := 1 - seen.first; seen.pairs[other]+seen.slates[other] > seen.pairs[seen.first]+seen.slates[seen.first] {
		seen.often = other
	}
	return seen
}

// add adds a person.
func (r *record) add(arrival int, seen testimony) {
	for len(r.Before) < changes && arrival > changeAt(len(r.Before)) {
		r.Before = append(r.Before, r.Often)
	}
	r.Often[seen.often]++
	r.First[seen.first]++
	if seen.left {
		r.Left[seen.first]++
	}
	if seen.skipped {
		r.Skipped[seen.first]++
	}
}

// slateStake returns the stake on a difference between the slates and the pairs of a person, 0 without both.
func (t testimony) slateStake() float64 {
	slates, pairs := t.slates.sum(), t.pairs.sum()
	if slates == 0 || pairs == 0 {
		return 0
	}
	return min(slateShift*4/(1/slates+1/pairs), maxSlateBet)
}

func (v votes) sum() float64 { return v[0] + v[1] }

func (v votes) minus(w votes) votes { return votes{v[0] - w[0], v[1] - w[1]} }

// share returns the share of people who chose the rival.
func (v votes) share() float64 { return v[0] / max(v.sum(), 1) }

// differ returns the log of the evidence that some of the people choose otherwise than the others.
func differ(some, others votes) float64 {
	mixture := func(v votes) float64 { return logBeta(v[0]+0.5, v[1]+0.5) - logBeta(0.5, 0.5) }
	both, one := votes{some[0] + others[0], some[1] + others[1]}, 0.0
	for _, n := range both {
		if n > 0 {
			one += n * math.Log(n/both.sum())
		}
	}
	return mixture(some) + mixture(others) - one
}

func logBeta(a, b float64) float64 {
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	return la + lb - lab
}

// slateEvidence returns the log of the evidence that slates differ from pairs.
func (d *doubts) slateEvidence() float64 { return choice.LogSumExp(d.Slates[:]) - math.Log(2) }

// unchecked returns which assumptions of a certificate that rests on a number of people are not checked yet. That of slates
// matters most where the same arms are in all of them.
func (d *doubts) unchecked(people int, sameSlates bool) (all []strategy.Doubt) {
	if people < fewPeople {
		all = append(all, strategy.Doubt{About: strategy.FewPeople, People: people})
	}
	if sameSlates && d.Growth < slatesCheck && d.slateEvidence() < doubtful {
		all = append(all, strategy.Doubt{About: strategy.FewSlates, People: people})
	}
	return all
}

// find returns the doubts about n arms, but for what is not checked.
func (d *doubts) find(n int) (all []strategy.Doubt) {
	pairs := float64(n*(n-1)) / 2
	for _, about := range []string{strategy.Drift, strategy.Leavers, strategy.Skips} {
		logs, worst := []float64{}, strategy.Doubt{About: about, Evidence: math.Inf(-1)}
		for i := range d.Records {
			for _, found := range d.Records[i].doubts(about) {
				logs = append(logs, found.Evidence)
				if found.Evidence > worst.Evidence {
					worst = found
				}
			}
		}
		alternatives := pairs
		if about == strategy.Drift {
			alternatives *= changes
		}
		if len(logs) == 0 {
			continue
		}
		if worst.Evidence = choice.LogSumExp(logs) - math.Log(alternatives); worst.Evidence >= doubtful {
			all = append(all, worst)
		}
	}
	if log := d.slateEvidence(); log >= doubtful {
		r := slices.MaxFunc(d.Records, func(a, b record) int { return cmp.Compare(a.Slates.People, b.Slates.People) })
		people := r.Slates.People
		all = append(all, strategy.Doubt{
			About: strategy.Slates, Arm: r.Arm, Rival: r.Rival, Evidence: log, People: int(people),
			Chosen: r.Slates.Pairs / people, Otherwise: r.Slates.Slates / people,
		})
	}
	return all
}

// doubts returns the evidence of a pair for one kind of doubt, for each alternative with data.
func (r *record) doubts(about string) []strategy.Doubt {
	groups := func(some, all votes) []strategy.Doubt {
		others := all.minus(some)
		return []strategy.Doubt{{
			About: about, Arm: r.Arm, Rival: r.Rival, Evidence: differ(some, others), Chosen: some.share(),
			Otherwise: others.share(), People: int(some.sum()),
		}}
	}
	switch {
	case about == strategy.Drift:
		var all []strategy.Doubt
		for _, before := range r.Before {
			all = append(all, groups(r.Often.minus(before), r.Often)...)
		}
		return all
	case about == strategy.Leavers && r.Left.sum() > 0:
		return groups(r.Left, r.First)
	case about == strategy.Skips && r.Skipped.sum() > 0:
		return groups(r.Skipped, r.First)
	}
	return nil
}
