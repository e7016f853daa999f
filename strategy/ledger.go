package strategy

import (
	"encoding/binary"
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
