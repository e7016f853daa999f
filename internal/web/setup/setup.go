// Package setup serves the pages on which owners set up and change studies: the form of a study, its options, panel,
// presentation and profile questions, and its states.
package setup

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
	p.registerUploads()
}
