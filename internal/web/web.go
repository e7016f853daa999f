// Package web serves the pages: HTML that works without JavaScript and is faster with it, in the language of the
// browser. The binary contains all resources.
package web

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
	"bestpick/internal/picture"
	"bestpick/internal/study/wiring"
	"bestpick/internal/uploads"
)

// Options are what the pages need besides studies.
type Options struct {
	// Tokens are those of owners and viewers.
	Tokens access.Tokens

	// Audit is where it is kept what they did.
	Audit access.Audit

	// Respondents says how often one respondent may ask. Default as often as they like.
	Respondents *middleware.Limiter

	// Closing is closed when the program is about to stop, which ends live pages. Default never.
	Closing <-chan struct{}

	// Heartbeat is how often live pages are shown that they go on, and how soon they end when the token is
	// revoked. Default 15 seconds.
	Heartbeat time.Duration

	// MaxUpload is how large a form with files may be, in bytes, and each of the files after
	// decompression. Defaults to 256 MB.
	MaxUpload int64

	// Secure says that the service is reached by TLS, here or at a proxy.
	Secure bool

	// Framed says that other sites may embed our pages in a frame.
	Framed bool

	// Pictures checks the addresses of pictures. Defaults to no check.
	Pictures *picture.Links

	// Log receives failures. Defaults to no log.
	Log *slog.Logger
}

// Pages are all of them.
type Pages struct {
	Options

	studies   *wiring.Service
	assets    *assets
	languages *languages
	templates templates
	mux       *routes
}

// Handler returns the pages on the studies of a service.
func Handler(studies *wiring.Service, o Options) *Pages {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.MaxUpload == 0 {
		o.MaxUpload = uploads.MaxBytes
	}
	files := newAssets()
	p := &Pages{
		Options: o, studies: studies, assets: files, languages: newLanguages(), templates: newTemplates(files),
		mux: newRoutes(),
	}
	p.registerSignIn()
	p.mux.HandleFunc("GET "+listPath+"{$}", p.signedIn(access.Viewer, p.list))
	p.registerNew()
	p.registerEdit()
	p.registerShare()
	p.mux.Handle("GET "+assetsPath+"{version}/{name}", files)
	p.mux.HandleFunc("GET "+respondentsPath+"{study}", p.respond)
	p.mux.HandleFunc("POST "+respondentsPath+"{study}/question", p.next)
	p.mux.HandleFunc("POST "+respondentsPath+"{study}/answer", p.answer)
	p.mux.HandleFunc("POST "+respondentsPath+"{study}/skip", p.skip)
	p.mux.HandleFunc("POST "+respondentsPath+"{study}/undo", p.undo)
	p.mux.HandleFunc("GET "+respondentsPath+"{study}/{step}", p.back)
	p.mux.HandleFunc("GET "+respondentsPath+"{study}/pictures/{hash}", p.servePicture)
	p.registerStudy()
	p.mux.HandleFunc("/", p.nothing)
	return p
}

// Where the pages are.
const (
	assetsPath      = "/assets/"
	respondentsPath = "/s/"
	listPath        = "/"
	signInPath      = "/sign-in"
	signOutPath     = "/sign-out"
	newPath         = "/new"
	studiesPath     = "/studies/"
)

// Paths returns where the pages are to be mounted.
func Paths() []string {
	return []string{assetsPath, respondentsPath, listPath + "{$}", signInPath, signOutPath, newPath, newPath + "/", studiesPath}
}

// Has reports whether a path is that of a page.
func Has(path string) bool {
	for _, mounted := range Paths() {
		exact, end := strings.CutSuffix(mounted, "{$}")
		if path == exact || !end && strings.HasSuffix(mounted, "/") && strings.HasPrefix(path, mounted) {
			return true
		}
	}
	return false
}

func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A personal link must not leak to other sites; but with no-referrer our own forms would have no origin.
	w.Header().Set("Referrer-Policy", "same-origin")
	p.mux.ServeHTTP(w, r)
}
