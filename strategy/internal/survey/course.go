// Package survey has what the linear race and the majority race share: the leads of one arm over others,
// questions that learn about the least certain lead, and the course of a race's questions and answers.
package survey

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
)

// lookEvery is the share of the answers so far after which a race looks again.
const lookEvery = 1.0 / 64

// A Course has the planned and the outstanding questions of a race, and counts questions and answers.
type Course struct {
	Ledger   strategy.Ledger   `json:"ledger"`
	Deck     []choice.Question `json:"deck"`     // the next question last
	Asked    int               `json:"asked"`    // in all
	Answered int               `json:"answered"` // in all
	Counted  int               `json:"counted"`  // answers that decide when to look
	NextLook int               `json:"next_look"`
	Hand     Hand              `json:"hand,omitzero"`
}

// A Hand limits how often the next questions, which one person is asked, show an arm. The zero value limits nothing.
type Hand struct {
	Left  int   `json:"left,omitempty"`  // questions to come
	Most  int   `json:"most,omitempty"`  // that show the same arm
	Shown []int `json:"shown,omitempty"` // the arms of the questions before
}

// Begin says that the next n questions, of k arms of the given number, are a hand. They show no arm in more than half of
// them, or where that is too few for n questions in as few as possible.
func (c *Course) Begin(n, k, arms int) {
	c.Hand, c.Deck = Hand{Left: n, Most: max(n/2, (n*k+arms-1)/arms)}, nil
}

// Without reports the arms that the next question of a hand must not show: withdrawn and placed arms, arms that were shown
// Most times, and all but the least shown arms if the rest of the hand would otherwise show an arm twice in a question.
func (h *Hand) Without(isOut func(arm int) bool, k, arms int) func(arm int) bool {
	if h.Left == 0 {
		return isOut
	}
	var open []int
	often := make([]int, arms) // how often each may still be shown
	for arm := range arms {
		if often[arm] = h.Most; !isOut(arm) {
			open = append(open, arm)
		}
	}
	for _, arm := range h.Shown {
		often[arm]--
	}
	spare, always := -h.Left*k, 0 // showings to spare, and arms that every question could show
	for _, arm := range open {
		if spare += min(often[arm], h.Left); often[arm] >= h.Left {
			always++
		}
	}
	if always > spare {
		slices.SortStableFunc(open, func(a, b int) int { return often[b] - often[a] })
		open = open[:max(k, always)]
	} else {
		open = slices.DeleteFunc(open, func(arm int) bool { return often[arm] == 0 })
	}
	return func(arm int) bool { return !slices.Contains(open, arm) }
}

// Ask returns a lost question, or the next one of the deck, which plan replaces if it is empty.
func (c *Course) Ask(plan func()) choice.Question {
	c.Asked++
	q, lost := c.Ledger.AskAgain()
	if !lost {
		if len(c.Deck) == 0 {
			plan()
		}
		last := len(c.Deck) - 1
		q = c.Ledger.Ask(c.Deck[last])
		c.Deck = c.Deck[:last]
	}
	if h := &c.Hand; h.Left > 0 {
		h.Left, h.Shown = h.Left-1, append(h.Shown, q...)
	}
	return q
}

// Settle records the answer to a question that this race asked.
func (c *Course) Settle(q choice.Question) error {
	if err := c.Ledger.Settle(q); err != nil {
		return err
	}
	c.Answered++
	return nil
}

// Add records the answer to a question that was asked elsewhere.
func (c *Course) Add(choice.Question) error {
	c.Asked++
	c.Answered++
	return nil
}

// Drop records that a question will not be answered, and is not asked again. It may be one of an earlier
// strategy of the same study.
func (c *Course) Drop(q choice.Question) {
	_ = c.Ledger.Settle(q) // or it was not asked here
}

// Lose queues a question to be asked again, unless it shows a withdrawn arm.
func (c *Course) Lose(q choice.Question, isWithdrawn func(arm int) bool) error {
	lose := c.Ledger.Lose
	if slices.ContainsFunc(q, isWithdrawn) {
		lose = c.Ledger.Settle
	}
	if err := lose(q); err != nil {
		return err
	}
	c.Asked--
	return nil
}

