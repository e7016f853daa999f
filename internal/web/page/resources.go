package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"bestpick/internal/statement"
)

//go:embed assets
var assetFiles embed.FS

// assetsPath is the path of the files that pages load.
const assetsPath = "/assets/"

// assets are the files that pages load. Their paths contain a hash of all files, so that browsers
// can cache them without end, and modules can import each other by name.
type assets struct {
	version string
	files   map[string][]byte
}

func newAssets() *assets {
	a := &assets{files: map[string][]byte{}}
	hash := sha256.New()
	err := fs.WalkDir(assetFiles, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := assetFiles.ReadFile(name)
		a.files[path.Base(name)] = text
		hash.Write([]byte(name))
		hash.Write(text)
		return err
	})
	if err != nil {
		panic("web: " + err.Error())
	}
	const enough = 8 // bytes
	a.version = hex.EncodeToString(hash.Sum(nil)[:enough])
	return a
}

// address returns the path of a file.
func (a *assets) address(name string) string {
	if _, known := a.files[name]; !known {
		panic("web: there is no file " + name)
	}
	return assetsPath + a.version + "/" + name
}

// ServeHTTP serves a file. Requests for another version, during an upgrade, receive the current
// one, which must not be cached.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	text, known := a.files[name]
	if !known {
		http.NotFound(w, r)
		return
	}
	keep := "no-cache"
	if r.PathValue("version") == a.version {
		keep = "public, max-age=31536000, immutable"
	}
	w.Header().Set("Cache-Control", keep)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
}

//go:embed templates
var templateFiles embed.FS

// templates has the pages by name, each with the layout and the shared parts.
type templates map[string]*template.Template

// Whole is the part of a page that is the whole page.
const Whole = "layout"

// pages are the assets and the templates, read once: all sites of a process have the same.
var pages = sync.OnceValues(func() (*assets, templates) { //nolint:gochecknoglobals // it never changes
	files := newAssets()
	return files, newTemplates(files)
})

func newTemplates(a *assets) templates {
	functions := template.FuncMap{"asset": a.address, "add": func(a, b int) int { return a + b }}
	files := []string{"templates/layout.html", "templates/parts/*.html"}
	shared := template.Must(template.New("").Funcs(functions).ParseFS(templateFiles, files...))
	pages, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		panic("web: " + err.Error())
	}
	t := templates{}
	for _, file := range pages {
		if name := strings.TrimSuffix(path.Base(file), ".html"); name != Whole {
			t[name] = template.Must(template.Must(shared.Clone()).ParseFS(templateFiles, file))
		}
	}
	return t
}

//go:embed messages
var messageFiles embed.FS

// languages has the messages of the pages in each language, English first.
type languages struct{ words []statement.Words }

func newLanguages() languages { return languages{statement.Languages(messageFiles)} }

// in returns the messages for a request: in the chosen language, or else in the best one that the browser accepts, or
// else in English. Regions do not matter.
func (l languages) in(r *http.Request, chosen string) statement.Words {
	best, weight := l.words[0], 0.0
	for i, wanted := range append([]string{chosen}, strings.Split(r.Header.Get("Accept-Language"), ",")...) {
		tag, quality, weighted := strings.Cut(wanted, ";")
		tag, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		at := slices.IndexFunc(l.words, func(w statement.Words) bool { return w.Language == tag })
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(quality), "q="), 64)
		if !weighted || err != nil {
			q = 1
		}
		switch {
		case at >= 0 && i == 0:
			return l.words[at]
		case at >= 0 && q > weight:
			best, weight = l.words[at], q
		}
	}
	return best
}
