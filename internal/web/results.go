package web

import (
	"crypto/subtle"
	"encoding/csv"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/table"
)

// registerResults registers the results as a file, and the public page of the results.
func (p *Pages) registerResults() {
	p.mux.HandleFunc("GET "+studiesPath+"{study}/results.csv", p.signedIn(access.Viewer, p.resultsFile))
	p.mux.HandleFunc("GET "+resultsPath+"{study}/{key}", p.publicResults)
}

// publicResults shows the report to people without a token, if the key in the address is valid.
func (p *Pages) publicResults(w http.ResponseWriter, r *http.Request) {
	s, err := p.studyOf(r)
	if err != nil || s.Public == "" || subtle.ConstantTimeCompare([]byte(s.Public), []byte(r.PathValue("key"))) != 1 {
		p.say(w, r, access.Token{}, http.StatusNotFound, "nowhere")
		return
	}
	p.report(w, r, access.Token{})
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

// resultsFile replies with the ranking of all arms as CSV. Its columns id and label make it a file of arms, too.
func (p *Pages) resultsFile(w http.ResponseWriter, r *http.Request, who access.Token) {
	v, err := p.view(r.Context(), r, who)
	if err != nil {
		p.fail(w, r, who, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", attachment(fileName(v.Study)+"-results.csv"))
	w.Header().Set("Cache-Control", "no-store")
	out := csv.NewWriter(w)
	_ = out.Write([]string{"rank", "id", "label", "standing", "shown", "picked", "share", "utility", "lead_low", "lead_high"})
	ranges := map[int][2]string{}
	for _, c := range v.Verdict.Contenders {
		if !v.ByMajority() {
			ranges[c.Arm] = [2]string{decimal(c.Low), decimal(c.High)}
		}
	}
	for i, row := range v.Ranking() {
		share, utility := "", ""
		if row.Shown > 0 {
			share = decimal(row.Share)
		}
		if row.Estimated {
			utility = decimal(row.Utility)
		}
		_ = out.Write([]string{
			strconv.Itoa(i + 1), table.Protect(row.ID), table.Protect(row.Name), row.Standing, strconv.Itoa(row.Shown), strconv.Itoa(row.Picked), share, utility, ranges[row.arm][0], ranges[row.arm][1],
		})
	}
	out.Flush() // an error means that the client is gone
}

// decimal returns a number with four significant digits.
func decimal(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

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
