package results

import (
	"crypto/subtle"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/table"
	"bestpick/internal/web/page"
	"bestpick/internal/xlsx"
	"bestpick/strategy"
)

// registerResults registers the results as files, and the public page of the results.
func (p *Pages) registerResults() {
	p.HandleViewers("GET "+page.StudiesPath+"{study}/results.csv", p.resultsCSV)
	p.HandleViewers("GET "+page.StudiesPath+"{study}/results.xlsx", p.resultsWorkbook)
	p.Handle("GET "+page.ResultsPath+"{study}/{key}", p.public(p.report))
	p.Handle("GET "+page.ResultsPath+"{study}/{key}/charts/{chart}", p.public(p.chartFile))
}

// public shows a page to people without a token, if the key in the address is valid.
func (p *Pages) public(show func(http.ResponseWriter, *http.Request, access.Token)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s, err := p.StudyOf(r)
		if err != nil || s.Public == "" || subtle.ConstantTimeCompare([]byte(s.Public), []byte(r.PathValue("key"))) != 1 {
			p.ShowMessage(w, r, access.Token{}, http.StatusNotFound, "unpublished")
			return
		}
		show(w, r, access.Token{})
	}
}

// PublicLink returns the public link to the results, or an empty text.
func (v View) PublicLink() string {
	if v.Study.Public == "" {
		return ""
	}
	link := v.base
	link.Path = strings.TrimSuffix(link.Path, "/") + page.ResultsPath + url.PathEscape(v.Study.ID) + "/" + v.Study.Public
	return link.String()
}

// LogFile returns the name of the exported log.
func (v View) LogFile() string { return page.FileName(v.Study) + ".jsonl" }

// SignedIn reports whether the visitor has a token.
func (v View) SignedIn() bool { return v.Who.Name != "" }

// Ranking returns all arms in the order of the table.
func (v View) Ranking() []armRow {
	list := v.armRows()
	v.sortRows(list, tableQuery{Sort: byStanding})
	for i := range list {
		v.complete(&list[i], v.card(list[i].arm))
	}
	return list
}

// TopRanking returns the first arms of the ranking, for a report.
func (v View) TopRanking() []armRow {
	const most = 20
	list := v.Ranking()
	return list[:min(len(list), most)]
}

// resultsCSV replies with the ranking of all arms as CSV. Its columns id and label make it a file of arms, too.
func (p *Pages) resultsCSV(w http.ResponseWriter, r *http.Request, who access.Token) {
	p.resultsFile(w, r, who, "csv", "text/csv; charset=utf-8", func(w io.Writer, rows iter.Seq[[]any]) error {
		out := csv.NewWriter(w)
		for row := range rows {
			if err := out.Write(texts(row)); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	})
}

// resultsWorkbook replies with the same as an Excel workbook.
func (p *Pages) resultsWorkbook(w http.ResponseWriter, r *http.Request, who access.Token) {
	p.resultsFile(w, r, who, "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", xlsx.Write)
}

// resultsFile replies with the ranking of all arms as a file.
func (p *Pages) resultsFile(w http.ResponseWriter, r *http.Request, who access.Token, extension, kind string, write func(io.Writer, iter.Seq[[]any]) error) {
	v, err := p.view(r.Context(), r, who)
	if err != nil {
		p.Fail(w, r, who, err)
		return
	}
	page.Attach(w, kind, page.FileName(v.Study)+"-results."+extension)
	if r.Method == http.MethodHead {
		return
	}
	_ = write(w, v.resultRows()) // an error means that the client is gone
}

// resultRows yields a header, and a row for each arm: texts, numbers, and nil where there is no value.
func (v View) resultRows() iter.Seq[[]any] {
	leads := map[int]strategy.Standing{}
	for _, c := range v.Verdict.Contenders {
		if !v.ByMajority() {
			leads[c.Arm] = c
		}
	}
	return func(yield func([]any) bool) {
		if !yield([]any{"rank", "id", "label", "standing", "shown", "picked", "share", "utility", "lead_low", "lead_high"}) {
			return
		}
		for i, row := range v.Ranking() {
			cells := []any{i + 1, row.ID, row.Name, row.Standing, row.Shown, row.Picked, nil, nil, nil, nil}
			if row.Shown > 0 {
				cells[6] = rounded(row.Share)
			}
			if row.Estimated {
				cells[7] = rounded(row.Utility)
			}
			if lead, known := leads[row.arm]; known {
				cells[8], cells[9] = rounded(lead.Low), rounded(lead.High)
			}
			if !yield(cells) {
				return
			}
		}
	}
}

// texts returns cells as texts for CSV, which spreadsheets do not execute as formulas.
func texts(cells []any) []string {
	list := make([]string, len(cells))
	for i, cell := range cells {
		switch value := cell.(type) {
		case nil:
		case string:
			list[i] = table.Protect(value)
		default:
			list[i] = fmt.Sprint(value)
		}
	}
	return list
}

// rounded returns a number with four significant digits, or an empty cell for infinity, which spreadsheets do not have.
func rounded(x float64) any {
	value, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		return nil
	}
	return value
}
