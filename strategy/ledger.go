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
		l.key = binary.LittleEndian.AppendUint32(l.key, uint32(arm))
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

// check refuses a restored ledger, or questions to be asked again, that cannot be
// those of a strategy over n arms.
func (l *ledger) check(n int, again []choice.Question) error {
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
	for _, q := range slices.Concat(l.Questions, again) {
		if err := q.Check(n); err != nil {
			return err
		}
	}
	return nil
}

// kept returns the copy that is kept of a question that was asked.
func (l *ledger) kept(q choice.Question) choice.Question {
	at, _ := l.find(q)
	return l.Questions[at]
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
