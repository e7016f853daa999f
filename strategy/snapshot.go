package strategy

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"bestpick/choice"
	"bestpick/design"
)

// snapshot is the state of any strategy, to the letter.
type snapshot struct {
	Name      string            `json:"name"`
	Settings  Settings          `json:"settings"`
	Random    []byte            `json:"random"`
	Precision *design.Precision `json:"precision"`
	Tally     *choice.Tally     `json:"tally"`
	Theta     []float64         `json:"theta"`
	Answered  []float64         `json:"answered,omitempty"` // V of the questions answered
	State     json.RawMessage   `json:"state"`
}

// Restore makes the strategy that a snapshot was taken of, over the same catalogue.
func Restore(c *choice.Catalogue, data []byte) (Strategy, error) {
	var header struct {
		Name     string   `json:"name"`
		Settings Settings `json:"settings"`
	}
	if err := json.Unmarshal(data, &header); err != nil {
		return nil, fmt.Errorf("strategy: the snapshot cannot be read: %w", err)
	}
	s, err := New(header.Name, c, header.Settings)
	if err != nil {
		return nil, err
	}
	r, ok := s.(interface{ restore(data []byte) error })
	if !ok {
		return nil, fmt.Errorf("strategy: %s cannot be restored", header.Name)
	}
	if err := r.restore(data); err != nil {
		return nil, fmt.Errorf("strategy: the snapshot cannot be read: %w", err)
	}
	return s, nil
}

// Snapshot returns the state.
func (s *Sequential) Snapshot() ([]byte, error) {
	random, err := s.pcg.MarshalBinary()
	if err != nil {
		return nil, err
	}
	state, err := json.Marshal(s.state)
	if err != nil {
		return nil, err
	}
	return json.Marshal(snapshot{
		Name: s.name, Settings: s.settings, Random: random, Precision: s.precision,
		Tally: s.estimate.tally, Theta: s.estimate.theta, Answered: s.answered.RawSymmetric().Data, State: state,
	})
}

func (s *Sequential) restore(data []byte) error {
	saved := snapshot{Precision: s.precision, Tally: s.estimate.tally}
	if err := json.Unmarshal(data, &saved); err != nil {
		return err
	}
	if saved.Precision == nil || saved.Tally == nil {
		return errDamaged
	}
	answered := s.answered.RawSymmetric().Data
	if len(saved.Answered) != len(answered) {
		return errOtherCatalogue
	}
	copy(answered, saved.Answered)
	if err := s.estimate.restore(saved.Theta); err != nil {
		return err
	}
	if err := s.pcg.UnmarshalBinary(saved.Random); err != nil {
		return err
	}
	if err := json.Unmarshal(saved.State, &s.state); err != nil {
		return err
	}
	return s.state.Ledger.check(s.catalogue.Len(), s.state.Again)
}

var (
	errOtherCatalogue = errors.New("it is of another catalogue")
	errDamaged        = errors.New("it is damaged")
)

// restore sets θ̂ and what follows from it; the tally is restored already.
func (e *estimate) restore(theta []float64) error {
	if len(theta) != len(e.theta) || e.tally.Arms() != e.catalogue.Len() {
		return errOtherCatalogue
	}
	copy(e.theta, theta)
	e.evaluate()
	return nil
}

// Snapshot returns the state.
func (a *Adaptive) Snapshot() ([]byte, error) {
	random, err := a.pcg.MarshalBinary()
	if err != nil {
		return nil, err
	}
	state, err := json.Marshal(a.state)
	if err != nil {
		return nil, err
	}
	return json.Marshal(snapshot{
		Name: adaptive, Settings: a.settings, Random: random, Precision: a.precision,
		Tally: a.estimate.tally, Theta: a.estimate.theta, State: state,
	})
}

func (a *Adaptive) restore(data []byte) error {
	saved := snapshot{Precision: a.precision, Tally: a.estimate.tally}
	if err := json.Unmarshal(data, &saved); err != nil {
		return err
	}
	if saved.Precision == nil || saved.Tally == nil {
		return errDamaged
	}
	if err := a.estimate.restore(saved.Theta); err != nil {
		return err
	}
	if err := a.pcg.UnmarshalBinary(saved.Random); err != nil {
		return err
	}
	if err := json.Unmarshal(saved.State, &a.state); err != nil {
		return err
	}
	if err := a.state.Ledger.check(a.catalogue.Len(), a.state.Again); err != nil {
		return err
	}
	left := a.state.Active
	if len(left) == 0 || !slices.IsSorted(left) || len(slices.Compact(slices.Clone(left))) != len(left) ||
		left[0] < 0 || left[len(left)-1] >= a.catalogue.Len() ||
		a.state.Planned < 0 || a.state.Counted < 0 || a.state.Counted > a.state.Planned {
		return errDamaged
	}
	if !a.decided() {
		a.greedy.Activate(left)
	}
	return nil
}
