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
	Name      string           `json:"name"`
	Settings  Settings         `json:"settings"`
	Random    []byte           `json:"random"`
	Precision design.Precision `json:"precision"`
	Tally     *choice.Tally    `json:"tally"`
	Theta     []float64        `json:"theta"`
	Answered  []float64        `json:"answered,omitempty"` // V of the questions answered
	State     json.RawMessage  `json:"state"`
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

var (
	errOtherCatalogue = errors.New("it is of another catalogue")
	errDamaged        = errors.New("it is damaged")
)

// save returns a snapshot of the machine with the state of the strategy around it.
func (m *machine) save(state any, answered []float64) ([]byte, error) {
	random, err := m.pcg.MarshalBinary()
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	return json.Marshal(snapshot{
		Name: m.name, Settings: m.settings, Random: random, Precision: m.precision,
		Tally: m.estimate.tally, Theta: m.estimate.theta, Answered: answered, State: encoded,
	})
}

// load makes the machine what it was, sets the state, and returns V of the questions
// answered.
func (m *machine) load(data []byte, state any) (answered []float64, err error) {
	saved := snapshot{Precision: m.precision, Tally: m.estimate.tally}
	if err := json.Unmarshal(data, &saved); err != nil {
		return nil, err
	}
	if saved.Precision == nil || saved.Tally == nil {
		return nil, errDamaged
	}
	if len(saved.Theta) != m.catalogue.Dim() || saved.Tally.Arms() != m.catalogue.Len() {
		return nil, errOtherCatalogue
	}
	copy(m.estimate.theta, saved.Theta)
	m.estimate.evaluate()
	if err := m.pcg.UnmarshalBinary(saved.Random); err != nil {
		return nil, err
	}
	return saved.Answered, json.Unmarshal(saved.State, state)
}

// Snapshot returns the state.
func (s *Sequential) Snapshot() ([]byte, error) {
	return s.save(s.state, s.answered.RawSymmetric().Data)
}

func (s *Sequential) restore(data []byte) error {
	answered, err := s.load(data, &s.state)
	if err != nil {
		return err
	}
	if copy(s.answered.RawSymmetric().Data, answered) != s.catalogue.Dim()*s.catalogue.Dim() {
		return errDamaged
	}
	return s.state.Ledger.check(s.catalogue.Len())
}

// Snapshot returns the state.
func (a *Adaptive) Snapshot() ([]byte, error) { return a.save(a.state, nil) }

func (a *Adaptive) restore(data []byte) error {
	if _, err := a.load(data, &a.state); err != nil {
		return err
	}
	if err := a.state.Ledger.check(a.catalogue.Len()); err != nil {
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
