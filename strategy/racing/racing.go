package strategy

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
)

// Racing is the certified strategy. It adapts to every answer and stops when all θ under
// which another arm is better than the leader, by more than ε, are refuted by
// [evidence.Anytime]: whatever it has asked and however often it has looked, the arm it
// returns is wrong with probability at most δ, as long as the picks follow one softmax
// with utilities linear in the features, no two of which differ by more than
// [evidence.MaxSpread], and whether an answer arrives does not depend on what it is.
// There is no κ and no λ̃, and no union over arms.
//
// A look estimates θ, checks whether to stop, and plans a deck of questions. The
// challenger is the arm whose lead over the leader is least certain,
// argmin_j Δ̂²/‖a_b−a_j‖²_{H⁻¹}, and the question the one that shrinks that uncertainty
// most ([design.Widest]); each planned question adds its expected information before the
// next is chosen. Now and then, about √t times in t questions, a random challenger keeps
// every contender in view. Asking takes the next question off the deck.
//
// Where that is forecast to be quicker, the leader is instead shown with its contenders, and
// the picks of one of two arms are evidence of their own ([evidence.Duel]).
//
// Capital goes into the evidence as the challenger's Z = Δ̂²/(2‖·‖²) rises: learning d
// parameters from τ to t costs about (d/2)·log(t/τ), so it pays to begin when Z is about
// d/2 (and no less than 3), and the weights are spread around that.
//
// Whether the answers fit the model is checked all along ([checks.Monitor]): while they refute
// it nothing is certified. A [Model] takes more into account than the features.
type Racing struct {
	catalogue *choice.Catalogue
	views     *views
	settings  Settings
	size      fieldSize
	groups    float64 // of a product; otherwise 1
	epsilon   float64 // by how much a rival may be better: ε/groups
	pcg       *rand.PCG
	rng       *rand.Rand

	tally    *choice.Tally
	linear   *choice.Linear
	evidence *evidence.Anytime
	monitor  *checks.Monitor
	widest   design.Widest
	state    racingState

	field     field
	crowded   crowdedField
	utilities []float64 // of the arms in the field, as all of these
	leads     []float64 // squared widths ‖a_b − a_j‖²_{H⁻¹}, zero for arms that cannot be better
	duelled   []float64 // least capital of the duels with the leader, in logs
	guesses   []float64 // about what the evidence against the contenders is
}

// racingState is what a snapshot holds besides the numbers of the parts.
type racingState struct {
	Ledger     ledger            `json:"ledger"`
	Deck       []choice.Question `json:"deck"`     // the next question last
	Asked      int               `json:"asked"`    // in all
	Answered   int               `json:"answered"` // in all
	NextLook   int               `json:"next_look"`
	Belief     evidence.Belief   `json:"belief"`
	Planned    []float64         `json:"planned"`            // the same with what is expected of the questions planned since
	Field      []int             `json:"field,omitempty"`    // arms that are weighed, where not all are
	Rivals     []bool            `json:"rivals,omitempty"`   // which of them must be refuted
	Refuted    []uint64          `json:"refuted,omitempty"`  // a bit for each of very many arms
	Others     int               `json:"others,omitempty"`   // not in the field and not refuted
	Searched   map[int]int       `json:"searched,omitempty"` // answers when evidence against an arm was searched for
	Widths     []float64         `json:"widths"`             // ‖a_b − a_j‖² in that, of the field
	Least      []float64         `json:"least"`              // where the evidence was least, to start from
	Level      float64           `json:"level"`              // Z at which capital is put to work next
	Late       int               `json:"late"`               // or the answers, if Z does not rise
	Leader     int               `json:"leader"`
	Contenders []Standing        `json:"contenders"` // arms not refuted at the last look
	Forecast   Forecast          `json:"forecast"`
	Duels      []evidence.Duel   `json:"duels"`
	Direct     bool              `json:"direct"` // whether the deck is of duels
	Withdrawn  []int             `json:"withdrawn,omitempty"`
	Changed    bool              `json:"changed,omitempty"`   // arms have come or gone
	Verifying  []int             `json:"verifying,omitempty"` // arms to be compared with the leader directly
	Decided    bool              `json:"decided"`
	NextCheck  int               `json:"next_check"`
}

