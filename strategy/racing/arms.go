package strategy

import (
	"errors"
	"fmt"
	"slices"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/evidence"
)

// errFixed is for a model in which only duels count, which need to know which arms there are,
// and for products.
var errFixed = errors.New("strategy: with clicks at random, or with a product, arms cannot come or go")

// Extend adds arms while a study runs. The catalogue must begin with the arms there are, with
// the same features; the model knows the new ones at once by theirs. The certificate is over
// the arms that are there when it is given, and holds whatever made them come or go: from now
// on only the evidence about all of θ counts, which does not ask which arm is best.
func (r *Racing) Extend(c *choice.Catalogue) error {
	if r.settings.Model.Clicks || r.catalogue.Product() != nil || c.Product() != nil {
		return errFixed
	}
	if err := r.settings.checkRacing(c, r.size); err != nil {
		return err
	}
	if c.Len() <= r.catalogue.Len() || !slices.Equal(c.Features(), r.catalogue.Features()) {
		return errors.New("strategy: the new catalogue must have the same features and more arms")
	}
	for arm := range r.catalogue.Len() {
		if c.ID(arm) != r.catalogue.ID(arm) || !slices.Equal(c.Arm(arm), r.catalogue.Arm(arm)) {
			return fmt.Errorf("strategy: arm %d of the new catalogue is not %q as it was", arm, r.catalogue.ID(arm))
		}
	}
	v, err := newViews(c, r.settings.Model, r.settings.K, r.size)
	if err != nil {
		return err
	}
	d := v.shown.Dim()
	r.monitor.Look(r.state.Belief.Fitted) // with the arms there were
	state := r.evidence.State()
	r.catalogue, r.views = c, v
	r.tally.Grow(v.shown.Len())
	r.linear = choice.NewLinear(v.shown, r.tally)
	r.evidence = evidence.NewAnytime(v.shown, r.tally, r.universal())
	r.evidence.Restore(state)
	monitor := checks.NewMonitor(c, v.shown, r.tally)
	monitor.Succeed(r.monitor)
	r.monitor = monitor
	// θ is in other coordinates now: it is estimated anew.
	r.state.Belief, r.state.Least = evidence.NewBelief(d), make([]float64, d)
	r.reconsider()
	return nil
}

// Withdraw takes an arm out while a study runs: it is not asked about any more and cannot be
// the leader or a contender. As many arms as a question shows must stay.
func (r *Racing) Withdraw(arm int) error {
	switch {
	case r.settings.Model.Clicks || r.catalogue.Product() != nil:
		return errFixed
	case arm < 0 || arm >= r.catalogue.Len():
		return fmt.Errorf("strategy: there is no arm %d", arm)
	case r.withdrawn(arm):
		return nil
	case r.catalogue.Len()-len(r.state.Withdrawn) <= r.settings.K:
		return fmt.Errorf("strategy: %d arms must stay for a question", r.settings.K)
	}
	r.state.Withdrawn = append(r.state.Withdrawn, arm)
	r.state.Ledger.Lost = slices.DeleteFunc(r.state.Ledger.Lost, func(q choice.Question) bool { return slices.Contains(q, arm) })
	r.reconsider()
	return nil
}

func (r *Racing) withdrawn(arm int) bool { return slices.Contains(r.state.Withdrawn, arm) }

// reconsider looks at once, with the arms there are now. A decision that was made is open
// again.
func (r *Racing) reconsider() {
	r.state.Changed, r.state.Decided, r.state.Deck, r.state.Leader = true, false, nil, -1
	r.lookNow()
}
