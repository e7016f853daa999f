package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/table"
	"bestpick/internal/web/page"
)

// A chartFile is a chart as a file, with the marks of the page and its own styles. Positions are in pixels.
type chartFile struct {
	chart

	Study  string
	Height int
	Plot   *plot
	Rows   *rows
	Lines  []chartLine // of rows
	End    int         // the position below all lines
}

// A chartLine is a row, or the name of a group of rows.
type chartLine struct {
	row

	Top   int
	Group string
}

// chartFile returns a chart as a file, or nil if the page does not show it.
func (v View) chartFile(id string) *chartFile {
	switch {
	case !v.Begun() || !v.Drawn():
		return nil
	case id == rankedChart:
		return v.rowsFile(v.RankedRows())
	case id == importanceChart && v.Estimated():
		return v.rowsFile(v.ImportanceRows())
	case id == paceChart && v.Paced():
		p := v.PacePlot()
		return &chartFile{chart: p.chart, Study: v.Study.Name, Height: 404, Plot: &p}
	}
	return nil
}

// rowsFile places the rows of a chart below each other.
func (v View) rowsFile(r rows) *chartFile {
	const head, line, foot = 72, 26, 94
	f := &chartFile{chart: r.chart, Study: v.Study.Name, Rows: &r, End: head}
	add := func(l chartLine) {
		l.Top = f.End
		f.Lines = append(f.Lines, l)
		f.End += line
	}
	for _, g := range r.Groups {
		if g.Name != "" {
			add(chartLine{Group: g.Name})
		}
		for _, each := range g.Rows {
			add(chartLine{row: each})
		}
	}
	f.Height = f.End + foot
	return f
}

// xmlText replaces the control characters that XML does not allow.
func xmlText(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' || r == '\ufffe' || r == '\uffff' {
			return ' '
		}
		return r
	}, text)
}

// chartFile replies with a chart as an SVG file, for owners and viewers.
func (p *Pages) chartFile(w http.ResponseWriter, r *http.Request, who access.Token) error {
	v, err := p.progressView(r.Context(), r, who)
	if err == nil {
		err = p.addCharts(r.Context(), &v, filePatience)
	}
	id, _ := strings.CutSuffix(r.PathValue("chart"), ".svg")
	file := v.chartFile(id)
	if err == nil && file == nil {
		err = study.ErrNotFound
	}
	var text []byte
	if err == nil {
		text, err = p.Render(studyPage, "chart", file)
	}
	if err != nil {
		return err
	}
	page.Attach(w, "image/svg+xml", page.FileName(v.Study)+"-"+id+".svg")
	_, _ = w.Write([]byte(xmlText(string(text)))) //nolint:gosec // a chart that the program drew; the client is gone
	return nil
}

// resultsCSV replies with the ranking of all arms as CSV. Its columns id and label make it a file of arms, too.
func (p *Pages) resultsCSV(w http.ResponseWriter, r *http.Request, who access.Token) error {
	return p.resultsFile(w, r, who, "csv", "text/csv; charset=utf-8", func(w io.Writer, rows iter.Seq[[]any]) error {
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

// resultsWorkbook replies with the same as an Excel workbook, below the study's name, question, verdict and date.
func (p *Pages) resultsWorkbook(w http.ResponseWriter, r *http.Request, who access.Token) error {
	return p.resultsFile(w, r, who, "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", table.WriteWorkbook)
}

// resultsFile replies with the ranking of all arms as a file.
func (p *Pages) resultsFile(
	w http.ResponseWriter, r *http.Request, who access.Token, extension, kind string, write func(io.Writer, iter.Seq[[]any]) error,
) error {
	v, err := p.fullView(r.Context(), r, who)
	if err != nil {
		return err
	}
	page.Attach(w, kind, page.FileName(v.Study)+"-results."+extension)
	if r.Method != http.MethodHead {
		p.Record(r.Context(), who, "export-results", v.Study.ID, extension)
		var above [][]any
		if extension == "xlsx" {
			above = [][]any{
				{v.Study.Name}, {v.Study.Prompt}, {v.Words.Sentence(v.Facts())}, {v.At.UTC().Format(time.DateTime + " UTC")}, {},
			}
		}
		_ = write(w, v.resultRows(above)) // an error means that the client is gone
	}
	return nil
}

// resultRows yields some rows, a header, and a row for each arm: texts, numbers, and nil where there is no value.
func (v View) resultRows(above [][]any) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		head := []any{
			"rank", "id", "label", "standing", "share_over_leader", "share_low", "share_high", "chosen_over_leader", "compared", "shown",
			"picked",
		}
		for _, row := range append(above, head) {
			if !yield(row) {
				return
			}
		}
		for i, row := range v.Ranking() {
			cells := []any{i + 1, row.ID, row.Name, nil, nil, nil, nil, row.Chosen, row.Compared, row.Shown, row.Picked}
			if row.Standing != "" {
				cells[3] = v.Must("standing." + row.Standing)
			}
			if row.Estimated && !row.Leading {
				cells[4] = rounded(row.Estimate)
			}
			if row.Bounded && !row.Leading {
				cells[5], cells[6] = rounded(row.Low), rounded(row.High)
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

// export replies with a file, and records that in the audit log. An error midway aborts the
// connection, so that the browser notices that the file is incomplete.
func (p *Pages) export(w http.ResponseWriter, r *http.Request, who access.Token) error {
	id, what := r.PathValue("study"), r.PathValue("what")
	format := table.Format(r.FormValue("format"))
	var file overview.File
	err := study.ErrNotFound
	switch known := format == table.CSV || format == table.JSONLines || format == table.Parquet; {
	case what == "log":
		file, err = p.Overview.ExportLog(r.Context(), id)
	case what == "answers" && known:
		file, err = p.Overview.ExportAnswers(r.Context(), id, format)
	case what == "profiles" && format == table.CSV:
		file, err = p.Overview.ExportProfiles(r.Context(), id)
	case what == "arms" && known:
		file, err = p.Overview.ExportArms(r.Context(), id, format)
	}
	if err != nil {
		return err
	}
	name := file.Name
	if s, err := p.StudyOf(r); err == nil {
		name = strings.Replace(name, s.ID, page.FileName(s), 1)
	}
	page.Attach(w, file.Type, name)
	if r.Method == http.MethodHead {
		return nil
	}
	p.Record(r.Context(), who, "export-"+what, id, strings.TrimPrefix(path.Ext(file.Name), "."))
	if err := file.Write(w); err != nil {
		if r.Context().Err() == nil {
			p.Log.Error("an export failed", "study", access.Pseudonym(id), "type", file.Type, "error", err)
		}
		panic(http.ErrAbortHandler)
	}
	return nil
}
