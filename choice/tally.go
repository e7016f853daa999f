package choice

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
)

// A Tally holds the sufficient statistics of any number of answers: for each distinct question, as
// a set, how often each of its arms was picked. The cost of an estimate depends on the number of
// distinct questions, not of answers.
//
// An answer that ranks the best m arms counts as m picks from shrinking sets, which is its
// Plackett–Luce likelihood. A pick without alternatives, because only one arm or copies of one were
// left, does not count.
//
// A Tally is not safe for concurrent use.
type Tally struct {
	arms  int
	picks float64 // total weight of the picks counted

	seen  []int         // the arms that occur, in order of first appearance
	place map[int]int32 // arm → its place in seen
	wins  []float64     // weight of picks of seen[i], over all questions

	// The distinct questions. Question q has the slots start[q] to start[q+1]; slots hold places in
	// seen, in increasing order. If an arm is in a question twice, its first slot counts its picks.
	index    questionIndex
	start    []int32
	slots    []int32
	slotWins []float64
	asked    []float64 // weight of the answers to question q

	remaining []int   // scratch: the arms not yet picked, sorted
	places    []int32 // scratch: their places in seen, sorted
}

// NewTally returns an empty tally of answers about n arms.
func NewTally(n int) *Tally {
	if n < 2 {
		panic("choice: a tally needs at least two arms")
	}
	return &Tally{arms: n, place: map[int]int32{}, start: []int32{0}}
}

// Arms returns n, the number of arms in the catalogue.
func (t *Tally) Arms() int { return t.arms }

// Picks returns the total weight of the picks counted.
func (t *Tally) Picks() float64 { return t.picks }

// Distinct returns the number of distinct questions among the answers.
func (t *Tally) Distinct() int { return len(t.asked) }

// Grow raises the number of arms to n.
func (t *Tally) Grow(n int) {
	if n < t.arms {
		panic("choice: a tally cannot shrink")
	}
	t.arms = n
}

// Seen returns the arms that occur, in order of first appearance. Further arms and questions are
// only appended, so the lengths and weights of [Tally.Seen], [Tally.Wins] and [Tally.Asked] at some
// time describe the tally at that time. The caller must not change the result.
func (t *Tally) Seen() []int { return t.seen }

// Wins returns the weight of the picks of each seen arm. The caller must not change it.
func (t *Tally) Wins() []float64 { return t.wins }

// Asked returns the weight of the answers to each distinct question. The caller must not change it.
func (t *Tally) Asked() []float64 { return t.asked }

// Places returns the arms of question q as indices into [Tally.Seen]. The caller must not change
// it.
func (t *Tally) Places(q int) []int32 { return t.slots[t.start[q]:t.start[q+1]] }

// Add counts one answer. If the answer is invalid, it returns an error and leaves the tally
// unchanged.
func (t *Tally) Add(a Answer) error { return t.AddWeighted(a, 1) }

// AddWeighted counts an answer with a weight, as if it had been given that often. To count a tie
// between two arms, add a pick of each with weight ½.
func (t *Tally) AddWeighted(a Answer, weight float64) error {
	if err := a.Check(t.arms); err != nil {
		return err
	}
	if !(weight > 0) || math.IsInf(weight, 1) {
		return fmt.Errorf("answer: the weight must be positive and finite, got %v", weight)
	}
	t.remaining = append(t.remaining[:0], a.Question...)
	slices.Sort(t.remaining)
	for _, slot := range a.Picks {
		if t.remaining[0] == t.remaining[len(t.remaining)-1] {
			break // one arm left, or copies of one: not a choice
		}
		arm := a.Question[slot]
		q := t.question(t.remaining)
		place := t.place[arm]
		for i := t.start[q]; ; i++ {
			if t.slots[i] == place {
				t.slotWins[i] += weight
				break
			}
		}
		t.asked[q] += weight
		t.wins[place] += weight
		t.picks += weight
		at, _ := slices.BinarySearch(t.remaining, arm)
		t.remaining = slices.Delete(t.remaining, at, at+1)
	}
	return nil
}

// question returns the number of the question with the given sorted arms. It adds the question if
// it is new.
func (t *Tally) question(sorted []int) int32 {
	t.places = t.places[:0]
	for _, arm := range sorted {
		place, seen := t.place[arm]
		if !seen {
			place = int32(len(t.seen))
			t.place[arm] = place
			t.seen = append(t.seen, arm)
			t.wins = append(t.wins, 0)
		}
		t.places = append(t.places, place)
	}
	slices.Sort(t.places)
	if q, known := t.index.find(t, t.places); known {
		return q
	}
	q := int32(len(t.asked))
	t.slots = append(t.slots, t.places...)
	for range t.places {
		t.slotWins = append(t.slotWins, 0)
	}
	t.start = append(t.start, int32(len(t.slots)))
	t.asked = append(t.asked, 0)
	t.index.add(t, q)
	return q
}

