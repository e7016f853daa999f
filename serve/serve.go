// Package serve embeds live studies in a program: the HTTP API, the pages, planning, webhooks and metrics.
//
//	studies, err := serve.New(ctx, "studies.db", serve.Options{Prefix: "/picks"})
//	…
//	go studies.Run(ctx)
//	http.Handle("/picks/", studies)
//
// Owners and viewers need a token; [Service.InviteFirstOwner] invites the first owner. The program bestpick
// serve is this package with flags.
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/api"
	"bestpick/internal/jobs"
	"bestpick/internal/middleware"
	"bestpick/internal/observe"
	"bestpick/internal/picture"
	"bestpick/internal/store"
	"bestpick/internal/study"
	"bestpick/internal/study/wiring"
	"bestpick/internal/web"
	"bestpick/internal/webhook"
	"bestpick/wire"
)

// Timeouts of requests.
const (
	bodyTimeout  = 30 * time.Second // for the request body, unless the handler sets another deadline
	replyTimeout = time.Minute      // for each part of the reply
	patience     = 3 * time.Second  // how long a respondent waits for a question
)

// burst is the length of a burst that rate limits allow, in seconds of the rate.
const burst = 10

// Options configure a service. The zero value has every default.
type Options struct {
	// Prefix is the path under which the service is mounted, such as /picks. Defaults to the root.
	Prefix string

	// Secret is a random text outside the database, of at least 32 characters, from which the keys of sessions, questions
	// and signatures are derived. All processes on a database need the same. PostgreSQL requires it; for SQLite it
	// defaults to the text of [SecretFile], which New creates. Further lines are other secrets whose sessions and questions
	// are accepted too, during a rotation.
	Secret string

	// Rate is the number of requests per second and client address, and RespondentRate the number of
	// questions per second and respondent. Bursts may be ten times as large. Default to no limit.
	Rate           float64
	RespondentRate float64

	// AllowOrigins are the origins, such as https://example.com, whose pages may call the API. The
	// origin * allows all pages. Defaults to none.
	AllowOrigins []string

	// Frames are the origins that may embed the pages in a frame. Defaults to none.
	Frames []string

	// Trusted are the addresses of reverse proxies, whose X-Forwarded-For is used. Defaults to none.
	Trusted []netip.Prefix

	// UserHeader is the header in which trusted proxies send the name of the signed-in user, such as X-Forwarded-Email.
	// Defaults to none.
	UserHeader string

	// SMTP is the mail server for links to sign in and invitations, such as smtp://user:password@mail.example.com:587, and
	// MailFrom the sender. They need PublicURL. Default to none.
	SMTP, MailFrom string

	// PublicURL is the address under which people reach the server, without a path, for links. Defaults
	// to the address of each request.
	PublicURL *url.URL

	// Secure says that clients use TLS, which ends here or at a proxy.
	Secure bool

	// PrivateWebhooks allows webhooks to private addresses and over plain HTTP.
	PrivateWebhooks bool

	// NoStudyMetrics omits the five series of each study from the metrics.
	NoStudyMetrics bool

	// Version is the version of the program, for metrics, traces and the OpenAPI document.
	Version string

	// Log receives requests and failures. Defaults to no log.
	Log *slog.Logger
}

// An OptionError reports invalid options.
type OptionError struct{ Err error }

func (e OptionError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e OptionError) Unwrap() error { return e.Err }

// A Service serves the studies of a database. Several processes may serve the same PostgreSQL database. Safe for concurrent use.
type Service struct {
	Options

	store    store.Store
	studies  *wiring.Service
	metrics  *observe.Metrics
	sender   *webhook.Sender
	mailer   *access.Mailer  // nil without a mail server
	tracer   *observe.Tracer // nil if tracing is off
	pictures *picture.Links
	outage   outage
	handler  http.Handler
	streams  context.Context //nolint:containedctx // ends with the event streams
	end      context.CancelFunc
	draining atomic.Bool
}

