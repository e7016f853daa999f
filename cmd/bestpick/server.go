package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strconv"
	"sync"
	"syscall"
	"time"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/middleware"
	"bestpick/serve"
)

// Timeouts and limits of connections.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	stopTimeout   = 30 * time.Second // for requests in flight when the listener closes
	maxHeader     = 64 << 10
)

// serverOptions configure a server.
type serverOptions struct {
	serve.Options

	Listen           string        // address and port
	Database         string        // see [serve.New]
	Certificate, Key string        // files, for TLS; both or neither
	Drain            time.Duration // from the signal to stop until the listener closes
	Connections      int           // the most open ones per client address; 0 for no limit
	Pprof            string        // loopback address and port of profiles; empty for none
}

// A server is one process that serves studies.
type server struct {
	serverOptions

	Service  *serve.Service
	http     *http.Server
	listener net.Listener
	profiles net.Listener // nil for none
}

// newServer opens the port and the database. It does not serve yet. The caller must call Serve or Close.
func newServer(ctx context.Context, o serverOptions) (*server, error) {
	if err := checkListen(o.Listen); err != nil {
		return nil, serve.OptionError{Err: err}
	}
	listener, err := net.Listen("tcp", o.Listen) //nolint:noctx // listening does not block
	if errors.Is(err, syscall.EADDRINUSE) {
		err = errors.New("another program uses the port; choose another one")
	}
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", o.Listen, err)
	}
	o.Secure = o.Secure || o.Certificate != ""
	profiles, err := listenForProfiles(o.Pprof)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	service, err := serve.New(ctx, o.Database, o.Options)
	if err != nil {
		return nil, errors.Join(err, listener.Close(), closeProfiles(profiles))
	}
	s := &server{serverOptions: o, Service: service, listener: listener, profiles: profiles}
	s.http = &http.Server{
		Handler: service, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
	if o.Connections > 0 {
		s.http.ConnState = middleware.LimitConnections(o.Connections, o.Trusted)
	}
	s.http.RegisterOnShutdown(service.EndStreams)
	return s, nil
}

// Close closes a server that does not serve.
func (s *server) Close() error {
	s.Service.EndStreams()
	return errors.Join(s.listener.Close(), closeProfiles(s.profiles), s.Service.Close())
}

// URL returns the address of the server.
func (s *server) URL() string {
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

// Serve serves until the context ends. Then it drains, closes the listener, finishes the requests in
// flight, hands planning over to other processes, and closes the database.
func (s *server) Serve(ctx context.Context) error {
	running, stopRunning := context.WithCancel(context.WithoutCancel(ctx))
	var background sync.WaitGroup
	background.Go(func() { s.Service.Run(running) })
	if s.profiles != nil {
		background.Go(func() { _ = http.Serve(s.profiles, profilesHandler()) }) //nolint:gosec // until the listener closes; profiles take long
	}
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
	stopRunning()
	err = errors.Join(err, closeProfiles(s.profiles))
	background.Wait()
	return errors.Join(err, s.Service.Close())
}

// shutDown drains, closes the listener, ends the event streams, and waits for the requests in flight.
func (s *server) shutDown(ctx context.Context) error {
	s.Service.Drain()
	if s.Drain > 0 {
		s.Log.Info("draining", "for", s.Drain)
		time.Sleep(s.Drain)
	}
	s.Log.Info("stopping")
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	return s.http.Shutdown(ctx)
}

// listenForProfiles opens the port of profiles. They show what is in memory, so the address must be one of this machine.
func listenForProfiles(address string) (net.Listener, error) {
	if address == "" {
		return nil, nil //nolint:nilnil // no profiles, and no error
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().IsLoopback() {
		return nil, serve.OptionError{Err: fmt.Errorf(
			"--pprof: expected a loopback address and a port such as 127.0.0.1:6060, found %q", address)}
	}
	listener, err := net.Listen("tcp", address) //nolint:noctx // listening does not block
	if err != nil {
		return nil, fmt.Errorf("--pprof: %w", err)
	}
	return listener, nil
}

func closeProfiles(listener net.Listener) error {
	if listener == nil {
		return nil
	}
	return listener.Close()
}

func profilesHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// checkListen returns an error unless a text is an address and a port.
func checkListen(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("--listen: expected an address and a port such as 127.0.0.1:8080, found %q", address)
	}
	return nil
}

// healthCommand asks a server on this machine whether it is ready, for containers without a shell.
type healthCommand struct {
	Listen string `default:"127.0.0.1:8080" env:"BESTPICK_LISTEN" help:"Address and port on which the server listens."`
	Prefix string `env:"BESTPICK_PREFIX" help:"Path under which it serves." placeholder:"PATH"`
	TLS    string `name:"tls-cert" env:"BESTPICK_TLS_CERT" help:"Certificate file of a server with TLS, which is not verified." placeholder:"FILE"`
}

// Run fails unless /readyz replies with 200 within five seconds.
func (c *healthCommand) Run(command.Streams) error {
	if err := checkListen(c.Listen); err != nil {
		return command.Invalid(err)
	}
	host, port, _ := net.SplitHostPort(c.Listen)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	scheme, transport := "http", &http.Transport{}
	if c.TLS != "" { // the certificate is for the public name of the server
		scheme, transport.TLSClientConfig = "https", &tls.Config{InsecureSkipVerify: true} //nolint:gosec // on this machine
	}
	address := scheme + "://" + net.JoinHostPort(host, port) + c.Prefix + "/readyz"
	local := http.Client{Timeout: headerTimeout / 2, Transport: transport}
	reply, err := local.Get(address) //nolint:noctx // the client has a timeout
	if err != nil {
		return err
	}
	_ = reply.Body.Close() // the status is all that is needed
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("%s replied %s, expected 200", address, reply.Status)
	}
	return nil
}
