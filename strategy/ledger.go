package strategy

import (
	"encoding/binary"
	"slices"

	"bestpick/choice"
)

// A ledger knows which questions are out. It holds every distinct question once and
// lends it to whoever asks, so that asking a known question again costs no memory.
type ledger struct {
	Questions []choice.Question `json:"questions"` // distinct, as asked
	Out       []int             `json:"out"`       // how often each is out
	Lost      []choice.Question `json:"lost"`      // to be asked again
	Total     int               `json:"total"`     // questions out

	index map[string]int
	key   []byte
}

func (l *ledger) find(q choice.Question) (at int, known bool) {
	if l.index == nil {
		l.index = make(map[string]int, len(l.Questions))
		for at, q := range l.Questions {
			l.index[string(l.setKey(q))] = at
		}
	}
	at, known = l.index[string(l.setKey(q))]
	return at, known
}

func (l *ledger) setKey(q choice.Question) []byte {
	l.key = l.key[:0]
	for _, arm := range q {
		l.key = binary.AppendUvarint(l.key, uint64(arm))
	}
	return l.key
}

// ask notes that a question goes out and returns the copy that is kept of it.
func (l *ledger) ask(q choice.Question) choice.Question {
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

// again returns a question that was lost, if there is one, as asked once more.
func (l *ledger) again() (q choice.Question, ok bool) {
	last := len(l.Lost) - 1
	if last < 0 {
		return nil, false
	}
	q, l.Lost = l.Lost[last], l.Lost[:last]
	return l.ask(q), true
}

// lose notes that a question will not be answered and is to be asked again.
func (l *ledger) lose(q choice.Question) error {
	if err := l.settle(q); err != nil {
		return err
	}
	at, _ := l.find(q)
	l.Lost = append(l.Lost, l.Questions[at])
	return nil
}

// allAnswered reports whether no question is out or lost.
func (l *ledger) allAnswered() bool { return l.Total == 0 && len(l.Lost) == 0 }

// check refuses a restored ledger that cannot be that of a strategy over n arms.
func (l *ledger) check(n int) error {
	total := 0
	for _, out := range l.Out {
		if out < 0 {
			return errDamaged
		}
		total += out
	}
	if len(l.Out) != len(l.Questions) || total != l.Total {
		return errDamaged
	}
	for _, q := range slices.Concat(l.Questions, l.Lost) {
		if err := q.Check(n); err != nil {
			return err
		}
	}
	return nil
}

// settle notes that a question is answered or lost.
func (l *ledger) settle(q choice.Question) error {
	at, known := l.find(q)
	if !known || l.Out[at] == 0 {
		return ErrNotAsked
	}
	l.Out[at]--
	l.Total--
	return nil
}
