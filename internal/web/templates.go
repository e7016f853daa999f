package web

import (
	"bytes"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:embed templates
var templateFiles embed.FS

// templates has the pages by name, each with the layout and the shared parts.
type templates map[string]*template.Template

func newTemplates(a *assets) templates {
	shared := template.Must(template.New("").Funcs(template.FuncMap{"asset": a.address, "add": func(a, b int) int { return a + b }}).ParseFS(templateFiles, "templates/layout.html", "templates/parts/*.html"))
	pages, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		panic("web: " + err.Error())
	}
	t := templates{}
	for _, file := range pages {
		if name := strings.TrimSuffix(path.Base(file), ".html"); name != wholePage {
			t[name] = template.Must(template.Must(shared.Clone()).ParseFS(templateFiles, file))
		}
	}
	return t
}

// The names of the pages.
const (
	respondPage = "respond"
	studyPage   = "study"
	reportPage  = "report"
	askPage     = "ask"

	wholePage = "layout" // of any page
)

// show renders a page or a fragment, with Cache-Control: no-store.
func (p *Pages) show(w http.ResponseWriter, status int, page, part string, data any) {
	text, err := p.render(page, part, data)
	if err != nil {
		p.Log.Error("a page failed", "page", page, "error", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client is gone
}

// render returns the HTML of a page or a fragment.
func (p *Pages) render(page, part string, data any) ([]byte, error) {
	var text bytes.Buffer
	err := p.templates[page].ExecuteTemplate(&text, part, data)
	return p.based(text.Bytes()), err
}
