package results

import (
	"cmp"

	"bestpick/internal/study"
	"bestpick/internal/web/page"
	"bestpick/strategy"
)

// certified is the status of a certified verdict.
const certified = string(study.Certified)

// Changeable reports whether arms can be added or withdrawn.
func (v View) Changeable() bool {
	return v.Study.State == study.Draft || v.Study.State != study.Done && !v.Study.Settings.Strategy.Model.Clicks
}

// Addable reports whether arms can be added.
func (v View) Addable() bool {
	return v.Changeable() && v.arms.Profiles == nil && v.arms.Contexts == nil
}

// Contextual reports whether contexts can be set.
func (v View) Contextual() bool {
	return v.Study.State == study.Draft && !v.Study.Imported && v.arms.Profiles == nil
}

// MayHavePrior reports whether a prior can be set.
func (v View) MayHavePrior() bool {
	return v.Contextual() && v.Study.Settings.Kind == "" && cmp.Or(v.Study.Settings.Strategy.Assume, strategy.Linear) == strategy.Linear
}

// Openable reports whether the study can be opened, or reopened.
func (v View) Openable() bool {
	return v.Study.State == study.Draft || v.Study.State == study.Paused || v.Study.Reopens() && v.Verdict.Status == strategy.Asking.String()
}

// About returns the data of the template for the state of the study.
func (v View) About() page.StateView { return page.StateOf(v.Words, v.Study) }

// State returns the state of the study, as used in message keys.
func (v View) State() string { return string(v.Study.State) }
