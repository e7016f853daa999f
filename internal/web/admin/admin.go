// Package admin serves the pages around studies: the list of studies, people with access, the audit log, webhooks and the
// link to share.
package admin

import "bestpick/internal/web/page"

// Register registers the pages.
func (p *Pages) Register() {
	p.HandleViewers("GET "+page.ListPath+"{$}", p.list)
	p.HandleViewers("GET "+page.StudiesPath+"{study}/share", p.share)
	p.HandleOwners("GET "+page.AuditPath, p.audit)
	p.registerPeople()
	p.registerJoin()
	p.registerWebhook()
}
