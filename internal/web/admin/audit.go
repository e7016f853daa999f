package admin

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// An auditView is a page of the audit log.
type auditView struct {
	page.OwnerView

	Entries []auditEntry
	Before  int64 // the number of the first entry of the page before; 0 for the newest entries
	Next    int64 // the number of the last entry of the page, if more follow; otherwise 0
}

// An auditEntry is an entry of the audit log with the name of its study, which is empty if the study is gone.
type auditEntry struct {
	access.Entry

	Name string
}

// What returns the operation of an entry in words. Entries of other versions of the program may have operations that
// this one does not know, which keep their names.
func (v auditView) What(operation string) string {
	text, err := v.Say("operation." + operation)
	if err != nil {
		return operation
	}
	return text
}

// entriesShown is the number of entries on a page of the audit log.
const entriesShown = 50

// audit shows a page of the audit log.
func (p *Pages) audit(w http.ResponseWriter, r *http.Request, who access.Token) error {
	view := auditView{OwnerView: p.OwnerView(r, who)}
	before := int64(math.MaxInt64)
	if number, err := strconv.ParseInt(r.FormValue("before"), 10, 64); err == nil && number > 0 {
		view.Before, before = number, number
	}
	entries, err := p.Audit.Entries(r.Context(), before, entriesShown+1)
	if err != nil {
		return err
	}
	if len(entries) > entriesShown {
		entries = entries[:entriesShown]
		view.Next = entries[entriesShown-1].Number
	}
	if view.Entries, err = p.namedEntries(r.Context(), entries); err != nil {
		return err
	}
	return p.Show(w, http.StatusOK, "audit", page.Whole, view)
}

// auditFile replies with the audit log as CSV. An error midway aborts the connection, as in exports of results.
func (p *Pages) auditFile(w http.ResponseWriter, r *http.Request, who access.Token) error {
	page.Attach(w, "text/csv; charset=utf-8", "activity.csv")
	if r.Method == http.MethodHead {
		return nil
	}
	p.Record(r.Context(), who, "export-audit", "", "csv")
	if err := access.WriteEntries(r.Context(), p.Audit, w); err != nil {
		if r.Context().Err() == nil {
			p.Log.Error("an export failed", "type", "audit", "error", err)
		}
		panic(http.ErrAbortHandler)
	}
	return nil
}

// namedEntries returns entries with the names of their studies.
func (p *Pages) namedEntries(ctx context.Context, entries []access.Entry) (named []auditEntry, err error) {
	names := map[string]string{}
	for _, e := range entries {
		if _, known := names[e.Study]; !known && e.Study != "" {
			s, err := p.Store.Study(ctx, e.Study)
			if err != nil && !errors.Is(err, study.ErrNotFound) {
				return nil, err
			}
			names[e.Study] = s.Name
		}
		named = append(named, auditEntry{e, names[e.Study]})
	}
	return named, nil
}
