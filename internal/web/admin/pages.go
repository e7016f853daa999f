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
