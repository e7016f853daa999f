package choice

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
)

// A Question is the K ≥ 2 arms shown to a respondent, in the order shown. An arm may appear more than once, as the paper's
// greedy rules allow, but not in every slot: that question would carry no information about θ.
type Question []int

// Check returns an error if the question cannot be asked about a catalogue of n arms.
func (q Question) Check(n int) error {
	if len(q) < 2 {
		return fmt.Errorf("question: at least two arms must be shown, got %d", len(q))
	}
	same := true
	for slot, arm := range q {
		if arm < 0 || arm >= n {
			return fmt.Errorf("question: slot %d shows arm %d, but arms go from 0 to %d", slot, arm, n-1)
		}
		same = same && arm == q[0]
	}
	if same {
		return fmt.Errorf("question: all %d slots show arm %d", len(q), q[0])
	}
	return nil
}

// An Answer is a respondent's answer to a question: the slots picked, best first. A single pick has length one; a longer answer
// ranks the best of the K. It records slots rather than arms, to preserve the position on the screen.
type Answer struct {
	Question Question
	Picks    []int // slots of the question, best first

	// Respondent is the respondent's name, empty if unknown. Segment is the respondent's part of
	// the population, if the model distinguishes segments.
	Respondent, Segment string
}

// UpTo returns the numbers from 0 to below n.
func UpTo(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// Steps iterates over the picks: the slots still available, and the index of the pick among them. It stops when only one arm,
// or copies of one, is left. The slice is valid until the next step.
func (a Answer) Steps() iter.Seq2[[]int, int] {
	return func(yield func([]int, int) bool) {
		left := UpTo(len(a.Question))
		for _, slot := range a.Picks {
			at := slices.Index(left, slot)
			choice := slices.ContainsFunc(left, func(s int) bool { return a.Question[s] != a.Question[left[0]] })
			if !choice || !yield(left, at) {
				return
			}
			left = slices.Delete(left, at, at+1)
		}
	}
}

// Check returns an error if the answer cannot be given about a catalogue of n arms.
func (a Answer) Check(n int) error {
	if err := a.Question.Check(n); err != nil {
		return err
	}
	if len(a.Picks) == 0 {
		return errors.New("answer: at least one slot must be picked")
	}
	for i, slot := range a.Picks {
		if slot < 0 || slot >= len(a.Question) {
			return fmt.Errorf("answer: pick %d is slot %d, but slots go from 0 to %d", i+1, slot, len(a.Question)-1)
		}
		if slices.Contains(a.Picks[:i], slot) {
			return fmt.Errorf("answer: slot %d is picked twice", slot)
		}
	}
	return nil
}

// A questionIndex finds the number of a question by the places of its arms. It is a hash table with open addressing, since a
// map with the arms as keys takes as much memory as the rest of a tally.
type questionIndex struct {
	table []int32 // numbers plus one; 0 if empty. Its length is a power of two
	used  int
}

// find returns the number of the question that shows the given places, in increasing order.
func (x *questionIndex) find(t *Tally, places []int32) (q int32, known bool) {
	if x.used == 0 {
		return 0, false
	}
	for at := x.slot(places); ; at = x.after(at) {
		entry := x.table[at]
		if entry == 0 {
			return 0, false
		}
		if slices.Equal(t.Places(int(entry-1)), places) {
			return entry - 1, true
		}
	}
}

// add adds a question of the tally that the index lacks. It keeps the table at most half full.
func (x *questionIndex) add(t *Tally, q int32) {
	if x.used++; 2*x.used > len(x.table) {
		old := x.table
		x.table = make([]int32, max(16, 2*len(old)))
		for _, entry := range old {
			if entry != 0 {
				x.insert(t, entry)
			}
		}
	}
	x.insert(t, q+1)
}

func (x *questionIndex) insert(t *Tally, entry int32) {
	at := x.slot(t.Places(int(entry - 1)))
	for x.table[at] != 0 {
		at = x.after(at)
	}
	x.table[at] = entry
}

// slot returns the first slot to probe.
func (x *questionIndex) slot(places []int32) int {
	hash := uint64(len(places))
	for _, place := range places {
		hash = (hash ^ uint64(place)) * 0x9e3779b97f4a7c15
		hash ^= hash >> 32
	}
	return int(hash & uint64(len(x.table)-1))
}

func (x *questionIndex) after(at int) int { return (at + 1) & (len(x.table) - 1) }

// Gumbel draws from the standard Gumbel distribution, −log(−log U). A respondent who adds independent Gumbel noise to every
// utility and takes the largest sum picks with softmax probabilities.
func Gumbel(rng *rand.Rand) float64 {
	return -math.Log(rng.ExpFloat64())
}

// SamplePick draws one slot with the softmax probabilities of the utilities.
func SamplePick(rng *rand.Rand, utilities []float64) int {
	best, top := 0, math.Inf(-1)
	for slot, u := range utilities {
		if noisy := u + Gumbel(rng); noisy > top {
			best, top = slot, noisy
		}
	}
	return best
}

// SampleRanking draws the first m of a Plackett–Luce ranking: the slots in decreasing order of noisy utility, which has the
// same law as m softmax picks from shrinking sets.
func SampleRanking(rng *rand.Rand, utilities []float64, m int) []int {
	if m < 1 || m > len(utilities) {
		panic("choice: ranking depth out of range")
	}
	noisy := make([]float64, len(utilities))
	for slot, u := range utilities {
		noisy[slot] = u + Gumbel(rng)
	}
	picks := make([]int, 0, m)
	for range m {
		best := 0
		for slot, u := range noisy {
			if u > noisy[best] {
				best = slot
			}
		}
		picks = append(picks, best)
		noisy[best] = math.Inf(-1)
	}
	return picks
}
