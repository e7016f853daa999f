package baseline

import (
	"encoding/json"

	"bestpick/choice"
	"bestpick/strategy"
)

// The name and version of a snapshot ([strategy.Seal]). Increment the version when snapshot
// changes.
const (
	snapshotName    = "baseline"
	snapshotVersion = 1
)

// snapshot is the complete state of any of the strategies. Floating-point numbers keep all their
// digits.
type snapshot struct {
	Name      string          `json:"name"`
	Settings  Settings        `json:"settings"`
	Arms      int             `json:"arms"`
	Random    []byte          `json:"random"`
	Precision json.RawMessage `json:"precision"`
	Tally     *choice.Tally   `json:"tally"`
	Theta     []float64       `json:"theta"`
	Answered  []float64       `json:"answered,omitempty"` // V of the questions answered
	State     json.RawMessage `json:"state"`
}

// A restorable strategy can load its own snapshot.
type restorable interface {
	strategy.Strategy
	restore(saved snapshot) error
}

// save returns a snapshot of the baseline with the state of the strategy that embeds it.
func (b *baseline) save(state any, answered []float64) ([]byte, error) {
	random, err := b.pcg.MarshalBinary()
	if err != nil {
		return nil, err
	}
	precision, err := json.Marshal(b.precision)
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	return strategy.Seal(snapshotName, snapshotVersion, snapshot{
		Name: b.name, Settings: b.settings, Arms: b.catalogue.Len(), Random: random, Precision: precision,
		Tally: b.estimate.tally, Theta: b.estimate.theta, Answered: answered, State: encoded,
	})
}

// load restores the baseline, and the state of the strategy that embeds it.
func (b *baseline) load(saved snapshot, state any) error {
	if err := json.Unmarshal(saved.Precision, b.precision); err != nil {
		return err
	}
	if err := b.pcg.UnmarshalBinary(saved.Random); err != nil {
		return err
	}
	*b.estimate.tally = *saved.Tally
	copy(b.estimate.theta, saved.Theta)
	b.estimate.evaluate()
	return json.Unmarshal(saved.State, state)
}

// Snapshot returns the state, for [Restore].
func (s *Sequential) Snapshot() ([]byte, error) {
	return s.save(s.state, s.answered.RawSymmetric().Data)
}

func (s *Sequential) restore(saved snapshot) error {
	copy(s.answered.RawSymmetric().Data, saved.Answered)
	return s.load(saved, &s.state)
}

// Snapshot returns the state, for [Restore].
func (a *Adaptive) Snapshot() ([]byte, error) { return a.save(a.state, nil) }

func (a *Adaptive) restore(saved snapshot) error {
	if err := a.load(saved, &a.state); err != nil {
		return err
	}
	if !a.decided() {
		a.greedy.Activate(a.state.Active)
	}
	return nil
}
