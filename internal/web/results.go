package web

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
	"unicode"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/table"
	"bestpick/internal/xlsx"
	"bestpick/strategy"
)

// registerResults registers the results as files, and the public page of the results.
func (p *Pages) registerResults() {
	p.mux.HandleFunc("GET "+studiesPath+"{study}/results.csv", p.signedIn(access.Viewer, p.resultsCSV))
	p.mux.HandleFunc("GET "+studiesPath+"{study}/results.xlsx", p.signedIn(access.Viewer, p.resultsWorkbook))
	p.mux.HandleFunc("GET "+resultsPath+"{study}/{key}", p.public(p.report))
	p.mux.HandleFunc("GET "+resultsPath+"{study}/{key}/charts/{chart}", p.public(p.chartFile))
}

// public shows a page to people without a token, if the key in the address is valid.
func (p *Pages) public(show func(http.ResponseWriter, *http.Request, access.Token)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s, err := p.studyOf(r)
		if err != nil || s.Public == "" || subtle.ConstantTimeCompare([]byte(s.Public), []byte(r.PathValue("key"))) != 1 {
			p.say(w, r, access.Token{}, http.StatusNotFound, "unpublished")
			return
		}
		show(w, r, access.Token{})
	}
}

// PublicLink returns the public link to the results, or an empty text.
func (v studyView) PublicLink() string {
	if v.Study.Public == "" {
		return ""
	}
	link := v.base
	link.Path = strings.TrimSuffix(link.Path, "/") + resultsPath + url.PathEscape(v.Study.ID) + "/" + v.Study.Public
	return link.String()
}

// LogFile returns the name of the exported log.
func (v studyView) LogFile() string { return fileName(v.Study) + ".jsonl" }

// SignedIn reports whether the visitor has a token.
func (v studyView) SignedIn() bool { return v.Who.Name != "" }

// Ranking returns all arms in the order of the table.
func (v studyView) Ranking() []armRow {
	list := v.armRows()
	v.sortRows(list, tableQuery{Sort: byStanding})
	for i := range list {
		v.complete(&list[i], v.card(list[i].arm))
	}
	return list
}

// TopRanking returns the first arms of the ranking, for a report.
func (v studyView) TopRanking() []armRow {
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
		p.fail(w, r, who, err)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", attachment(fileName(v.Study)+"-results."+extension))
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	_ = write(w, v.resultRows()) // an error means that the client is gone
}

// resultRows yields a header, and a row for each arm: texts, numbers, and nil where there is no value.
func (v studyView) resultRows() iter.Seq[[]any] {
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

// fileName returns the name of a study as a part of a file name, or its ID if nothing is left of the name.
func fileName(s study.Study) string {
	const most = 60
	words := strings.FieldsFunc(strings.ToLower(s.Name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	name := []rune(strings.Join(words, "-"))
	if len(name) == 0 {
		return s.ID
	}
	return string(name[:min(len(name), most)])
}
