package engine

import (
	"encoding/json"
	"errors"
	"fmt"

	"bestpick/strategy/racing"
)

// saved is a snapshot: all that a race needs to continue. State is a text, because a program that reads
// and writes JSON may write numbers in another way, and the state has a checksum.
type saved struct {
	origin

	Settings racing.Settings `json:"settings"`
	State    string          `json:"state"`
}

func (r *race) snapshot(plainRequest) (any, error) {
	state, err := r.racing.Snapshot()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(saved{r.origin, r.settings, string(state)})
	return snapshotReply{string(text)}, err
}

// errSnapshot is the error for a text that is not a snapshot of this version.
var errSnapshot = errors.New("snapshot must be the text of a snapshot that this version of bestpick made")

// restoreRace returns the race of a snapshot.
func restoreRace(snapshot string) (*race, error) {
	var s saved
	if json.Unmarshal([]byte(snapshot), &s) != nil {
		return nil, errSnapshot
	}
	arms, err := s.open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSnapshot, err)
	}
	restored, err := racing.Restore(arms.Arms, []byte(s.State))
	if err != nil {
		return nil, errSnapshot
	}
	return &race{arms, restored, s.Settings, s.origin}, nil
}
