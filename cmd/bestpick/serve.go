package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"time"

	"bestpick/client"
	"bestpick/cmd/bestpick/command"
	"bestpick/internal/middleware"
	"bestpick/internal/store"
	"bestpick/serve"
)

// serveCommand serves live studies.
type serveCommand struct {
	databaseFlag

	Listen         string        `group:"Addresses" default:"127.0.0.1:8080" env:"BESTPICK_LISTEN" help:"Address and port to listen on; :8080 accepts connections from other machines."`
	DBConnections  int           `group:"Limits" default:"0" env:"BESTPICK_DB_CONNECTIONS" min:"0" help:"Maximum number of connections to PostgreSQL; 0 for 4, or the number of cores if that is larger."`
	Demo           bool          `group:"Process" help:"Start with a study that a simulated crowd answers, in a temporary database unless --database is set."`
	TLSCert        string        `group:"Addresses" name:"tls-cert" env:"BESTPICK_TLS_CERT" help:"Certificate file, to serve over TLS." placeholder:"FILE"`
	TLSKey         string        `group:"Addresses" name:"tls-key" env:"BESTPICK_TLS_KEY" help:"Key file of the certificate." placeholder:"FILE"`
	Secure         bool          `group:"Addresses" env:"BESTPICK_SECURE" help:"A proxy terminates TLS: send Strict-Transport-Security."`
	Public         string        `group:"Addresses" name:"public-url" env:"BESTPICK_PUBLIC_URL" help:"Address under which people reach the server, such as https://studies.example.com. Defaults to the address that the owner's browser uses." placeholder:"URL"`
	Trust          []string      `group:"Addresses" env:"BESTPICK_TRUST" help:"Addresses of trusted proxies, such as 10.0.0.0/8, whose X-Forwarded-For is used." placeholder:"CIDR"`
	UserHeader     string        `group:"Addresses" env:"BESTPICK_USER_HEADER" help:"Header in which the proxies of --trust send the name of the signed-in user, such as X-Forwarded-Email." placeholder:"HEADER"`
	SMTP           string        `group:"E-mail" name:"smtp" env:"BESTPICK_SMTP" help:"Mail server for links to sign in and invitations, such as smtp://user:password@mail.example.com:587. Needs --public-url." placeholder:"URL"`
	MailFrom       string        `group:"E-mail" env:"BESTPICK_MAIL_FROM" help:"Sender of e-mail." placeholder:"ADDRESS"`
	Frame          []string      `group:"Other sites" env:"BESTPICK_FRAME" help:"Origins that may embed our pages in a frame, such as https://example.com." placeholder:"ORIGIN"`
	Rate           float64       `group:"Limits" default:"50" env:"BESTPICK_RATE" min:"0" help:"Rate limit per client address, in requests per second; the burst is ten times as many. 0 for no limit."`
	SecretFile     string        `group:"Process" env:"BESTPICK_SECRET_FILE" help:"File with the secret from which keys are derived, the same for all replicas; BESTPICK_SECRET has the secret itself. Defaults to DATABASE.secret for SQLite, and is required for PostgreSQL." placeholder:"FILE"`
	Connections    int           `group:"Limits" default:"256" env:"BESTPICK_CONNECTIONS" min:"0" help:"Maximum number of open connections per client address; 0 for no limit. Trusted proxies and this machine have none."`
	RespondentRate float64       `group:"Limits" default:"5" env:"BESTPICK_RESPONDENT_RATE" min:"0" help:"Rate limit per respondent, in questions per second; the burst is ten times as many. 0 for no limit."`
	AllowOrigin    []string      `group:"Other sites" env:"BESTPICK_ALLOW_ORIGIN" help:"Origins whose pages may call the API, such as https://example.com; * for all." placeholder:"ORIGIN"`
	Prefix         string        `group:"Addresses" env:"BESTPICK_PREFIX" help:"Path under which to serve, such as /picks, behind a proxy that keeps it." placeholder:"PATH"`
	Private        bool          `group:"Other sites" name:"webhooks-to-private" env:"BESTPICK_WEBHOOKS_TO_PRIVATE" help:"Allow webhooks to this machine, to private networks, and over plain HTTP. Owners can then reach all that this machine can reach."`
	Drain          time.Duration `group:"Process" default:"0s" env:"BESTPICK_DRAIN" help:"After SIGTERM or Ctrl-C, keep serving for this long while /readyz returns 503, so that load balancers choose other replicas. A second signal stops at once."`
	NoStudyMetrics bool          `group:"Process" env:"BESTPICK_NO_STUDY_METRICS" help:"Omit the five series of each study from /metrics, with thousands of studies."`
	Pprof          string        `group:"Process" env:"BESTPICK_PPROF" help:"Loopback address and port, such as 127.0.0.1:6060, for the profiles of Go's pprof. Defaults to none." placeholder:"ADDRESS"`
	Log            string        `group:"Process" enum:"text,json" default:"text" env:"BESTPICK_LOG" help:"Log format, on standard error: text or json."`
}

