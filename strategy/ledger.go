package strategy

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"bestpick/choice"
)

// A Ledger keeps track of the outstanding questions of a strategy. It stores every distinct
// question once and hands out that copy, so that asking a known question again allocates nothing.
// The zero value is empty. The fields are exported for snapshots only.
type Ledger struct {
	Questions []choice.Question `json:"questions"` // distinct, as asked
	Out       []int             `json:"out"`       // how often each is outstanding
	Lost      []choice.Question `json:"lost"`      // to be asked again
	Total     int               `json:"total"`     // outstanding questions

	index map[string]int
	key   []byte
}

// Ask records that a question is outstanding and returns the stored copy of it.
func (l *Ledger) Ask(q choice.Question) choice.Question {
	at, known := l.find(q)
	if !known {
		at = len(l.Questions)
		l.index[string(l.key)] = at
		l.Questions = append(l.Questions, slices.Clone(q))
		l.Out = append(l.Out, 0)
	}
	l.Out[at]++
	l.Total++
	return l.Questions[at]
}

// AskAgain returns the question lost last, if any, and records that it is outstanding once more.
func (l *Ledger) AskAgain() (q choice.Question, ok bool) {
	last := len(l.Lost) - 1
	if last < 0 {
		return nil, false
	}
	q, l.Lost = l.Lost[last], l.Lost[:last]
	return l.Ask(q), true
}

// Settle records that a question is no longer outstanding. It returns [ErrNotAsked] if it was not.
func (l *Ledger) Settle(q choice.Question) error {
	at, known := l.find(q)
	if !known || l.Out[at] == 0 {
		return ErrNotAsked
	}
	l.Out[at]--
	l.Total--
	return nil
}

// Lose settles a question and queues it for AskAgain.
func (l *Ledger) Lose(q choice.Question) error {
	if err := l.Settle(q); err != nil {
		return err
	}
	at, _ := l.find(q)
	l.Lost = append(l.Lost, l.Questions[at])
	return nil
}

// Drop removes the questions that show an arm from the queue of AskAgain.
func (l *Ledger) Drop(arm int) {
	l.Lost = slices.DeleteFunc(l.Lost, func(q choice.Question) bool { return slices.Contains(q, arm) })
}

// AllAnswered reports whether no question is outstanding or lost.
func (l *Ledger) AllAnswered() bool { return l.Total == 0 && len(l.Lost) == 0 }

func (l *Ledger) find(q choice.Question) (at int, known bool) {
	if l.index == nil {
		l.index = make(map[string]int, len(l.Questions))
		for at, q := range l.Questions {
			l.index[string(l.setKey(q))] = at
		}
	}
	at, known = l.index[string(l.setKey(q))]
	return at, known
}

func (l *Ledger) setKey(q choice.Question) []byte {
	l.key = l.key[:0]
	for _, arm := range q {
		l.key = binary.AppendUvarint(l.key, uint64(arm))
	}
	return l.key
}

// ErrSnapshot is the error of [Unseal] for data that is not a snapshot of the given strategy and
// version, or that was modified. The caller then replays the answers.
var ErrSnapshot = errors.New("strategy: not a snapshot of this strategy and version")

// envelope is a snapshot: a state with its name, version and checksum.
type envelope struct {
	Strategy string          `json:"strategy"`
	Version  int             `json:"version"`
	SHA256   string          `json:"sha256"` // of State, in hexadecimal
	State    json.RawMessage `json:"state"`
}

// Seal encodes the state of a strategy as JSON, in an envelope with its name, the version of the encoding and a checksum. A
// strategy increments the version whenever the encoding or the meaning of its state changes.
func Seal(name string, version int, state any) ([]byte, error) {
	encoded, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	return SealEncoded(name, version, encoded), nil
}

// SealEncoded is [Seal] for a state that is already encoded as json.Marshal does, in any number of
// parts. It copies the state, which may have tens of megabytes, only once.
func SealEncoded(name string, version int, parts ...[]byte) []byte {
	head := fmt.Appendf(nil, `{"strategy":%q,"version":%d,"sha256":"%s","state":`, name, version, checksum(parts...))
	return slices.Concat(slices.Concat([][]byte{head}, parts, [][]byte{[]byte("}")})...)
}

// Unseal decodes a state that [Seal] encoded under the same name and version into state. The
// checksum guarantees that the state is unmodified, so its decoder need not check it.
func Unseal(data []byte, name string, version int, state any) error {
	var e envelope
	if json.Unmarshal(data, &e) != nil || e.Strategy != name || e.Version != version || e.SHA256 != checksum(e.State) {
		return ErrSnapshot
	}
	if err := json.Unmarshal(e.State, state); err != nil {
		return fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	return nil
}

// checksum returns the SHA-256 of a state in parts.
func checksum(parts ...[]byte) string {
	hash := sha256.New()
	for _, part := range parts {
		hash.Write(part)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