// New opens a database and returns the service on it. The database is an SQLite file, which is created if
// needed, or the address of a PostgreSQL database, such as postgres://user@host/name. The service serves
// requests at once; the caller must also call Run, which plans questions, and Close after Run has returned.
func New(ctx context.Context, database string, o Options) (*Service, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := o.check(); err != nil {
		return nil, OptionError{Err: err}
	}
	opened, err := store.Open(ctx, database)
	if err != nil {
		return nil, err
	}
	if o.Secret, err = secretOf(database, o.Secret); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	s, err := newService(ctx, opened, o)
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return s, nil
}

// newService returns the service on an open store.
func newService(ctx context.Context, opened store.Store, o Options) (*Service, error) {
	s := &Service{
		Options: o, store: opened, metrics: observe.NewMetrics(!o.NoStudyMetrics), pictures: picture.NewLinks(false),
		outage: outage{log: o.Log},
	}
	s.streams, s.end = context.WithCancel(context.WithoutCancel(ctx))
	s.metrics.Version(o.Version)
	var err error
	if o.SMTP != "" {
		if s.mailer, err = access.NewMailer(o.SMTP, o.MailFrom); err != nil {
			return nil, OptionError{Err: err}
		}
	}
	traced := observe.TracerOptions{Environment: os.Getenv, Version: o.Version, Report: s.traced}
	if s.tracer, err = observe.NewTracer(ctx, traced); err != nil {
		return nil, OptionError{Err: err}
	}
	if s.studies, err = s.newStudies(ctx); err != nil {
		return nil, err
	}
	s.sender = s.webhooks(ctx)
	s.handler = s.newHandler()
	return s, nil
}

// check returns an error unless the options are valid.
func (o Options) check() error {
	var problems []error
	if o.Prefix != "" && (!strings.HasPrefix(o.Prefix, "/") || strings.HasSuffix(o.Prefix, "/")) {
		problems = append(problems, fmt.Errorf("the prefix must begin with a slash and not end with one, got %q", o.Prefix))
	}
	if o.SMTP != "" && o.PublicURL == nil {
		problems = append(problems, errors.New("links in e-mail need the public URL of the server"))
	}
	if o.UserHeader != "" && len(o.Trusted) == 0 {
		problems = append(problems, errors.New("a user header needs the addresses of trusted proxies"))
	}
	for _, origin := range o.AllowOrigins {
		if origin != "*" && !isOrigin(origin) {
			problems = append(problems, fmt.Errorf("an allowed origin must be * or like https://example.com, got %q", origin))
		}
	}
	for _, origin := range o.Frames {
		if !isOrigin(origin) {
			problems = append(problems, fmt.Errorf("an origin of frames must be like https://example.com, got %q", origin))
		}
	}
	return errors.Join(problems...)
}

func isOrigin(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && parsed.Host != "" && parsed.Scheme+"://"+parsed.Host == text
}

// newStudies returns the studies on the instrumented store.
func (s *Service) newStudies(ctx context.Context) (*wiring.Service, error) {
	instrumented := instrumentedStore{s.store, s.metrics, &s.outage, s.tracer, s.Secret}
	secrets, err := instrumented.secrets(ctx)
	if err != nil {
		return nil, err
	}
	ending := endingStore{instrumented, func(ctx context.Context, id string) { s.sender.Ended(ctx, id) }}
	options := wiring.Options{
		Patience: patience, Limiter: limiter(s.RespondentRate), Observer: s.metrics, Jobs: s.store, OtherSecrets: secrets[1:],
		Report: func(id string, err error) {
			s.metrics.PlanFailed()
			if !errors.Is(err, study.ErrUnavailable) { // outages are logged once for all studies
				s.Log.Error("planning failed; it is retried", "study", access.Pseudonym(id), "error", err)
			}
		},
	}
	if s.tracer != nil {
		options.Trace = s.tracer.Plan
	}
	service, err := wiring.New(ctx, ending, options)
	if err == nil {
		service.Live.Gather = true
	}
	return service, err
}

