package baseline

import (
	"slices"

	"bestpick/choice"
)

// batched asks batches of questions that are fixed in advance. After the last answer of a batch it
// eliminates arms and plans the next batch. All questions of a batch may be outstanding at once; then
// Ask waits for the answers. The strategies rage-glm and trace-the-best differ in their batches.
type batched struct {
	*runner

	rule    elimination
	number  int        // of the batch, from 0
	plan    []repeated // what is left to ask of the batch, the next question last
	missing int        // answers to the batch
	active  []int      // arms not eliminated, the leader first
	queue   []int      // arms that Trace-the-Best may show again
}

// repeated is a question that is to be asked several times.
type repeated struct {
	question choice.Question
	times    int
}

// An elimination decides what a batch asks and which arms it eliminates. The tally has the answers of the batch.
type elimination interface {
	// plan returns the questions of the batch that begins.
	plan(b *batched) []repeated

	// eliminate sets the active arms after a batch.
	eliminate(b *batched)
}

// maxTimes bounds the number of times that a batch asks a question.
const maxTimes = 1 << 40

// begin plans a batch.
func (b *batched) begin() {
	b.estimate.tally.Reset()
	b.plan = b.rule.plan(b)
	for i, p := range b.plan {
		b.plan[i].times = min(p.times, maxTimes)
		b.missing += b.plan[i].times
	}
}

// next returns the next question of the batch.
func (b *batched) next(q choice.Question) (choice.Question, bool) {
	if b.missing == 0 {
		b.begin()
	}
	last := len(b.plan) - 1
	if last < 0 {
		return nil, false
	}
	q = append(q, b.plan[last].question...)
	if b.plan[last].times--; b.plan[last].times == 0 {
		b.plan = b.plan[:last]
	}
	return q, true
}

// count counts the first pick of an answer. The last answer of a batch eliminates arms.
func (b *batched) count(a choice.Answer) error {
	b.missing--
	a.Picks = a.Picks[:1]
	if err := b.estimate.tally.Add(a); err != nil {
		return err
	}
	if b.missing > 0 {
		return nil
	}
	b.rule.eliminate(b)
	b.number++
	return nil
}

// decided reports whether only one arm is active.
func (b *batched) decided() bool { return len(b.active) == 1 }

func (b *batched) contenders() []int { return slices.Clone(b.active) }
