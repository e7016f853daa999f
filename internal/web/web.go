// Package web serves the pages: HTML that works without JavaScript and is faster with it, in the language of the
// browser. The binary contains all resources.
package web

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/picture"
	"bestpick/internal/study/wiring"
	"bestpick/internal/uploads"
	"bestpick/internal/webhook"
)

// Options configure the pages.
type Options struct {
	// Base is the path under which the pages are mounted, without a slash at its end. Requests arrive
	// without it. Defaults to the root.
	Base string

	// Tokens stores the tokens of owners and viewers.
	Tokens access.Tokens

	// Audit stores the audit log.
	Audit access.Audit

	// Closing is closed when the server is about to stop, which ends event streams. Defaults to
	// never.
	Closing <-chan struct{}

	// Heartbeat is the interval of heartbeats in event streams. A stream ends at the next heartbeat
	// after its token is revoked. Defaults to 15 seconds.
	Heartbeat time.Duration

	// MaxUpload is the maximum size of a form with files in bytes, and of each file after
	// decompression. Defaults to 256 MB.
	MaxUpload int64

	// Secure says that clients use TLS, which ends here or at a proxy.
	Secure bool

	// PublicURL is the address under which people reach the server, for links. Defaults to the address of the
	// owner's request.
	PublicURL *url.URL

	// Framed says that other sites may frame our pages.
	Framed bool

	// Pictures checks the addresses of pictures. Defaults to no check.
	Pictures *picture.Links

	// Webhooks sends the webhooks of studies. Defaults to none, without a page for them.
	Webhooks *webhook.Sender

	// Log receives failures. Defaults to no log.
	Log *slog.Logger
}

// Pages serves all pages.
type Pages struct {
	Options

	studies   *wiring.Service
	assets    *assets
	languages *languages
	templates templates
	mux       *routes
}

// Handler returns the pages for the studies of a service.
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
	p.registerPresentation()
	p.registerCards()
	p.registerProfile()
	p.registerTry()
	p.registerCopies()
	p.registerResults()
	p.registerPeople()
	p.registerJoin()
	p.registerAudit()
	p.registerWebhook()
	p.registerPanel()
	p.mux.Handle("GET "+assetsPath+"{version}/{name}", files)
	p.mux.HandleFunc("GET "+respondentsPath+"{study}", p.respond)
	p.mux.HandleFunc("POST "+respondentsPath+"{study}/begin", p.begin)
	p.mux.HandleFunc("POST "+respondentsPath+"{study}/profile", p.admit)
	p.mux.HandleFunc("GET "+respondentsPath+"{study}/accent/{colour}", p.accent)
	p.mux.HandleFunc("POST "+respondentsPath+"{study}/question", p.next)
	p.mux.HandleFunc("POST "+respondentsPath+"{study}/answer", p.answer)
	p.mux.HandleFunc("POST "+respondentsPath+"{study}/skip", p.skip)
	p.mux.HandleFunc("POST "+respondentsPath+"{study}/undo", p.undo)
	p.mux.HandleFunc("GET "+respondentsPath+"{study}/{step}", p.back)
	p.mux.HandleFunc("GET "+respondentsPath+"{study}/pictures/{hash}", p.servePicture)
	p.registerStudy()
	p.mux.HandleFunc("GET "+iconPath, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, files.address("icon.svg"), http.StatusFound)
	})
	p.mux.HandleFunc("/", p.nothing)
	return p
}

// The paths of the pages.
const (
	assetsPath      = "/assets/"
	respondentsPath = "/s/"
	listPath        = "/"
	signInPath      = "/sign-in"
	signOutPath     = "/sign-out"
	newPath         = "/new"
	studiesPath     = "/studies/"
	iconPath        = "/favicon.ico"
	resultsPath     = "/results/"
	peoplePath      = "/people"
	joinPath        = "/join/"
	auditPath       = "/audit"
)

// Paths returns the patterns under which the pages must be mounted.
func Paths() []string {
	return []string{assetsPath, respondentsPath, listPath + "{$}", signInPath, signOutPath, newPath, newPath + "/", studiesPath, iconPath, resultsPath, peoplePath, peoplePath + "/", joinPath, auditPath}
}

// Has reports whether a path belongs to the pages.
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
	// A personal link must not leak to other sites, but with no-referrer our forms would have no
	// origin.
	w.Header().Set("Referrer-Policy", "same-origin")
	p.mux.ServeHTTP(w, r)
}
