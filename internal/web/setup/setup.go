// Package setup serves the pages on which owners set up and change studies: the form of a study, its options, panel,
// presentation and profile questions, and its states.
package setup

import (
	"bestpick/internal/study"
	"bestpick/internal/study/live"
	"bestpick/internal/study/owner"
	"bestpick/internal/web/page"
	"bestpick/internal/web/respond"
)

// Pages serves the pages on which owners change studies.
type Pages struct {
	*page.Site

	Store   study.Store
	Live    *live.Studies
	Owner   *owner.Owner
	Respond *respond.Pages
}

// Register registers the pages.
func (p *Pages) Register() {
	p.registerNew()
	p.registerEdit()
	p.registerPresentation()
	p.registerCards()
	p.registerProfile()
	p.registerCopies()
	p.registerPanel()
	p.registerActions()
}
