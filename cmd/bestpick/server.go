package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/api"
	"bestpick/internal/metrics"
	"bestpick/internal/middleware"
	"bestpick/internal/picture"
	"bestpick/internal/study"
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
	patience      = 3 * time.Second  // of a respondent, when the deck is empty
	maxHeader     = 64 << 10
)

// Rate limits, far above what a person needs.
const (
	respondentRate  = 5.0 // questions per second
	respondentBurst = 50
	addressBurst    = 10 // burst, in seconds of the rate
)

// serverOptions configure a server.
type serverOptions struct {
	listen, database string
	certificate, key string         // files, for TLS
	secure           bool           // TLS ends at a proxy
	trusted          []netip.Prefix // proxies
	frames           []string       // origins that may embed our pages
	rate             float64        // requests per second and address
	privateWebhooks  bool           // webhooks may have private addresses
	drain            time.Duration  // from the signal to stop until the listener closes
	log              *slog.Logger
}

// A server is one process that serves studies.
type server struct {
	serverOptions

	store    keeper
	studies  *study.Service
	metrics  *metrics.Metrics
	tracer   *tracing.Tracer // nil if tracing is off
	pictures *picture.Links
	http     *http.Server
	listener net.Listener
	closing  context.CancelFunc // ends event streams
	stopping atomic.Bool        // set when the drain begins
	outage   outage
}

// newServer opens the port and the database. It does not serve yet.
func newServer(ctx context.Context, o serverOptions) (*server, error) {
	if (o.certificate == "") != (o.key == "") {
		return nil, inputError{errors.New("--tls-cert and --tls-key go together")}
	}
	listener, err := net.Listen("tcp", o.listen) //nolint:noctx // listening does not block
	if err != nil {
		return nil, inputError{err}
	}
	store, err := openStore(ctx, o.database)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	closing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &server{serverOptions: o, store: store, metrics: metrics.New(), pictures: picture.NewLinks(false), listener: listener, closing: cancel, outage: outage{log: o.log}}
	s.metrics.Version(release)
	s.tracer, err = tracing.New(ctx, tracing.Options{Environment: os.Getenv, Version: release, Report: s.traced})
	if err != nil {
		return nil, s.abandon(inputError{err})
	}
	s.studies, err = s.newStudies(ctx)
	if err != nil {
		return nil, s.abandon(err)
	}
	s.http = &http.Server{
		Handler: s.handler(closing), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	return s, nil
}

// newStudies returns the service on the instrumented store.
func (s *server) newStudies(ctx context.Context) (*study.Service, error) {
	store := instrumentedStore{s.store, s.metrics, &s.outage, s.tracer}
	options := study.Options{
		Patience: patience, Observer: s.metrics,
		Report: func(id string, err error) {
			s.metrics.PlanFailed()
			if !s.store.Unavailable(err) { // outages are logged once for all studies
				s.log.Error("planning failed; it is retried", "study", metrics.Name(id), "error", err)
			}
		},
	}
	if s.tracer != nil {
		options.Trace = s.tracer.Plan
	}
	return study.NewService(ctx, store, options)
}

// traced logs whether traces can be sent.
func (s *server) traced(err error) {
	if err != nil {
		s.log.Warn("traces cannot be sent", "error", err)
		return
	}
	s.log.Info("traces can be sent again")
}

// handler returns all routes, with their middleware.
func (s *server) handler(closing context.Context) http.Handler {
	secure := s.secure || s.certificate != ""
	respondents := middleware.NewLimiter(respondentRate, respondentBurst)
	pages := web.Handler(s.studies, web.Options{
		Tokens: s.store, Audit: s.store, Respondents: respondents, Secure: secure, Framed: len(s.frames) > 0, Log: s.log, Closing: closing.Done(), Pictures: s.pictures,
	})
	mux := http.NewServeMux()
	for pattern, handler := range s.mounted(pages, respondents, closing) {
		mux.Handle(pattern, handler)
	}
	handler := middleware.Chain(mux,
		middleware.Headers(middleware.Policy{Secure: secure, Frames: s.frames}),
		middleware.Limit(middleware.NewLimiter(s.rate, int(math.Ceil(addressBurst*s.rate))), time.Now, tooMany(pages)),
		middleware.SameOrigin(s.trusted, api.CrossOrigin),
	)
	if s.tracer != nil {
		handler = s.tracer.Requests(handler)
	}
	return middleware.Chain(handler,
		s.closeConnections,
		middleware.Deadlines(bodyTimeout, replyTimeout),
		middleware.Address(s.trusted),
		middleware.Untrusted(s.trusted, s.log),
		middleware.Log(s.log, s.metrics.Request),
	)
}

// mounted returns the handlers by pattern: the API, the pages, and the endpoints for operators.
func (s *server) mounted(pages *web.Pages, respondents *middleware.Limiter, closing context.Context) map[string]http.Handler {
	all := map[string]http.Handler{"/": api.Handler(s.studies, api.Options{
		Version: release, Tokens: s.store, Audit: s.store, Webhooks: s.store, PrivateWebhooks: s.privateWebhooks,
		Log: s.log, Closing: closing.Done(), Respondents: respondents, Pictures: s.pictures,
	})}
	for _, path := range web.Paths() {
		all[path] = pages
	}
	for pattern, handler := range s.inside() {
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

// abandon closes the server after an error.
func (s *server) abandon(err error) error {
	s.closing()
	return errors.Join(err, s.listener.Close(), s.store.Close())
}

// url returns the address of the server.
func (s *server) url() string {
	scheme := "http://"
	if s.certificate != "" {
		scheme = "https://"
	}
	address, ok := s.listener.Addr().(*net.TCPAddr)
	if !ok || !address.IP.IsUnspecified() {
		return scheme + s.listener.Addr().String()
	}
	return fmt.Sprintf("%slocalhost:%d", scheme, address.Port)
}

// firstToken creates an owner's token if the database has no token.
func (s *server) firstToken(ctx context.Context) (secret string, first bool, err error) {
	secret, token := access.New("first owner", access.Owner, time.Now())
	err = s.store.AddFirstToken(ctx, token)
	if errors.Is(err, access.ErrTaken) {
		return "", false, nil
	}
	return secret, err == nil, err
}

// serve serves until the context ends. Then it drains, closes the listener, finishes the requests in
// flight, hands planning over to other processes, and closes the database.
func (s *server) serve(ctx context.Context) error {
	planning, stopPlanning := context.WithCancel(context.WithoutCancel(ctx))
	var background sync.WaitGroup
	background.Go(func() { s.studies.Run(planning) })
	background.Go(func() { s.webhooks(ctx).Run(ctx) })
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { stopped <- s.shutDown(context.WithoutCancel(ctx)) })
	s.log.Info("serving", "address", s.listener.Addr().String())
	var err error
	if s.certificate != "" {
		err = s.http.ServeTLS(s.listener, s.certificate, s.key)
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