// Pause returns the number of answers between two looks, which is also the number of questions in a
// deck: a share of the answers so far, 0 for the default, and at least a number.
func (c *Course) Pause(share float64, least int) int {
	if share == 0 {
		share = lookEvery
	}
	return max(least, int(share*float64(c.Counted)))
}

// DeckSize returns how many of a number of questions to plan at once.
func (c *Course) DeckSize(questions int) int {
	if c.Hand.Left > 0 {
		return 1
	}
	return min(MaxDeck, questions)
}

// CheckTerms returns an error if settings that every race has do not suit the arms of a catalogue.
func CheckTerms(c *choice.Catalogue, k int, delta, epsilon, every float64) error {
	switch {
	case k < 2 || k > strategy.MaxK:
		return fmt.Errorf("K must be at least 2 and at most %d, got %d", strategy.MaxK, k) //nolint:staticcheck // K is a symbol
	case k > c.Len():
		return fmt.Errorf( //nolint:staticcheck // K is a symbol
			"K must be at most the number of arms, got K = %d and %d arms", k, c.Len())
	case !(delta > 0 && delta < 1):
		return fmt.Errorf("δ must lie between 0 and 1, got %v", delta)
	case !(every <= 1):
		return fmt.Errorf("LookEvery must be at most 1, got %v", every)
	case !(epsilon >= 0 && epsilon <= evidence.MaxSpread):
		return fmt.Errorf("ε must lie between 0 and %v, got %v", evidence.MaxSpread, epsilon)
	}
	return nil
}

// CheckExtended returns an error unless a catalogue has the arms of another one, with the same features, and more.
func CheckExtended(old, extended *choice.Catalogue) error {
	if extended.Len() <= old.Len() || !slices.Equal(extended.Features(), old.Features()) {
		return errors.New("the new catalogue must have the same features and more arms")
	}
	for arm := range old.Len() {
		if extended.ID(arm) != old.ID(arm) || !slices.Equal(extended.Arm(arm), old.Arm(arm)) {
			return fmt.Errorf("arm %d of the new catalogue must be %q with the same features", arm, old.ID(arm))
		}
	}
	return nil
}

// CheckWithdrawal returns an error if an arm cannot be withdrawn because too few would remain.
func CheckWithdrawal(c *choice.Catalogue, withdrawn []int, arm, k int) error {
	switch {
	case arm < 0 || arm >= c.Len():
		return fmt.Errorf("unknown arm %d", arm)
	case c.Len()-len(withdrawn) <= k:
		return fmt.Errorf("at least %d arms must remain for a question", k)
	}
	return nil
}

// WithIntercepts adds coordinates to whitened arms, so that any utilities are possible: an orthogonal
// basis of the complement of the features' span, on the given scale.
func WithIntercepts(white *choice.Catalogue, scale float64) (*choice.Catalogue, error) {
	n, d := white.Len(), white.Dim()
	if d >= n-1 {
		return white, nil
	}
	known := mat.NewDense(n, d+1, nil)
	for i := range n {
		known.Set(i, 0, 1)
		for k, x := range white.Arm(i) {
			known.Set(i, k+1, x)
		}
	}
	var qr mat.QR
	qr.Factorize(known)
	var q mat.Dense
	qr.QTo(&q)
	scale *= math.Sqrt(float64(n))
	rows, ids := make([][]float64, n), make([]string, n)
	for i := range n {
		ids[i] = white.ID(i)
		rows[i] = append(rows[i], white.Arm(i)...)
		for k := d + 1; k < n; k++ {
			rows[i] = append(rows[i], scale*q.At(i, k))
		}
	}
	features := append([]string(nil), white.Features()...)
	for k := d + 1; k < n; k++ {
		features = append(features, fmt.Sprint("i", k-d))
	}
	return choice.NewCatalogue(ids, features, rows)
}

// stream separates the random numbers of races from others with the same seed.
const stream = 0x52414345

// NewPCG returns the source of a race's random numbers.
func NewPCG(seed uint64) *rand.PCG { return rand.NewPCG(seed, stream) }

// Theta returns the first d parameters of θ̂ over rows, with a small ridge, so that the maximum exists.
func Theta(rows *choice.Catalogue, tally *choice.Tally, d int) []float64 {
	estimator := choice.Estimator{RidgeOnMean: 1e-6}
	theta := make([]float64, rows.Dim())
	_, _ = estimator.Fit(choice.NewLinear(rows, tally), theta)
	return theta[:d]
}