const (
	lookEvery      = 1.0 / 64 // of the answers so far
	checkEvery     = 1.0 / 16 // of the answers so far: whether they fit the model
	mostPlanned    = 64       // questions in a deck
	firstLevel     = 1.0      // of Z
	levelRatio     = 1.2      // from one to the next
	levelShare     = 0.1      // of the capital, for the best level
	levelWidth     = 0.7      // of the weights, in log Z
	lateShare      = 0.05     // of the cash, when time has doubled
	firstShare     = 0.05     // of the capital, from the beginning
	exploreShare   = 0.5      // random challengers: this over √t of the questions
	certainlyOver  = 1e5      // answers, more than any reasonable budget
	searchMargin   = 2.0      // below log(1/δ): with less evidence by a guess no search is made
	searches       = 16       // at a look
	streamOfRacing = 0x52414345
)

// NewRacing returns the certified strategy. Of the settings it uses K, Delta, Epsilon,
// LookEvery, Model, Verify and Seed.
func NewRacing(c *choice.Catalogue, settings Settings) (*Racing, error) {
	return newRacing(c, settings, usualSize())
}

func newRacing(c *choice.Catalogue, settings Settings, size fieldSize) (*Racing, error) {
	settings = settings.WithDefaults()
	if err := settings.checkRacing(c, size); err != nil {
		return nil, err
	}
	v, err := newViews(c, settings.Model, settings.K, size)
	if err != nil {
		return nil, err
	}
	d := v.shown.Dim()
	pcg := rand.NewPCG(settings.Seed, streamOfRacing)
	r := &Racing{
		catalogue: c, views: v, settings: settings, size: size, pcg: pcg, rng: rand.New(pcg),
		groups: 1,
		tally:  choice.NewTally(v.shown.Len()),
	}
	if p := v.judged.Product(); p != nil {
		r.groups = 0
		for _, group := range p.Groups {
			if len(group.Features) > 0 { // its options differ
				r.groups++
			}
		}
	}
	r.epsilon = settings.Epsilon / r.groups
	r.linear = choice.NewLinear(v.shown, r.tally)
	r.evidence = evidence.NewAnytime(v.shown, r.tally, r.universal())
	r.evidence.Start(firstShare)
	r.monitor = checks.NewMonitor(c, v.shown, r.tally)
	r.state = racingState{
		NextLook: 1, Belief: evidence.NewBelief(d),
		Least: make([]float64, d), Level: firstLevel, Late: 20,
	}
	r.evaluate(r.gather())
	r.state.Planned = append([]float64(nil), r.state.Belief.Inverse...)
	r.state.Widths = append([]float64(nil), r.leads...)
	r.state.Contenders = r.everyone()
	return r, nil
}

// checkRacing refuses settings that make no sense.
func (s Settings) checkRacing(c *choice.Catalogue, size fieldSize) error {
	switch {
	case s.K < 2 || s.K > maxK:
		return fmt.Errorf("strategy: K must be at least 2 and at most %d, got %d", maxK, s.K)
	case s.K > c.Len():
		return fmt.Errorf("strategy: a question shows %d different arms, and there are %d", s.K, c.Len())
	case !(s.Delta > 0 && s.Delta < 1):
		return fmt.Errorf("strategy: δ must lie between 0 and 1, got %v", s.Delta)
	case !(s.LookEvery <= 1):
		return fmt.Errorf("strategy: looks cannot be %v times the answers apart", s.LookEvery)
	case !(s.Epsilon >= 0 && s.Epsilon <= evidence.MaxSpread):
		return fmt.Errorf("strategy: ε must lie between 0 and %v, got %v", evidence.MaxSpread, s.Epsilon)
	}
	if !(s.Verify >= 0 && s.Verify <= evidence.MaxSpread) {
		return fmt.Errorf("strategy: appeal of %v that features miss cannot be verified", s.Verify)
	}
	if s.Verify > 0 && len(s.Model.Segments) > 0 {
		return errors.New("strategy: direct comparisons do not tell segments apart, so they cannot verify")
	}
	if c.Product() != nil || c.Len() > size.few {
		if s.Model.Slots || s.Model.Intercepts || s.Model.Clicks || len(s.Model.Segments) > 0 || s.Verify > 0 {
			return fmt.Errorf("strategy: with a product, or with more than %d arms, there is the plain model only and nothing is verified", size.few)
		}
	}
	return s.Model.check()
}

