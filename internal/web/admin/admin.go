// Package admin serves the pages around studies: the list of studies, people with access, the audit log, webhooks and the
// link to share.
package admin

import (
	"context"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/web/page"
)

// Pages serves the pages around studies.
type Pages struct {
	*page.Site

	Store    Store
	Overview *overview.Reader
	Live     Arms
}

// Store has the studies.
type Store interface {
	page.Studies
	List(ctx context.Context, before string, limit int) ([]study.Study, error)
}

// Arms has the arms of studies.
type Arms interface {
	ArmsWith(ctx context.Context, s study.Study, arms ...int) (*archive.Catalogue, error)
}

// Register registers the pages.
func (p *Pages) Register() {
	p.HandleViewers("GET "+page.ListPath+"{$}", p.list)
	p.HandleViewers("GET "+page.StudiesPath+"{study}/share", p.share)
	p.HandleOwners("GET "+page.AuditPath, p.audit)
	p.registerPeople()
	p.registerJoin()
	p.registerWebhook()
}