// Reset removes every answer and keeps the memory.
func (t *Tally) Reset() {
	clear(t.place)
	clear(t.index.table)
	t.index.used = 0
	t.picks = 0
	t.seen, t.wins = t.seen[:0], t.wins[:0]
	t.start, t.slots, t.slotWins, t.asked = t.start[:1], t.slots[:0], t.slotWins[:0], t.asked[:0]
}

// Questions iterates over the distinct questions in the order they were first counted: the sorted
// arms, and the weight of the picks of each. The picks of a repeated arm are counted at its first
// slot. Both slices are valid until the next step.
func (t *Tally) Questions() iter.Seq2[Question, []float64] {
	return func(yield func(Question, []float64) bool) {
		var sorted Question
		var wins []float64
		for q := range t.asked {
			sorted, wins = sorted[:0], wins[:0]
			first, end := t.start[q], t.start[q+1]
			for _, place := range t.slots[first:end] {
				sorted = append(sorted, t.seen[place])
			}
			slices.Sort(sorted)
			for i, arm := range sorted {
				weight := 0.0
				if i == 0 || sorted[i-1] != arm {
					slot := slices.Index(t.slots[first:end], t.place[arm])
					weight = t.slotWins[int(first)+slot]
				}
				wins = append(wins, weight)
			}
			if !yield(sorted, wins) {
				return
			}
		}
	}
}

// NullLogLikelihood returns the null log-likelihood −Σ log K, in which every pick is a uniform draw
// from its question.
func (t *Tally) NullLogLikelihood() float64 {
	sum := 0.0
	for q, weight := range t.asked {
		sum -= weight * math.Log(float64(t.start[q+1]-t.start[q]))
	}
	return sum
}

// Weighted returns the same tasks with a weight each, which multiplies the log-likelihood of the
// task: a positive, finite number. The records share their features.
func (r *Records) Weighted(weights []float64) *Records {
	if len(weights) != r.Tasks() {
		panic("choice: there must be one weight for each task")
	}
	weighted := *r
	weighted.weights, weighted.picks = slices.Clone(weights), 0
	for t, w := range weights {
		if !(w > 0) || w-w != 0 {
			panic("choice: a weight must be positive and finite")
		}
		weighted.picks += w * float64(r.depth[t])
	}
	weighted.shard()
	return &weighted
}

// weight returns the weight of a task.
func (r *Records) weight(t int) float64 {
	if r.weights == nil {
		return 1
	}
	return r.weights[t]
}

// Select returns the records of some tasks, in the given order, for estimates from a part of the
// data. The tasks count from zero.
func (r *Records) Select(tasks []int) *Records {
	d := len(r.names)
	s := &Records{names: r.names, ranges: make([]float64, d), start: []int{0}}
	for _, t := range tasks {
		rows := r.cells[r.start[t]*d : r.start[t+1]*d]
		s.cells = append(s.cells, rows...)
		s.start = append(s.start, len(s.cells)/d)
		s.depth = append(s.depth, r.depth[t])
		s.picks += r.weight(t) * float64(r.depth[t])
		if r.weights != nil {
			s.weights = append(s.weights, r.weights[t])
		}
		for k := range d {
			low, high := 0.0, 0.0 // of the best-ranked itself
			for at := k; at < len(rows); at += d {
				low, high = min(low, rows[at]), max(high, rows[at])
			}
			s.ranges[k] = max(s.ranges[k], high-low)
		}
	}
	s.shard()
	return s
}

// HitRate returns the share, by weight, of the tasks whose best-ranked alternative has the highest
// utility at θ. If several have it, the task counts as one hit divided by their number.
func (r *Records) HitRate(theta []float64) float64 {
	r.checkLength(theta)
	d, hits, total := len(theta), 0.0, 0.0
	for t := range r.Tasks() {
		tied := 1.0
		for row := r.start[t]; row < r.start[t+1]; row++ {
			switch u := dot(theta, r.cells[row*d:(row+1)*d]); {
			case u > 0:
				tied = 0
			case u == 0 && tied > 0:
				tied++
			}
			if tied == 0 {
				break
			}
		}
		if tied > 0 {
			hits += r.weight(t) / tied
		}
		total += r.weight(t)
	}
	return hits / total
}

