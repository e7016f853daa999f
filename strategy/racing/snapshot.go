package racing

import (
	"encoding/json"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
)

// The name and version of a snapshot ([strategy.Seal]). Increment the version when snapshot changes.
const (
	snapshotName    = "racing"
	snapshotVersion = 1
)

// snapshot is the complete state. Floating-point numbers keep all their digits.
type snapshot struct {
	Settings  Settings              `json:"settings"`
	Arms      int                   `json:"arms"`
	Features  int                   `json:"features"`
	Withdrawn []int                 `json:"withdrawn,omitempty"`
	Random    []byte                `json:"random"`
	Evidence  evidence.AnytimeState `json:"evidence"`
	Checks    checks.State          `json:"checks"`
	Tilts     evidence.TiltsState   `json:"tilts,omitzero"`
	State     state                 `json:"state"`
	Tally     *choice.Tally         `json:"tally,omitempty"`
}

// Snapshot returns the state, for [Restore].
func (r *Linear) Snapshot() ([]byte, error) {
	random, err := r.pcg.MarshalBinary()
	if err != nil {
		return nil, err
	}
	rest, err := json.Marshal(snapshot{
		Settings: r.problem.settings, Arms: r.problem.catalogue.Len(), Features: r.problem.catalogue.Dim(),
		Withdrawn: r.problem.withdrawn, Random: random, Evidence: r.evidence.State(), Checks: r.monitor.State(),
		Tilts: r.tilts.State(), State: r.state,
	})
	if err != nil {
		return nil, err
	}
	tally, err := r.tally.MarshalJSON() // may take tens of megabytes, which json.Marshal would copy twice
	if err != nil {
		return nil, err
	}
	return strategy.SealEncoded(snapshotName, snapshotVersion, rest[:len(rest)-1], []byte(`,"tally":`), tally, []byte("}")), nil
}

// restoreLinear returns the race of a snapshot, over the same catalogue.
func restoreLinear(c *choice.Catalogue, data []byte, size lookSizes) (*Linear, error) {
	var saved snapshot
	if err := strategy.Unseal(data, snapshotName, snapshotVersion, &saved); err != nil {
		return nil, err
	}
	if saved.Arms != c.Len() || saved.Features != c.Dim() {
		return nil, strategy.ErrSnapshot
	}
	r, err := newLinear(c, saved.Settings, size)
	if err != nil {
		return nil, err
	}
	if err := r.pcg.UnmarshalBinary(saved.Random); err != nil {
		return nil, err
	}
	r.problem.withdrawn, r.tally, r.state = saved.Withdrawn, saved.Tally, saved.State
	r.attach()
	r.evidence.Restore(saved.Evidence)
	r.tilts.Restore(saved.Tilts)
	r.monitor.Restore(saved.Checks)
	set := newActiveSet(r.problem.rows, r.state.Active, r.state.Rivals)
	r.leads = r.problem.newLeads(set, &r.state.Belief, r.state.Leader)
	if r.problem.settings.Top != 0 {
		r.leads = r.problem.oppose(r.leads, &r.state.Belief, &r.state.Memory)
	}
	r.leads.zeroEliminated(r.state.Standings.Contenders)
	r.leads.Epsilon = max(r.leads.Epsilon, r.state.Goal)
	return r, nil
}
