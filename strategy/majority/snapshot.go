package majority

import (
	"math/rand/v2"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
)

// The name and version of a snapshot ([strategy.Seal]). Increment the version when snapshot changes.
const (
	snapshotName    = "majority"
	snapshotVersion = 1
)

// snapshot is the complete state. Floating-point numbers keep all their digits.
type snapshot struct {
	Settings  Settings      `json:"settings"`
	Arms      int           `json:"arms"`
	Features  int           `json:"features"`
	Withdrawn []int         `json:"withdrawn,omitempty"`
	Placed    []int         `json:"placed,omitempty"`
	Random    []byte        `json:"random"`
	Poll      Poll          `json:"poll"`
	Guess     guess         `json:"guess"`
	Tally     *choice.Tally `json:"tally"`
	State     state         `json:"state"`
}

// Snapshot returns the state, for [Restore].
func (r *Race) Snapshot() ([]byte, error) {
	random, err := r.pcg.MarshalBinary()
	if err != nil {
		return nil, err
	}
	c := r.poll.arms.catalogue
	return strategy.Seal(snapshotName, snapshotVersion, snapshot{
		Settings: r.poll.settings, Arms: c.Len(), Features: c.Dim(), Withdrawn: r.poll.arms.withdrawn, Placed: r.poll.arms.placed,
		Random: random, Poll: r.poll, Guess: r.model.guess, Tally: r.model.tally, State: r.state,
	})
}

// Restore returns the race of a snapshot, over the same catalogue. It returns [strategy.ErrSnapshot] for
// any other data, including snapshots of other versions; the caller then replays the answers.
func Restore(c *choice.Catalogue, data []byte) (*Race, error) {
	var saved snapshot
	if err := strategy.Unseal(data, snapshotName, snapshotVersion, &saved); err != nil {
		return nil, err
	}
	if saved.Arms != c.Len() || saved.Features != c.Dim() {
		return nil, strategy.ErrSnapshot
	}
	if err := saved.Settings.Check(c); err != nil {
		return nil, err
	}
	m, err := newModel(c, saved.Tally, saved.Guess)
	if err != nil {
		return nil, err
	}
	pcg := survey.NewPCG(saved.Settings.Seed)
	if err := pcg.UnmarshalBinary(saved.Random); err != nil {
		return nil, err
	}
	saved.Poll.Resume(c, saved.Settings, saved.Withdrawn)
	saved.Poll.arms.placed = saved.Placed
	r := &Race{poll: saved.Poll, model: m, pcg: pcg, rng: rand.New(pcg), state: saved.State}
	r.leads = r.poll.arms.leads(m.rows, &m.Belief, r.state.Leader)
	r.keepContenders(r.state.Contenders)
	return r, nil
}
