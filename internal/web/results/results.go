// Package results serves the results of studies: the page of a study with its live updates, charts, the table of options,
// the report and exports.
package results

import (
	"context"
	"crypto/subtle"
	"net/http"

	"bestpick/internal/access"
	"bestpick/internal/web/page"
)

// Register registers the page of a study, its fragments and its files.
func (p *Pages) Register() {
	view := func(path string, show page.Handler) {
		p.HandleViewers("GET "+page.StudiesPath+"{study}"+path, show)
	}
	view("", p.studyPage)
	view("/arms", p.armsPart)
	view("/events", p.studyEvents)
	view("/report", p.report)
	view("/charts/{chart}", p.chartFile)
	p.HandleOwners("GET "+page.StudiesPath+"{study}/judges", p.judgesPart)
	p.HandleOwners("GET "+page.StudiesPath+"{study}/export/{what}", p.export)
	p.HandleViewers("GET "+page.StudiesPath+"{study}/results.csv", p.resultsCSV)
	p.HandleViewers("GET "+page.StudiesPath+"{study}/results.xlsx", p.resultsWorkbook)
	p.Handle("GET "+page.ResultsPath+"{study}/{key}", p.public(p.report))
	p.Handle("GET "+page.ResultsPath+"{study}/{key}/charts/{chart}", p.public(p.chartFile))
}

// public shows a page to people without a token, if the key in the address is valid.
func (p *Pages) public(show page.Handler) http.HandlerFunc {
	return p.Page(func(w http.ResponseWriter, r *http.Request) error {
		s, err := p.StudyOf(r)
		if err != nil || s.Public == "" || subtle.ConstantTimeCompare([]byte(s.Public), []byte(r.PathValue("key"))) != 1 {
			return p.ShowMessage(w, r, access.Token{}, http.StatusNotFound, "unpublished")
		}
		return show(w, r, access.Token{})
	})
}

// studyData is the data of the page of a study.
type studyData struct {
	View

	query tableQuery
}

// Table returns the requested page of the table of options.
func (d studyData) Table() armsTable { return d.View.Table(d.query) }

// studyPage shows the page.
func (p *Pages) studyPage(w http.ResponseWriter, r *http.Request, who access.Token) error {
	v, err := p.fullView(r.Context(), r, who)
	if err != nil {
		return err
	}
	if did := r.FormValue("did"); v.Has("did." + did) {
		v.Did = did
	}
	if err := p.compare(r.Context(), r, &v); err != nil {
		return err
	}
	if v.HasJudges() {
		waiting, cancel := context.WithTimeout(r.Context(), pagePatience)
		defer cancel()
		if err := p.compareJudges(waiting, &v); err != nil && waiting.Err() == nil {
			return err
		}
	}
	return p.Show(w, http.StatusOK, studyPage, page.Whole, studyData{v, readTableQuery(r)})
}

// report shows the results on one page for printing.
func (p *Pages) report(w http.ResponseWriter, r *http.Request, who access.Token) error {
	v, err := p.fullView(r.Context(), r, who)
	if err != nil {
		return err
	}
	v.report = true
	if err := p.compare(r.Context(), r, &v); err != nil {
		return err
	}
	if v.Owner() && v.Begun() {
		if err := p.compareJudges(r.Context(), &v); err != nil {
			return err
		}
	}
	return p.Show(w, http.StatusOK, "report", page.Whole, v)
}

// judgesPart returns the judges as a fragment, for JavaScript.
func (p *Pages) judgesPart(w http.ResponseWriter, r *http.Request, who access.Token) error {
	v, err := p.progressView(r.Context(), r, who)
	if err == nil {
		err = p.compareJudges(r.Context(), &v)
	}
	if err != nil {
		return err
	}
	return p.Show(w, http.StatusOK, studyPage, "judges", v)
}
