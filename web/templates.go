package web

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
)

//go:embed templates
var templateFiles embed.FS

// templates are the pages by their names, each with the layout, and with the parts that pages share.
type templates map[string]*template.Template

func newTemplates(a *assets) templates {
	shared := template.Must(template.New("").Funcs(template.FuncMap{"asset": a.address, "add": func(a, b int) int { return a + b }}).ParseFS(templateFiles, "templates/layout.html", "templates/parts/*.html"))
	t := templates{}
	for _, name := range []string{respondPage, studyPage, reportPage, askPage} {
		t[name] = template.Must(template.Must(shared.Clone()).ParseFS(templateFiles, "templates/"+name+".html"))
	}
	return t
}

// The pages.
const (
	respondPage = "respond"
	studyPage   = "study"
	reportPage  = "report"
	askPage     = "ask"
)

// show replies with a page, or with a part of one. Nobody keeps it.
func (p *Pages) show(w http.ResponseWriter, status int, page, part string, data any) {
	var text bytes.Buffer
	if err := p.templates[page].ExecuteTemplate(&text, part, data); err != nil {
		p.Log.Error("a page failed", "page", page, "error", err)
		http.Error(w, "something went wrong here", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // whoever asked has gone
}
