// Package page has what all pages need: rendering, sessions, languages, forms, addresses and failures.
package page

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
	"bestpick/internal/picture"
	"bestpick/internal/statement"
	"bestpick/internal/study"
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

	// Closing is closed when the server is about to stop, which ends event streams. Defaults to never.
	Closing <-chan struct{}

	// Heartbeat is the interval of heartbeats in event streams. A stream ends at the next heartbeat
	// after its token is revoked. Defaults to 15 seconds.
	Heartbeat time.Duration

	// MaxUpload is the maximum size of a form with files in bytes, and of each file after decompression. Defaults to 256 MB.
	MaxUpload int64

	// Secure says that clients use TLS, which ends here or at a proxy.
	Secure bool

	// PublicURL is the address under which people reach the server, for links. Defaults to the address of the owner's request.
	PublicURL *url.URL

	// Framed says that other sites may frame our pages.
	Framed bool

	// Pictures checks the addresses of pictures. Defaults to no check.
	Pictures *picture.Links

	// Webhooks sends the webhooks of studies. Defaults to none, without a page for them.
	Webhooks *webhook.Sender

	// Mail sends links to sign in, and invitations. Defaults to none: people sign in with tokens.
	Mail *access.Mailer

	// Log receives failures. Defaults to no log.
	Log *slog.Logger
}

// Studies finds studies.
type Studies interface {
	Study(ctx context.Context, id string) (study.Study, error)
}

// A Site has what all its pages share. Its packages register their pages.
type Site struct {
	Options

	Clock func() time.Time

	studies   Studies
	keys      [][]byte // the first signs session cookies
	refusals  access.Refusals
	linkKeys  [][]byte // the first signs links to sign in
	links     *middleware.Limiter
	assets    *assets
	languages languages
	templates templates
	mux       *http.ServeMux
	patterns  []string
}

// The paths of the pages.
const (
	iconPath        = "/favicon.ico"
	signInPath      = "/sign-in"
	signOutPath     = "/sign-out"
	ListPath        = "/"
	RespondentsPath = "/s/"
	NewPath         = "/new"
	StudiesPath     = "/studies/"
	ResultsPath     = "/results/"
	PeoplePath      = "/people"
	JoinPath        = "/join/"
	AuditPath       = "/audit"
)

// Handle registers a page for a pattern of [http.ServeMux].
func (s *Site) Handle(pattern string, handle http.HandlerFunc) {
	s.patterns = append(s.patterns, pattern)
	s.mux.Handle(pattern, handle)
}

// Routes returns the patterns of all pages.
func (s *Site) Routes() []string { return slices.Clone(s.patterns) }

// Paths returns the patterns under which the pages must be mounted: the first element of each registered path.
func (s *Site) Paths() (paths []string) {
	for _, pattern := range s.patterns {
		_, path, found := strings.Cut(pattern, " ")
		if !found { // all other paths
			continue
		}
		if first, rest, more := strings.Cut(path[1:], "/"); more && rest != "" {
			path = "/" + first + "/"
		}
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Has reports whether a path belongs to the pages.
func (s *Site) Has(path string) bool {
	return slices.ContainsFunc(s.Paths(), func(mounted string) bool {
		exact, end := strings.CutSuffix(mounted, "{$}")
		return path == exact || !end && strings.HasSuffix(mounted, "/") && strings.HasPrefix(path, mounted)
	})
}

// ServeHTTP serves all pages.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A personal link must not leak to other sites, but with no-referrer our forms would have no origin.
	w.Header().Set("Referrer-Policy", "same-origin")
	if !study.IsText(r.URL.Path) { // no store can look it up, so the path becomes one that does not exist
		r.URL.Path = strings.ReplaceAll(strings.ToValidUTF8(r.URL.Path, "\ufffd"), "\x00", "\ufffd")
	}
	s.mux.ServeHTTP(w, r)
}

// Languages returns the names of all languages.
func (s *Site) Languages() (names []string) {
	for _, w := range s.languages.words {
		names = append(names, w.Language)
	}
	return names
}

// languageCookie keeps the language that an owner has chosen.
const (
	languageCookie = "lang"
	keepLanguage   = 365 * 24 * time.Hour
)

// WordsIn returns the messages for a request: in the chosen language, or else in the best one that the browser accepts.
func (s *Site) WordsIn(r *http.Request, chosen string) statement.Words {
	return s.languages.in(r, chosen)
}

// WordsOf returns the messages for a request: in the language of the address, else of the cookie, else of the browser.
func (s *Site) WordsOf(r *http.Request) statement.Words {
	chosen := r.URL.Query().Get("lang")
	if cookie, err := r.Cookie(languageCookie); err == nil && chosen == "" {
		chosen = cookie.Value
	}
	return s.languages.in(r, chosen)
}

// RememberLanguage has the browser remember the language in the address.
func (s *Site) RememberLanguage(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("lang") == "" {
		return
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure depends on the connection
		Name: languageCookie, Value: s.WordsOf(r).Language, Path: s.Base + "/", MaxAge: int(keepLanguage.Seconds()),
		HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	})
}
