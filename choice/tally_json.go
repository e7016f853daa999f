package choice

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
)

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
