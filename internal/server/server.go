// Package server is a process that serves studies: the API, the pages, the endpoints for operators, planning and
// webhooks.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/api"
	"bestpick/internal/database"
	"bestpick/internal/metrics"
	"bestpick/internal/middleware"
	"bestpick/internal/picture"
	"bestpick/internal/study"
	"bestpick/internal/study/wiring"
	"bestpick/internal/tracing"
	"bestpick/internal/web"
)

// Timeouts and limits of the server.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	bodyTimeout   = 30 * time.Second // for the request body, unless the handler sets another deadline
	replyTimeout  = time.Minute      // for each part of the reply
	stopTimeout   = 30 * time.Second // for requests in flight when the listener closes
	patience      = 3 * time.Second  // how long a respondent waits for a question
	maxHeader     = 64 << 10
)

// Rate limits, far above what a person needs.
const (
	respondentRate  = 5.0 // questions per second
	respondentBurst = 50
	addressBurst    = 10 // burst, in seconds of the rate
)

// Options configure a server.
type Options struct {
	Listen           string         // address and port
	Database         string         // see [database.Open]
	Certificate, Key string         // files, for TLS; both or neither
	Secure           bool           // TLS ends at a proxy
	PublicURL        *url.URL       // under which people reach the server; nil for the address of each request
	Trusted          []netip.Prefix // reverse proxies
	Frames           []string       // origins that may embed the pages
	Rate             float64        // requests per second and address; 0 for no limit
	PrivateWebhooks  bool           // webhooks may have private addresses
	Drain            time.Duration  // from the signal to stop until the listener closes
	Version          string         // of the program, for metrics, traces and the OpenAPI description
	Log              *slog.Logger
}

// An OptionError reports invalid options.
type OptionError struct{ error }

func (e OptionError) Unwrap() error { return e.error }

// A Server is one process that serves studies.
type Server struct {
	Options

	store    database.Store
	studies  *wiring.Service
	metrics  *metrics.Metrics
	tracer   *tracing.Tracer // nil if tracing is off
	pictures *picture.Links
	http     *http.Server
	listener net.Listener
	closing  context.CancelFunc // ends event streams
	stopping atomic.Bool        // set when the drain begins
	outage   outage
}