// tallyJSON is a tally with the order of its arms and questions, so that computations on a restored
// tally give the same results to the last bit.
type tallyJSON struct {
	Arms      int       `json:"arms"`
	Picks     float64   `json:"picks"`
	Seen      []int     `json:"seen"`
	Wins      []float64 `json:"wins"`
	Questions []byte    `json:"questions"` // see appendQuestion
}

var errQuestions = errors.New("choice: the questions of the tally cannot be decoded")

// MarshalJSON encodes a tally for UnmarshalJSON. There may be a million questions; they take about
// ten bytes each and are copied once.
func (t *Tally) MarshalJSON() ([]byte, error) {
	head, err := json.Marshal(tallyJSON{Arms: t.arms, Picks: t.picks, Seen: t.seen, Wins: t.wins, Questions: []byte{}})
	if err != nil {
		return nil, err
	}
	const size, end = 3, `"}` // bytes for a question, and for each of its slots
	questions := make([]byte, 0, size*len(t.asked)+size*len(t.slots))
	for q := range t.asked {
		questions = t.appendQuestion(questions, q)
	}
	text := make([]byte, 0, len(head)+base64.StdEncoding.EncodedLen(len(questions)))
	text = append(text, head[:len(head)-len(end)]...)
	return append(base64.StdEncoding.AppendEncode(text, questions), end...), nil
}

// appendQuestion encodes question q: the number of its slots, their places as differences, the
// weight of the picks of each, and the weight of its answers.
func (t *Tally) appendQuestion(to []byte, q int) []byte {
	from, end := t.start[q], t.start[q+1]
	to = binary.AppendUvarint(to, uint64(end-from))
	before := int32(0)
	for _, place := range t.slots[from:end] {
		to = binary.AppendUvarint(to, uint64(place-before))
		before = place
	}
	for _, wins := range t.slotWins[from:end] {
		to = appendWeight(to, wins)
	}
	return appendWeight(to, t.asked[q])
}

// appendWeight encodes an integer w as 2w, and any other number as 1 and its eight bytes.
func appendWeight(to []byte, w float64) []byte {
	const exact = 1 << 53
	if w >= 0 && w < exact && w == math.Trunc(w) && !math.Signbit(w) {
		return binary.AppendUvarint(to, 2*uint64(w))
	}
	return binary.LittleEndian.AppendUint64(append(to, 1), math.Float64bits(w))
}

// UnmarshalJSON restores a tally encoded by MarshalJSON. It does not check that the numbers are
// consistent: callers protect stored tallies with a checksum.
func (t *Tally) UnmarshalJSON(data []byte) error {
	var saved tallyJSON
	if err := json.Unmarshal(data, &saved); err != nil {
		return err
	}
	if saved.Arms < 2 || len(saved.Wins) != len(saved.Seen) {
		return errQuestions
	}
	restored := NewTally(saved.Arms)
	restored.picks, restored.seen, restored.wins = saved.Picks, saved.Seen, saved.Wins
	for at, arm := range saved.Seen {
		restored.place[arm] = int32(at)
	}
	for r := (questionReader{text: saved.Questions}); len(r.text) > 0; {
		if !restored.readQuestion(&r) {
			return errQuestions
		}
	}
	*t = *restored
	return nil
}

// readQuestion adds a question encoded by appendQuestion. It reports whether decoding succeeded.
func (t *Tally) readQuestion(r *questionReader) bool {
	slots := r.number()
	if slots < 2 {
		return false
	}
	place := uint64(0)
	for range slots {
		if place += r.number(); r.bad || place >= uint64(len(t.seen)) {
			return false
		}
		t.slots = append(t.slots, int32(place))
	}
	for range slots {
		t.slotWins = append(t.slotWins, r.weight())
	}
	t.start = append(t.start, int32(len(t.slots)))
	t.asked = append(t.asked, r.weight())
	if r.bad {
		return false
	}
	t.index.add(t, int32(len(t.asked)-1))
	return true
}

// A questionReader decodes questions. It sets bad at the first number that it cannot decode.
type questionReader struct {
	text []byte
	bad  bool
}

func (r *questionReader) number() uint64 {
	n, size := binary.Uvarint(r.text)
	if size <= 0 {
		r.bad, r.text = true, nil
		return 0
	}
	r.text = r.text[size:]
	return n
}

func (r *questionReader) weight() float64 {
	const bits = 8
	n := r.number()
	switch {
	case n%2 == 0:
		return float64(n / 2)
	case n != 1 || len(r.text) < bits:
		r.bad, r.text = true, nil
		return 0
	}
	w := math.Float64frombits(binary.LittleEndian.Uint64(r.text))
	r.text = r.text[bits:]
	return w
}