// Run serves until the first SIGINT or SIGTERM, and then shuts down. A second signal ends the process at once.
func (c *serveCommand) Run(s command.Streams) error {
	options, err := c.options()
	if err != nil {
		return command.Invalid(err)
	}
	ctx, stop := command.Context()
	defer stop()
	context.AfterFunc(ctx, stop) // which restores the default action of signals
	boundGarbage()
	if c.Database == "" && c.Demo {
		folder, err := os.MkdirTemp("", "bestpick-demo-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(folder) }() // leftovers in the temporary folder are harmless
		options.Database = filepath.Join(folder, "demo.db")
	}
	if c.Demo && c.UserHeader == "" { // simulated people have networks of their own
		options.Trusted = append(options.Trusted, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	}
	var handler slog.Handler = slog.NewTextHandler(s.Err, nil)
	if c.Log == "json" {
		handler = slog.NewJSONHandler(s.Err, nil)
	}
	const interval = 10 * time.Second
	repeats := middleware.NewRepeats(handler, interval)
	defer repeats.Flush()
	options.Log = slog.New(repeats)
	serving, err := newServer(ctx, options)
	if _, wrong := errors.AsType[serve.OptionError](err); wrong {
		err = command.Invalid(err)
	}
	if err != nil {
		return err
	}
	if err := c.greet(ctx, s, serving); err != nil {
		return errors.Join(err, serving.Close())
	}
	if c.Demo {
		token, err := serving.Service.AddOwner(ctx, time.Now().Format("demonstration 15:04:05.000"))
		if err != nil {
			return errors.Join(err, serving.Close())
		}
		ctx, end := context.WithCancel(ctx)
		var running sync.WaitGroup
		running.Go(func() { runDemo(ctx, &client.Client{URL: serving.URL() + c.Prefix, Token: token}, s.Out) })
		defer running.Wait()
		defer end()
	}
	return serving.Serve(ctx)
}

// options returns the options of the server, except the log.
func (c *serveCommand) options() (serverOptions, error) {
	o := serverOptions{
		Options: serve.Options{
			Prefix: c.Prefix, Secure: c.Secure, Frames: c.Frame, AllowOrigins: c.AllowOrigin, Rate: c.Rate,
			RespondentRate:  c.RespondentRate,
			PrivateWebhooks: c.Private, Version: command.Release, UserHeader: c.UserHeader, SMTP: c.SMTP, MailFrom: c.MailFrom,
			NoStudyMetrics: c.NoStudyMetrics,
		},
		Listen: c.Listen, Database: cmp.Or(c.Database, defaultDatabase), Certificate: c.TLSCert, Key: c.TLSKey, Drain: c.Drain,
		Connections: c.Connections, Pprof: c.Pprof,
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return o, errors.New("--tls-cert and --tls-key go together")
	}
	var err error
	if o.PublicURL, err = parsePublic(c.Public); err != nil {
		return o, err
	}
	if o.Database, err = c.limitConnections(o.Database); err != nil {
		return o, err
	}
	if o.Secret, err = readSecret(c.SecretFile); err != nil {
		return o, err
	}
	o.Trusted, err = parseTrusted(c.Trust)
	return o, err
}

// readSecret returns the secret of a file, or that of the environment, which may be empty.
func readSecret(file string) (string, error) {
	if file == "" {
		return os.Getenv("BESTPICK_SECRET"), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--secret-file: %w", err)
	}
	if strings.TrimSpace(string(text)) == "" {
		return "", fmt.Errorf("--secret-file: %s is empty", file)
	}
	return string(text), nil
}

// limitConnections returns the address of a database with the number of connections, if that is set.
func (c *serveCommand) limitConnections(address string) (string, error) {
	switch {
	case c.DBConnections == 0:
		return address, nil
	case !store.IsPostgres(address):
		return "", errors.New("--db-connections is for PostgreSQL")
	}
	return store.WithConnections(address, c.DBConnections)
}

// parsePublic reads the address under which people reach the server. It returns nil for an empty text.
func parsePublic(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no address, and no error
	}
	public, err := url.Parse(text)
	if err != nil || public.Scheme != "http" && public.Scheme != "https" || public.Host == "" ||
		strings.Trim(public.Path, "/") != "" || public.RawQuery != "" {
		return nil, fmt.Errorf("--public-url must be an address such as https://studies.example.com, got %q", text)
	}
	return public, nil
}

// greet prints the addresses of the server and, the first time, the link with which the first owner signs in. The log
// may keep the link, so it is good for an hour.
func (c *serveCommand) greet(ctx context.Context, s command.Streams, serving *server) error {
	setUp, err := "", error(nil)
	if !c.Demo {
		setUp, err = serving.Service.InviteFirstOwner(ctx)
	}
	if err != nil {
		return err
	}
	url := serving.URL() + c.Prefix
	if _, err := fmt.Fprintf(s.Out, "Listening on %s (API reference: %s/docs)\n", url, url); err != nil {
		return err
	}
	if setUp != "" {
		here := cmp.Or(strings.TrimSuffix(c.Public, "/"), serving.URL())
		if _, err := fmt.Fprintf(s.Out, "Set up your access, once and within an hour: %s%s\n", here, setUp); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(s.Out, "Set up and watch studies at %s/ (sign in with a token)\n", url)
	return err
}

// parseTrusted reads the addresses of proxies.
func parseTrusted(texts []string) ([]netip.Prefix, error) {
	var trusted []netip.Prefix
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			address, wrong := netip.ParseAddr(text)
			if wrong != nil {
				return nil, fmt.Errorf("--trust must be an address, or a range such as 10.0.0.0/8, got %q", text)
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		trusted = append(trusted, prefix.Masked())
	}
	return trusted, nil
}

// Bounds of the garbage before a collection. A server needs little memory, so it would collect very
// often with Go's default of 100%. But more would be much while a study with a million answers is
// counted.
const (
	maxGarbage        = 64 << 20 // bytes
	minGarbagePercent = 10
	maxGarbagePercent = 800
)

// reserve is the least memory above the live heap that the process may have. Near its limit the runtime
// returns free memory to the system at once, such as the old copy of a large slice that has grown.
const reserve = 96 << 20 // bytes

// boundGarbage sets the garbage collector's percentage after every collection, so that garbage is at most
// maxGarbage bytes and within minGarbagePercent and maxGarbagePercent of the live heap, and a soft limit of
// memory. It does nothing if the environment sets GOGC or GOMEMLIMIT.
func boundGarbage() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(maxGarbagePercent)
	afterCollection(&garbage{percent: maxGarbagePercent})
}

// garbage has the current percentage and the current limit.
type garbage struct {
	percent int
	limit   uint64
	_       [8]byte // objects of less than 16 bytes may never be finalized
}

// afterCollection adjusts the percentage after every collection: a finalizer runs after one, and sets itself again.
func afterCollection(g *garbage) {
	runtime.SetFinalizer(g, func(g *garbage) {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}} // what the last collection found in use
		metrics.Read(sample)
		live := sample[0].Value.Uint64()
		if percent := garbagePercent(live); percent != g.percent {
			g.percent = percent
			debug.SetGCPercent(percent)
		}
		if limit := memoryLimit(live); limit != g.limit {
			g.limit = limit
			debug.SetMemoryLimit(int64(limit))
		}
		afterCollection(g)
	})
}

// garbagePercent returns the percentage for a live heap, in steps of 10 so that it rarely changes.
func garbagePercent(live uint64) int {
	const step = 10
	percent := maxGarbage * 100 / max(live, 1) / step * step
	return int(min(max(percent, minGarbagePercent), maxGarbagePercent))
}

// memoryLimit returns the limit of memory for a live heap, in steps so that it rarely changes.
func memoryLimit(live uint64) uint64 {
	const step = 16 << 20
	return (live + max(reserve, live/4) + step - 1) / step * step
}
