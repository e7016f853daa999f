package choice

import (
	"encoding/json"
)

// tallyJSON is a tally with the order of its arms and questions, so that computations on a restored
// tally give the same results to the last bit.
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

// MarshalJSON encodes a tally for UnmarshalJSON.
func (t *Tally) MarshalJSON() ([]byte, error) {
	return json.Marshal(tallyJSON{t.arms, t.picks, t.seen, t.wins, t.start, t.slots, t.slotWins, t.asked})
}

// UnmarshalJSON restores what MarshalJSON encoded. It does not check the consistency of its input:
// callers protect stored tallies with a checksum.
func (t *Tally) UnmarshalJSON(data []byte) error {
	var saved tallyJSON
	if err := json.Unmarshal(data, &saved); err != nil {
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
