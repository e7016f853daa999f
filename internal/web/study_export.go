package web

import (
	"mime"
	"net/http"
	"path"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/answers"
	"bestpick/internal/exports"
	"bestpick/internal/pseudonym"
	"bestpick/internal/study"
)

// attachment returns the header of a download.
func attachment(name string) string {
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}

// export replies with a file, and records that in the audit log. An error midway aborts the
// connection, so that the browser notices that the file is incomplete.
func (p *Pages) export(w http.ResponseWriter, r *http.Request, who access.Token) {
	id, what := r.PathValue("study"), r.PathValue("what")
	format := answers.Format(r.FormValue("format"))
	var file exports.File
	err := study.ErrNotFound
	switch known := format == answers.CSV || format == answers.JSONLines || format == answers.Parquet; {
	case !isText(id):
	case what == "log":
		file, err = exports.Log(r.Context(), p.studies, id)
	case what == "answers" && known:
		file, err = exports.Answers(r.Context(), p.studies, id, format)
	case what == "profiles" && format == answers.CSV:
		file, err = exports.Profiles(r.Context(), p.studies, id)
	case what == "arms" && known:
		file, err = exports.Arms(r.Context(), p.studies, id, format)
	}
	if err != nil {
		p.fail(w, r, who, err)
		return
	}
	w.Header().Set("Content-Type", file.Type)
	name := file.Name
	if s, err := p.studyOf(r); err == nil {
		name = strings.Replace(name, s.ID, fileName(s), 1)
	}
	w.Header().Set("Content-Disposition", attachment(name))
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	p.record(r.Context(), who, "export-"+what, id, strings.TrimPrefix(path.Ext(file.Name), "."))
	if err := file.Write(w); err != nil {
		if r.Context().Err() == nil {
			p.Log.Error("an export failed", "study", pseudonym.Of(id), "type", file.Type, "error", err)
		}
		panic(http.ErrAbortHandler)
	}
}