// traced logs when sending traces fails, and when it works again.
func (s *Service) traced(err error) {
	if err != nil {
		s.Log.Warn("traces cannot be sent", "error", err)
		return
	}
	s.Log.Info("traces can be sent again")
}

// ServeHTTP serves the API, the pages and the endpoints for operators.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// newHandler returns all routes, with their middleware.
func (s *Service) newHandler() http.Handler {
	pages := web.Handler(s.studies, web.Options{
		Base: s.Prefix, Tokens: s.store, Audit: s.store, Secure: s.Secure, PublicURL: s.PublicURL, Framed: len(s.Frames) > 0,
		Log: s.Log, Closing: s.streams.Done(), Pictures: s.pictures, Webhooks: s.sender, Mail: s.mailer,
	})
	mux := http.NewServeMux()
	routes := s.routes(pages)
	for pattern, handler := range routes {
		mux.Handle(pattern, handler)
		if path, is := strings.CutSuffix(pattern, "/"); is && path != "" && routes[path] == nil {
			mux.Handle(path, handler) // the redirect of the multiplexer would lose the prefix
		}
	}
	origins := middleware.Origins{Allowed: s.AllowOrigins, Prefix: api.Prefix + "/"}
	handler := middleware.Chain(mux,
		middleware.CORS(origins),
		middleware.Limit(limiter(s.Rate), time.Now, tooMany(pages)),
		middleware.SameOrigin(s.Trusted, origins, api.CrossOrigin),
	)
	if s.tracer != nil {
		handler = s.tracer.Requests(handler)
	}
	mounted := http.NewServeMux() // it redirects to clean paths, with the prefix
	mounted.Handle(s.Prefix+"/", http.StripPrefix(s.Prefix, middleware.Chain(handler,
		middleware.Address(s.Trusted),
		middleware.User(s.Trusted, s.UserHeader),
		middleware.Untrusted(s.Trusted, s.Log),
		middleware.Log(s.Log, s.metrics.Request),
	)))
	return middleware.Chain(mounted,
		s.closeConnections,
		middleware.Deadlines(bodyTimeout, replyTimeout),
		middleware.Headers(middleware.Policy{Secure: s.Secure, Frames: s.Frames}),
	)
}

// limiter returns a limiter with a rate per second.
func limiter(rate float64) *middleware.Limiter {
	return middleware.NewLimiter(rate, int(math.Ceil(burst*rate)))
}

// routes returns the handlers by pattern: the API, the pages, and the endpoints for operators.
func (s *Service) routes(pages *web.Pages) map[string]http.Handler {
	all := map[string]http.Handler{"/": pages.Unknown(api.Handler(s.studies, api.Options{
		Base: s.Prefix, Version: s.Version, Tokens: observedTokens{s.store, &s.outage}, Audit: s.store, Webhooks: s.sender,
		Log: s.Log, Closing: s.streams.Done(), Pictures: s.pictures,
	}))}
	for _, path := range pages.Paths() {
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
		if pages.Has(r.URL.Path) {
			pages.TooMany(w, r, wait)
			return
		}
		api.TooMany(w, wait)
	}
}

// AddOwner adds an owner's token with a name, and returns its secret.
func (s *Service) AddOwner(ctx context.Context, name string) (secret string, err error) {
	secret, token := access.New(name, access.Owner, time.Now())
	return secret, s.store.AddToken(ctx, token)
}

// InviteFirstOwner returns the path of a page that signs the first owner in, once and within an hour, if the database
// has no token. Otherwise the path is empty.
func (s *Service) InviteFirstOwner(ctx context.Context) (path string, err error) {
	secret, token := access.Invite("first owner", access.Owner, "", time.Now())
	token.Expires = token.Created.Add(access.SetUpFor)
	err = s.store.AddFirstToken(ctx, token)
	if errors.Is(err, access.ErrTaken) {
		return "", nil
	}
	return s.Prefix + "/join/" + secret, err
}