// Ask returns a question that was lost, or the next of the deck.
func (r *Racing) Ask() (choice.Question, error) {
	if r.state.Decided {
		return nil, ErrStopped
	}
	if q, ok := r.state.Ledger.again(); ok {
		r.state.Asked++
		return q, nil
	}
	if len(r.state.Deck) == 0 {
		r.plan()
	}
	last := len(r.state.Deck) - 1
	q := r.state.Deck[last]
	r.state.Deck = r.state.Deck[:last]
	r.state.Asked++
	return r.state.Ledger.ask(q), nil
}

// Tell predicts an answer, counts it, and looks when it is time. After the decision answers
// are counted too, in case arms come or go.
func (r *Racing) Tell(answer choice.Answer) error { return r.tell(answer, r.state.Ledger.settle) }

// Import counts an answer to a question that was asked elsewhere. The evidence stays what it is as
// long as picks follow the model, the question was chosen without knowing the pick, and whether the
// answer is told does not depend on it either. Where slots matter, nothing can be imported: the
// model relies on slots that are dealt at random.
func (r *Racing) Import(answer choice.Answer) error {
	if err := r.settings.Model.CheckImport(); err != nil {
		return err
	}
	return r.Recount(answer)
}

// Recount counts an answer to a question that a strategy before this one asked, in the same study.
// It is like Import, but where slots matter it may be counted as well: the order on the screen was
// drawn at random then, too. This strategy must have another seed than that one. Otherwise it draws
// the same orders once more, which are not random any more when the answers to them are known.
func (r *Racing) Recount(answer choice.Answer) error {
	return r.tell(answer, func(choice.Question) error { r.state.Asked++; return nil })
}

func (r *Racing) tell(answer choice.Answer, settle func(choice.Question) error) error {
	if err := answer.Check(r.catalogue.Len()); err != nil {
		return err
	}
	segment, err := r.settings.Model.segment(answer.Segment)
	if err != nil {
		return err
	}
	if err := settle(answer.Question); err != nil {
		return err
	}
	r.state.Answered++
	if err := r.learn(answer, segment); err != nil {
		return err
	}
	if !r.state.Decided && r.state.Answered >= r.state.NextLook {
		r.lookNow()
	}
	return nil
}

// Lose lets a question be asked again, unless it shows an arm that was withdrawn.
func (r *Racing) Lose(q choice.Question) error {
	lose := r.state.Ledger.lose
	if slices.ContainsFunc(q, r.withdrawn) {
		lose = r.state.Ledger.settle
	}
	if err := lose(q); err != nil {
		return err
	}
	r.state.Asked--
	return nil
}

// lookNow estimates, checks whether to stop, puts capital to work and plans anew.
func (r *Racing) lookNow() {
	r.state.NextLook = r.state.Answered + r.pause()
	r.state.Belief.Fit(r.linear)
	sure := r.consider()
	for before := -1; !sure && len(r.state.Contenders) == 0 && r.state.Others > 0 && r.state.Others != before; {
		before = r.state.Others
		sure = r.consider() // the most doubtful of those that are left
	}
	r.narrow()
	z := r.signal()
	r.state.Verifying = nil
	r.state.Planned = append(r.state.Planned[:0], r.state.Belief.Inverse...)
	r.state.Widths = append(r.state.Widths[:0], r.leads...)
	if sure || r.state.Answered >= r.state.NextCheck {
		r.state.NextCheck = r.state.Answered + int(checkEvery*float64(r.state.Answered))
		r.monitor.Look(r.state.Belief.Fitted)
	}
	if sure && r.stops() {
		r.state.Decided, r.state.Deck = true, nil
		return
	}
	r.invest(z)
	r.openDuels(z)
	r.state.Direct = z >= duelsFrom && r.duelsHelp()
	r.plan()
}

