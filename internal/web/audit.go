package web

import (
	"math"
	"net/http"
	"strconv"

	"bestpick/internal/access"
)

// An auditView is a page of the audit log.
type auditView struct {
	ownerView

	Entries []access.Entry
	Before  int64 // the number of the first entry of the page before; 0 for the newest entries
	Next    int64 // the number of the last entry of the page, if more follow; otherwise 0
}

// entriesShown is the number of entries on a page of the audit log.
const entriesShown = 50

// registerAudit registers the audit log.
func (p *Pages) registerAudit() {
	p.mux.HandleFunc("GET "+auditPath, p.signedIn(access.Owner, func(w http.ResponseWriter, r *http.Request, who access.Token) {
		view := auditView{ownerView: p.ownerView(r, who)}
		before := int64(math.MaxInt64)
		if number, err := strconv.ParseInt(r.FormValue("before"), 10, 64); err == nil && number > 0 {
			view.Before, before = number, number
		}
		entries, err := p.Audit.Entries(r.Context(), before, entriesShown+1)
		if err != nil {
			p.failed(w, r, err)
			return
		}
		if len(entries) > entriesShown {
			entries = entries[:entriesShown]
			view.Next = entries[entriesShown-1].Number
		}
		view.Entries = entries
		p.show(w, http.StatusOK, "audit", "layout", view)
	}))
}