// Close waits for pending writes and closes the database.
func (s *Service) Close() error { return s.store.Close() }

// Run plans questions, delivers webhooks, completes erasures and removes names until the context ends. Then it
// hands this work over to other processes and ends event streams.
func (s *Service) Run(ctx context.Context) {
	var background sync.WaitGroup
	background.Go(func() { s.studies.Planning.Run(ctx) })
	background.Go(func() { s.sender.Recover(ctx) })
	background.Go(func() { s.studies.Owner.Retain(ctx) })
	background.Go(func() {
		s.store.RunJobs(ctx, jobs.Workers{Deliver: s.sender.Deliver, Erase: s.erase, Log: s.Log})
	})
	background.Wait()
	s.EndStreams()
	if s.tracer != nil {
		if err := s.tracer.Close(ctx); err != nil {
			s.traced(err)
		}
	}
}

// erase completes an erasure. A removal of names has no request, so it goes to the audit log here.
func (s *Service) erase(ctx context.Context, job jobs.Erasure) error {
	err := s.studies.Owner.CompleteErasure(ctx, job)
	if err != nil || job.Respondent != "" {
		return err
	}
	if st, err := s.store.Study(ctx, job.Study); err == nil && !st.Unnamed.IsZero() {
		detail := access.Counted(st.Settings.Retention, "day") + " after the end"
		access.Record(ctx, s.store, access.Entry{
			At: st.Unnamed, By: "retention", Operation: "remove-names", Study: st.ID, Detail: detail,
		}, s.Log)
	}
	return nil
}

// Drain prepares the end of the process: /readyz replies with 503, so that load balancers choose other replicas, and each
// connection closes after its next response, so that proxies return no connection to their pools that is about to be closed. It
// does not close idle connections: a proxy might be sending a request on one of them.
func (s *Service) Drain() { s.draining.Store(true) }

// EndStreams ends the event streams, which a graceful shutdown would wait for. Pass it to [http.Server.RegisterOnShutdown].
func (s *Service) EndStreams() { s.end() }

// closeConnections closes connections during the drain.
func (s *Service) closeConnections(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// webhooks returns the sender of webhooks. It logs neither their secrets nor their addresses, which may be secret.
func (s *Service) webhooks(ctx context.Context) *webhook.Sender {
	var mail func(ctx context.Context, to string, n wire.Notice) error
	if s.mailer != nil {
		link := *s.PublicURL
		link.Path = s.Prefix
		mail = func(ctx context.Context, to string, n wire.Notice) error {
			kind := map[string]string{
				wire.ReasonCertified: "Decided", wire.ReasonCyclic: "No favourite", wire.ReasonRefuted: "Ended without a result",
				wire.ReasonSpent: "Budget spent", wire.ReasonExpired: "Deadline reached", wire.ReasonLapsed: "No longer decided",
			}[n.Reason]
			if n.Test {
				kind = "Test"
			}
			return s.mailer.Send(ctx, to, kind+": "+n.Name, n.Verdict.Sentence+"\n\n"+link.JoinPath("studies", n.Study).String()+"\n")
		}
	}
	return webhook.NewSender(webhook.Options{
		Store: s.store, Private: s.PrivateWebhooks, Mail: mail,
		Notice: func(ctx context.Context, id string) (wire.Notice, bool, error) { return api.Notice(ctx, s.studies, id) },
		Observe: func(h webhook.Hook, err error) {
			if h.Study == "" {
				s.Log.Error("webhooks failed; they are retried", "error", err)
				return
			}
			s.metrics.WebhookAttempt(string(h.State))
			level := slog.LevelWarn
			if h.State == webhook.Delivered {
				level = slog.LevelInfo
			}
			s.Log.Log(ctx, level, "webhook", "study", access.Pseudonym(h.Study), "delivery", h.Delivery, "state", h.State,
				"attempts", h.Attempts, "status", h.Status, "error", err)
		},
	})
}
