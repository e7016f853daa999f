package racing

import (
	"errors"
	"fmt"
	"slices"

	"bestpick/choice"
)

// errFixed is the error for products, and for a model that uses only duels: these depend on the set
// of arms.
var errFixed = errors.New("with clicks in the model, or with a product, arms cannot be added or withdrawn")

// Extend adds arms while a study runs. The catalogue must begin with the present arms, with the
// same features; the model predicts the new arms from their features at once. The certificate is
// over the arms at the time it is given, and holds for any reason to add or withdraw arms: from now
// on only the evidence about all of θ counts, which does not depend on which arm is best.
func (r *Racing) Extend(c *choice.Catalogue) error {
	old := r.contest.catalogue
	if r.contest.settings.Model.Clicks || old.Product() != nil || c.Product() != nil {
		return errFixed
	}
	if err := r.contest.settings.check(c, r.contest.size); err != nil {
		return err
	}
	if c.Len() <= old.Len() || !slices.Equal(c.Features(), old.Features()) {
		return errors.New("the new catalogue must have the same features and more arms")
	}
	for arm := range old.Len() {
		if c.ID(arm) != old.ID(arm) || !slices.Equal(c.Arm(arm), old.Arm(arm)) {
			return fmt.Errorf("arm %d of the new catalogue must be %q with the same features", arm, old.ID(arm))
		}
	}
	extended, err := newContest(c, r.contest.settings, r.contest.size)
	if err != nil {
		return err
	}
	extended.withdrawn = r.contest.withdrawn
	if !r.byMajority() {
		r.monitor.Look(r.state.Belief.Fitted) // with the arms before
	}
	monitor, saved := r.monitor, r.evidence.State()
	r.contest = extended
	r.tally.Grow(extended.views.shown.Len())
	r.attach()
	r.evidence.Restore(saved)
	r.monitor.Succeed(monitor)
	// θ is in other coordinates now, so re-estimate it.
	r.state.Election.grow(c.Len())
	if r.byMajority() {
		r.useResiduals()
	}
	searched := r.state.Memory.Searched
	r.believe()
	r.state.Memory = newMemory(&r.contest)
	r.state.Memory.Searched = searched
	r.reopen()
	return nil
}

// Withdraw removes an arm while a study runs: it is no longer shown and cannot be the leader or a
// contender. At least K arms must remain.
func (r *Racing) Withdraw(arm int) error {
	c := &r.contest
	switch {
	case c.settings.Model.Clicks || c.catalogue.Product() != nil:
		return errFixed
	case arm < 0 || arm >= c.catalogue.Len():
		return fmt.Errorf("unknown arm %d", arm)
	case c.isWithdrawn(arm):
		return nil
	case c.catalogue.Len()-len(c.withdrawn) <= c.settings.K:
		return fmt.Errorf("at least %d arms must remain for a question", c.settings.K)
	case c.catalogue.Len()-len(c.withdrawn)-1 <= c.settings.Top:
		return fmt.Errorf("more than %d arms must remain, of which the %[1]d best are certified", c.settings.Top)
	}
	c.withdrawn = append(c.withdrawn, arm)
	r.state.Ledger.Drop(arm)
	r.reopen()
	return nil
}

// reopen looks at once, with the current arms. It reopens a decision and closes the duels.
func (r *Racing) reopen() {
	s := &r.state
	s.Duels.Closed, s.Decided, s.Elected, s.Cyclic, s.Deck, s.Leader = true, false, false, false, nil, openLeader
	s.Election.Changed, s.Campaign = true, nil
	r.reopenSegments()
	r.look()
}