// consider chooses the field and judges the arms in it.
func (r *Racing) consider() (sure bool) {
	before := r.state.Leader
	changed := r.evaluate(r.gather()) != before
	if changed || r.views.white != nil {
		r.state.Contenders = r.everyone()
	}
	return r.judge(r.signal())
}

// stops says whether to stop, now that all other arms are refuted. Where the answers refute the
// model nothing more can be learned under it; while they make it doubtful, or arms are still
// to be compared with the leader directly, it asks on.
func (r *Racing) stops() bool {
	if !r.settings.Model.Clicks {
		switch r.monitor.Finding().Status {
		case checks.Refuted:
			return true
		case checks.Doubtful:
			return false
		case checks.Fits:
		}
	}
	r.state.Verifying = r.verify()
	return len(r.state.Verifying) == 0
}

// pause is how many answers pass between two looks, and how many questions a deck has.
func (r *Racing) pause() int {
	share := r.settings.LookEvery
	if share == 0 {
		share = lookEvery
	}
	least := 1
	if r.views.white != nil && share > 0 {
		least = longPause
	}
	return max(least, int(share*float64(r.state.Answered)))
}

// evaluate sets the utilities, the leader and the widths of its leads, which are zero for its
// copies and for arms that were withdrawn: neither can be better. The leader is the one given,
// or the first of the best where that is -1. It returns the leader.
func (r *Racing) evaluate(leader int) int {
	top := -1
	for place := range r.utilities {
		r.utilities[place] = r.field.rows.Utility(place, r.state.Belief.Fitted)
		if !r.withdrawn(r.field.arm(place)) && (top < 0 || r.utilities[place] > r.utilities[top]) {
			top = place
		}
	}
	if leader < 0 {
		leader = r.field.arm(top)
	}
	r.state.Leader = leader
	d := r.field.rows.Dim()
	solved := make([]float64, d)
	for place := range r.leads {
		if r.leads[place] = 0; r.withdrawn(r.field.arm(place)) || !r.field.rival(place) {
			continue
		}
		g := r.lead(place)
		multiply(solved, r.state.Belief.Inverse, g)
		r.leads[place] = floats.Dot(g, solved)
	}
	return r.state.Leader
}

// top returns the place of the leader.
func (r *Racing) top() int { return r.field.place(r.state.Leader) }

// narrow sets the widths of refuted arms to zero: they challenge no more.
func (r *Racing) narrow() {
	if len(r.state.Contenders) == 0 {
		return
	}
	widths := make([]float64, len(r.leads))
	for _, s := range r.state.Contenders {
		place := r.field.place(s.Arm)
		widths[place] = r.leads[place]
	}
	copy(r.leads, widths)
}

// signal returns the least Z = (Δ̂+ε)²/(2‖a_b − a_j‖²_{H⁻¹}) over the arms that may be better
// than the leader: how far the most doubtful one is from being better by ε.
func (r *Racing) signal() float64 {
	least := math.Inf(1)
	for place := range r.leads {
		if r.leads[place] > 0 {
			least = min(least, r.z(place))
		}
	}
	return least
}

func (r *Racing) z(place int) float64 {
	lead := r.utilities[r.top()] - r.utilities[place] + r.epsilon
	return lead * lead / (2 * r.leads[place])
}

// invest puts capital to work when Z has reached the next level, more of it the nearer
// that is to d/2, and a little when the answers have doubled without.
func (r *Racing) invest(z float64) {
	best := max(3, float64(r.views.judged.Dim())/2)
	share := 0.0
	for ; r.state.Level <= z && r.state.Level < 1e12; r.state.Level *= levelRatio {
		x := math.Log(r.state.Level/best) / levelWidth
		share += levelShare * math.Exp(-x*x/2)
	}
	switch {
	case share > 0:
		r.evidence.Start(min(share, r.evidence.Cash()/2))
	case r.state.Answered >= r.state.Late:
		r.evidence.Start(lateShare * r.evidence.Cash())
	default:
		return
	}
	r.state.Late = 2*r.state.Answered + 20
}

// multiply sets dst to the symmetric matrix, row by row, times v.
func multiply(dst, matrix, v []float64) {
	d := len(v)
	for k := range dst {
		dst[k] = floats.Dot(matrix[k*d:(k+1)*d], v)
	}
}
