package baseline

import (
	"slices"

	"bestpick/choice"
	"bestpick/strategy"
)

// A Batched strategy asks batches of questions that are fixed in advance. After the last answer of a
// batch it eliminates arms and plans the next batch. All questions of a batch may be outstanding at
// once; then Ask waits for the answers. [NewRAGE] and [NewTraceTheBest] differ in their batches.
type Batched struct {
	baseline

	rule  elimination
	state batchedState
}

// batchedState is the part of a snapshot that baseline does not have.
type batchedState struct {
	Ledger   strategy.Ledger `json:"ledger"`
	Asked    int             `json:"asked"`           // in all
	Answered int             `json:"answered"`        // in all
	Number   int             `json:"number"`          // of the batch, from 0
	Plan     []repeated      `json:"plan"`            // what is left to ask of the batch, the next question last
	Missing  int             `json:"missing"`         // answers to the batch
	Active   []int           `json:"active"`          // arms not eliminated, the leader first
	Queue    []int           `json:"queue,omitempty"` // arms that Trace-the-Best may show again
}

// repeated is a question that is to be asked several times.
type repeated struct {
	Question choice.Question `json:"question"`
	Times    int             `json:"times"`
}

// An elimination decides what a batch asks and which arms it eliminates. The tally has the answers of the batch.
type elimination interface {
	// plan returns the questions of the batch that begins.
	plan(b *Batched) []repeated

	// eliminate sets the active arms after a batch.
	eliminate(b *Batched)
}

// maxTimes bounds the number of times that a batch asks a question.
const maxTimes = 1 << 40

// begin plans a batch.
func (b *Batched) begin() {
	b.estimate.tally.Reset()
	b.state.Plan = b.rule.plan(b)
	for i, p := range b.state.Plan {
		b.state.Plan[i].Times = min(p.Times, maxTimes)
		b.state.Missing += b.state.Plan[i].Times
	}
}

// Ask returns a lost question, or the next question of the batch.
func (b *Batched) Ask() (choice.Question, error) {
	s := &b.state
	if b.decided() {
		return nil, strategy.ErrStopped
	}
	q, again := s.Ledger.AskAgain()
	if !again {
		if s.Missing == 0 {
			b.begin()
		}
		last := len(s.Plan) - 1
		if last < 0 {
			return nil, strategy.ErrWaiting
		}
		q = s.Ledger.Ask(s.Plan[last].Question)
		if s.Plan[last].Times--; s.Plan[last].Times == 0 {
			s.Plan = s.Plan[:last]
		}
	}
	s.Asked++
	return q, nil
}

// Tell counts the first pick of an answer. The last answer of a batch eliminates arms.
func (b *Batched) Tell(a choice.Answer) error {
	if err := a.Check(b.catalogue.Len()); err != nil {
		return err
	}
	if err := b.state.Ledger.Settle(a.Question); err != nil {
		return err
	}
	b.state.Answered++
	b.state.Missing--
	a.Picks = a.Picks[:1]
	if err := b.estimate.tally.Add(a); err != nil {
		return err
	}
	if b.state.Missing > 0 {
		return nil
	}
	b.rule.eliminate(b)
	b.state.Number++
	return nil
}

// Lose queues a question to be asked again.
func (b *Batched) Lose(q choice.Question) error {
	if err := b.state.Ledger.Lose(q); err != nil {
		return err
	}
	b.state.Asked--
	return nil
}

// decided reports whether only one arm is active.
func (b *Batched) decided() bool { return len(b.state.Active) == 1 }

// Verdict returns the active arms.
func (b *Batched) Verdict() strategy.Verdict {
	s := &b.state
	v := strategy.Verdict{Leader: s.Active[0], Asked: s.Asked, Answered: s.Answered, Contenders: slices.Clone(s.Active)}
	v.Elimination = strategy.NewElimination(b.catalogue, 0, len(s.Active)-1)
	if b.decided() {
		v.Status = strategy.Decided
	}
	return v
}

// Snapshot returns the state, for [Restore].
func (b *Batched) Snapshot() ([]byte, error) { return b.save(b.state, nil) }

func (b *Batched) restore(saved snapshot) error {
	b.state = batchedState{}
	return b.load(saved, &b.state)
}
