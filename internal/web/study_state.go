package web

import "bestpick/internal/study"

// certified is the status of a verdict that is.
const certified = string(study.Certified)

// Changeable reports whether arms may come and go.
func (v studyView) Changeable() bool {
	return v.Study.State == study.Draft || v.Study.State != study.Done && !v.Study.Settings.Strategy.Model.Clicks
}

// Addable reports whether arms may be added.
func (v studyView) Addable() bool { return v.Changeable() && v.arms.Profiles == nil }

// Openable reports whether it may be opened, at first or again.
func (v studyView) Openable() bool {
	return v.Study.State == study.Draft || v.Study.State == study.Paused || v.Study.Reason == study.Lapsed
}

// About is what the part about the state of the study needs.
func (v studyView) About() standingView { return standingView{v.words, standing(v.Study)} }

// State is that of the study, as messages call it.
func (v studyView) State() string { return string(v.Study.State) }
