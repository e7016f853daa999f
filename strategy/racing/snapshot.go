package strategy

import (
	"encoding/json"
	"math"
	"slices"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/evidence"
)

// racingSnapshot is the state to the letter.
type racingSnapshot struct {
	Name     string                `json:"name"`
	Settings Settings              `json:"settings"`
	Random   []byte                `json:"random"`
	Tally    *choice.Tally         `json:"tally"`
	Evidence evidence.AnytimeState `json:"evidence"`
	Checks   checks.State          `json:"checks"`
	State    racingState           `json:"state"`
}

// Snapshot returns the state.
func (r *Racing) Snapshot() ([]byte, error) {
	random, err := r.pcg.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return json.Marshal(racingSnapshot{
		Name: racing, Settings: r.settings, Random: random, Tally: r.tally, Evidence: r.evidence.State(), Checks: r.monitor.State(), State: r.state,
	})
}

func (r *Racing) restore(data []byte) error {
	saved := racingSnapshot{Tally: r.tally}
	if err := json.Unmarshal(data, &saved); err != nil {
		return err
	}
	if saved.Tally == nil {
		return errDamaged
	}
	n, d := r.catalogue.Len(), r.views.shown.Dim()
	s := saved.State
	if saved.Tally.Arms() != r.views.shown.Len() || len(s.Belief.Theta) != d || len(s.Belief.Fitted) != d || len(s.Belief.Inverse) != d*d || len(s.Least) != d || len(s.Planned) != d*d {
		return errOtherCatalogue
	}
	if slices.ContainsFunc(s.Withdrawn, func(arm int) bool { return arm < 0 || arm >= n }) || n-len(s.Withdrawn) < max(r.settings.K, 2) {
		return errDamaged
	}
	if !r.sensible(&s, n) || !r.fits(&s, n) {
		return errDamaged
	}
	for _, q := range s.Deck {
		if err := q.Check(n); err != nil {
			return err
		}
	}
	if err := s.Ledger.check(n); err != nil {
		return err
	}
	if err := r.pcg.UnmarshalBinary(saved.Random); err != nil {
		return err
	}
	if !r.evidence.Restore(saved.Evidence) || !r.monitor.Restore(saved.Checks) {
		return errDamaged
	}
	r.state = s
	leader := -1
	if s.Field != nil {
		r.setField(r.views.field(s.Field, s.Rivals))
		leader = s.Leader
	}
	if r.evaluate(leader) != s.Leader {
		return errDamaged
	}
	r.narrow()
	return nil
}

// fits reports whether the field of a state can be that of a strategy over n arms.
func (r *Racing) fits(s *racingState, n int) bool {
	if r.field.arms == nil {
		return s.Field == nil && s.Refuted == nil && len(s.Widths) == n
	}
	if words := (n + 63) / 64; r.views.white != nil && len(s.Refuted) != words {
		return false
	}
	for place, arm := range s.Field {
		if arm < 0 || arm >= n || place > 0 && arm <= s.Field[place-1] {
			return false
		}
	}
	in := func(arm int) bool {
		_, there := slices.BinarySearch(s.Field, arm)
		return there
	}
	for _, c := range s.Contenders {
		if !in(c.Arm) {
			return false
		}
	}
	return in(s.Leader) && len(s.Field) >= r.settings.K && len(s.Rivals) == len(s.Field) && len(s.Widths) == len(s.Field) && s.Others >= 0
}

// sensible reports whether the state can be that of a strategy over n arms.
func (r *Racing) sensible(s *racingState, n int) bool {
	finite := func(xs []float64) bool {
		return !slices.ContainsFunc(xs, func(x float64) bool { return !(math.Abs(x) < 1e150) })
	}
	if slices.ContainsFunc(s.Verifying, func(arm int) bool { return arm < 0 || arm >= n || arm == s.Leader || slices.Contains(s.Withdrawn, arm) }) {
		return false
	}
	seen := map[int]bool{s.Leader: true}
	for _, c := range s.Contenders {
		if c.Arm < 0 || c.Arm >= n || seen[c.Arm] || slices.Contains(s.Withdrawn, c.Arm) {
			return false
		}
		seen[c.Arm] = true
	}
	for _, q := range slices.Concat(s.Deck, s.Ledger.Lost) {
		arms := slices.Sorted(slices.Values(q))
		if len(slices.Compact(arms)) != len(q) || slices.ContainsFunc(q, func(arm int) bool { return slices.Contains(s.Withdrawn, arm) }) {
			return false
		}
	}
	return s.Leader >= 0 && s.Leader < n && !slices.Contains(s.Withdrawn, s.Leader) && s.Answered >= 0 && s.Asked >= 0 && s.Level >= firstLevel &&
		finite(s.Belief.Theta) && finite(s.Belief.Fitted) && finite(s.Belief.Inverse) && finite(s.Planned) && finite(s.Widths) && finite(s.Least) &&
		sound(s.Duels, r.sideCount(), r.ownCapital()) && r.sameGroups(s.Duels)
}

// sameGroups reports whether the duels of a product are each of options of one group.
func (r *Racing) sameGroups(duels []evidence.Duel) bool {
	p := r.catalogue.Product()
	return p == nil || !slices.ContainsFunc(duels, func(d evidence.Duel) bool {
		group, _ := p.OptionAt(d.Arm)
		other, _ := p.OptionAt(d.Against)
		return group != other
	})
}

// sideCount is how many sides duels may have.
func (r *Racing) sideCount() int {
	if p := r.catalogue.Product(); p != nil {
		return p.OptionCount()
	}
	return r.catalogue.Len()
}

// sound reports whether duels can be those of a strategy with n sides, each of which has some
// capital for them.
func sound(duels []evidence.Duel, n int, own float64) bool {
	capital := map[int]float64{}
	for _, d := range duels {
		capital[d.Arm] += d.Weight
		if d.Arm < 0 || d.Arm >= n || d.Against < 0 || d.Against >= n || d.Arm == d.Against ||
			!(d.Weight > 0 && d.Wins >= 0 && d.Losses >= 0) || capital[d.Arm] > own+1e-9 {
			return false
		}
	}
	return true
}
