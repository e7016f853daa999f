package results

import (
	"net/http"
	"path"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/answers"
	"bestpick/internal/exports"
	"bestpick/internal/pseudonym"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// export replies with a file, and records that in the audit log. An error midway aborts the
// connection, so that the browser notices that the file is incomplete.
func (p *Pages) export(w http.ResponseWriter, r *http.Request, who access.Token) {
	id, what := r.PathValue("study"), r.PathValue("what")
	format := answers.Format(r.FormValue("format"))
	var file exports.File
	err := study.ErrNotFound
	switch known := format == answers.CSV || format == answers.JSONLines || format == answers.Parquet; {
	case !page.IsText(id):
	case what == "log":
		file, err = exports.Log(r.Context(), p.Exports, id)
	case what == "answers" && known:
		file, err = exports.Answers(r.Context(), p.Exports, id, format)
	case what == "profiles" && format == answers.CSV:
		file, err = exports.Profiles(r.Context(), p.Exports, id)
	case what == "arms" && known:
		file, err = exports.Arms(r.Context(), p.Exports, id, format)
	}
	if err != nil {
		p.Fail(w, r, who, err)
		return
	}
	name := file.Name
	if s, err := p.StudyOf(r); err == nil {
		name = strings.Replace(name, s.ID, page.FileName(s), 1)
	}
	page.Attach(w, file.Type, name)
	if r.Method == http.MethodHead {
		return
	}
	p.Record(r.Context(), who, "export-"+what, id, strings.TrimPrefix(path.Ext(file.Name), "."))
	if err := file.Write(w); err != nil {
		if r.Context().Err() == nil {
			p.Log.Error("an export failed", "study", pseudonym.Of(id), "type", file.Type, "error", err)
		}
		panic(http.ErrAbortHandler)
	}
}
