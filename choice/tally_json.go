package choice

import (
	"encoding/json"
	"errors"
	"slices"
)

// tallyJSON is a tally to the letter: the order of arms and questions included, so
// that whatever is computed from a tally that was saved is the same to the last bit.
type tallyJSON struct {
	Arms     int       `json:"arms"`
	Picks    float64   `json:"picks"`
	Seen     []int     `json:"seen"`
	Wins     []float64 `json:"wins"`
	Start    []int32   `json:"start"`
	Slots    []int32   `json:"slots"`
	SlotWins []float64 `json:"slot_wins"`
	Asked    []float64 `json:"asked"`
}

// MarshalJSON saves a tally.
func (t *Tally) MarshalJSON() ([]byte, error) {
	return json.Marshal(tallyJSON{t.arms, t.picks, t.seen, t.wins, t.start, t.slots, t.slotWins, t.asked})
}

// UnmarshalJSON makes t the tally that was saved. What cannot have been saved is
// refused and leaves t as it was.
func (t *Tally) UnmarshalJSON(data []byte) error {
	var saved tallyJSON
	if err := json.Unmarshal(data, &saved); err != nil {
		return err
	}
	if err := saved.check(); err != nil {
		return err
	}
	restored := NewTally(saved.Arms)
	restored.picks, restored.seen, restored.wins = saved.Picks, saved.Seen, saved.Wins
	restored.start, restored.slots, restored.slotWins, restored.asked = saved.Start, saved.Slots, saved.SlotWins, saved.Asked
	for at, arm := range saved.Seen {
		restored.place[arm] = int32(at)
	}
	for q := range saved.Asked {
		restored.index.add(restored, int32(q))
	}
	*t = *restored
	return nil
}

// check refuses what no tally looks like.
func (s *tallyJSON) check() error {
	damaged := errors.New("choice: the saved tally is damaged")
	if s.Arms < 2 || len(s.Wins) != len(s.Seen) || len(s.SlotWins) != len(s.Slots) || len(s.Start) != len(s.Asked)+1 {
		return damaged
	}
	known := make(map[int]bool, len(s.Seen))
	for _, arm := range s.Seen {
		if arm < 0 || arm >= s.Arms || known[arm] {
			return damaged
		}
		known[arm] = true
	}
	for q := range s.Asked {
		if s.Start[q+1] < s.Start[q]+2 || !(s.Asked[q] >= 0) {
			return damaged
		}
	}
	if s.Start[0] != 0 || int(s.Start[len(s.Asked)]) != len(s.Slots) {
		return damaged
	}
	for q := range s.Asked {
		if !slices.IsSorted(s.Slots[s.Start[q]:s.Start[q+1]]) {
			return damaged
		}
	}
	for _, place := range s.Slots {
		if place < 0 || int(place) >= len(s.Seen) {
			return damaged
		}
	}
	return nil
}