// New opens the port and the database. It does not serve yet. The caller must call Serve or Close.
func New(ctx context.Context, o Options) (*Server, error) {
	listener, err := net.Listen("tcp", o.Listen) //nolint:noctx // listening does not block
	if err != nil {
		return nil, OptionError{err}
	}
	store, err := database.Open(ctx, o.Database)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	closing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &Server{Options: o, store: store, metrics: metrics.New(), pictures: picture.NewLinks(false), listener: listener, closing: cancel, outage: outage{log: o.Log}}
	s.metrics.Version(o.Version)
	s.tracer, err = tracing.New(ctx, tracing.Options{Environment: os.Getenv, Version: o.Version, Report: s.traced})
	if err != nil {
		return nil, s.closeOnError(OptionError{err})
	}
	s.studies, err = s.newStudies(ctx)
	if err != nil {
		return nil, s.closeOnError(err)
	}
	s.http = &http.Server{
		Handler: s.handler(closing), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
	return s, nil
}

// newStudies returns the service on the instrumented store.
func (s *Server) newStudies(ctx context.Context) (*wiring.Service, error) {
	store := instrumentedStore{s.store, s.metrics, &s.outage, s.tracer}
	options := wiring.Options{
		Patience: patience, Observer: s.metrics,
		Report: func(id string, err error) {
			s.metrics.PlanFailed()
			if !errors.Is(err, study.ErrUnavailable) { // outages are logged once for all studies
				s.Log.Error("planning failed; it is retried", "study", metrics.Name(id), "error", err)
			}
		},
	}
	if s.tracer != nil {
		options.Trace = s.tracer.Plan
	}
	return wiring.New(ctx, store, options)
}

// traced logs when sending traces fails, and when it works again.
func (s *Server) traced(err error) {
	if err != nil {
		s.Log.Warn("traces cannot be sent", "error", err)
		return
	}
	s.Log.Info("traces can be sent again")
}

// handler returns all routes, with their middleware.
func (s *Server) handler(closing context.Context) http.Handler {
	secure := s.Secure || s.Certificate != ""
	respondents := middleware.NewLimiter(respondentRate, respondentBurst)
	pages := web.Handler(s.studies, web.Options{
		Tokens: s.store, Audit: s.store, Respondents: respondents, Secure: secure, PublicURL: s.PublicURL, Framed: len(s.Frames) > 0, Log: s.Log, Closing: closing.Done(), Pictures: s.pictures,
	})
	mux := http.NewServeMux()
	for pattern, handler := range s.routes(pages, respondents, closing) {
		mux.Handle(pattern, handler)
	}
	handler := middleware.Chain(mux,
		middleware.Headers(middleware.Policy{Secure: secure, Frames: s.Frames}),
		middleware.Limit(middleware.NewLimiter(s.Rate, int(math.Ceil(addressBurst*s.Rate))), time.Now, tooMany(pages)),
		middleware.SameOrigin(s.Trusted, api.CrossOrigin),
	)
	if s.tracer != nil {
		handler = s.tracer.Requests(handler)
	}
	return middleware.Chain(handler,
		s.closeConnections,
		middleware.Deadlines(bodyTimeout, replyTimeout),
		middleware.Address(s.Trusted),
		middleware.Untrusted(s.Trusted, s.Log),
		middleware.Log(s.Log, s.metrics.Request),
	)
}

// routes returns the handlers by pattern: the API, the pages, and the endpoints for operators.
func (s *Server) routes(pages *web.Pages, respondents *middleware.Limiter, closing context.Context) map[string]http.Handler {
	all := map[string]http.Handler{"/": pages.Unknown(api.Handler(s.studies, api.Options{
		Version: s.Version, Tokens: s.store, Audit: s.store, Webhooks: s.store, PrivateWebhooks: s.PrivateWebhooks,
		Log: s.Log, Closing: closing.Done(), Respondents: respondents, Pictures: s.pictures,
	}))}
	for _, path := range web.Paths() {
		all[path] = pages
	}
	for pattern, handler := range s.admin() {
		all[pattern] = handler
	}
	return all
}

// tooMany rejects requests over the rate limit: with a page for browsers, and a problem for API clients.
func tooMany(pages *web.Pages) func(http.ResponseWriter, *http.Request, time.Duration) {
	return func(w http.ResponseWriter, r *http.Request, wait time.Duration) {
		if web.Has(r.URL.Path) {
			pages.TooMany(w, r, wait)
			return
		}
		api.TooMany(w, wait)
	}
}

// Close closes a server that does not serve.
func (s *Server) Close() error { return s.closeOnError(nil) }

// closeOnError closes the server and returns err, joined with errors of closing.
func (s *Server) closeOnError(err error) error {
	s.closing()
	return errors.Join(err, s.listener.Close(), s.store.Close())
}

// URL returns the address of the server.
func (s *Server) URL() string {
	scheme := "http://"
	if s.Certificate != "" {
		scheme = "https://"
	}
	address, ok := s.listener.Addr().(*net.TCPAddr)
	if !ok || !address.IP.IsUnspecified() {
		return scheme + s.listener.Addr().String()
	}
	return fmt.Sprintf("%slocalhost:%d", scheme, address.Port)
}

// AddToken adds an owner's token with a name.
func (s *Server) AddToken(ctx context.Context, name string) (secret string, err error) {
	secret, token := access.New(name, access.Owner, time.Now())
	return secret, s.store.AddToken(ctx, token)
}

// AddFirstToken adds an owner's token if the database has no token.
func (s *Server) AddFirstToken(ctx context.Context) (secret string, first bool, err error) {
	secret, token := access.New("first owner", access.Owner, time.Now())
	err = s.store.AddFirstToken(ctx, token)
	if errors.Is(err, access.ErrTaken) {
		return "", false, nil
	}
	return secret, err == nil, err
}

// Serve serves until the context ends. Then it drains, closes the listener, finishes the requests in
// flight, hands planning over to other processes, and closes the database.
func (s *Server) Serve(ctx context.Context) error {
	planning, stopPlanning := context.WithCancel(context.WithoutCancel(ctx))
	var background sync.WaitGroup
	background.Go(func() { s.studies.Planning.Run(planning) })
	background.Go(func() { s.webhooks(ctx).Run(ctx) })
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { stopped <- s.shutDown(context.WithoutCancel(ctx)) })
	s.Log.Info("serving", "address", s.listener.Addr().String())
	var err error
	if s.Certificate != "" {
		err = s.http.ServeTLS(s.listener, s.Certificate, s.Key)
	} else {
		err = s.http.Serve(s.listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	if !stop() {
		err = errors.Join(err, <-stopped)
	}
	stopPlanning()
	background.Wait()
	if s.tracer != nil {
		if lost := s.tracer.Close(ctx); lost != nil {
			s.traced(lost)
		}
	}
	return errors.Join(err, s.store.Close())
}
