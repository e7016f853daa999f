package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"bestpick/access"
	"bestpick/api"
	"bestpick/store/postgres"
	"bestpick/store/sqlite"
	"bestpick/study"
)

// How long the server waits.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	stopTimeout   = 30 * time.Second // for requests that are under way when it is told to stop
	patience      = 3 * time.Second  // of a respondent, when the deck is empty
)

// A keeper is where studies and tokens are kept.
type keeper interface {
	study.Store
	access.Tokens
}

// openStore opens the database with a name: an address of PostgreSQL, or else a file.
func openStore(ctx context.Context, database string) (keeper, error) {
	if strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://") {
		return postgres.Open(ctx, database)
	}
	return sqlite.Open(database) //nolint:contextcheck // a file is opened at once or not at all
}

// A server is one process that serves studies.
type server struct {
	store    keeper
	studies  *study.Service
	http     *http.Server
	listener net.Listener
	log      *slog.Logger
	closing  context.CancelFunc // ends what would not end by itself
}

// newServer opens the port and the database. It serves nothing yet.
func newServer(ctx context.Context, listen, database string, log *slog.Logger) (*server, error) {
	listener, err := net.Listen("tcp", listen) //nolint:noctx // it is opened at once or not at all
	if err != nil {
		return nil, inputError{err}
	}
	store, err := openStore(ctx, database)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	closing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &server{store: store, listener: listener, log: log, closing: cancel}
	if err := s.prepare(ctx, closing); err != nil {
		return nil, s.abandon(err)
	}
	return s, nil
}

func (s *server) prepare(ctx, closing context.Context) error {
	var err error
	s.studies, err = study.NewService(ctx, s.store, study.Options{
		Patience: patience,
		Report: func(id string, err error) {
			s.log.Error("planning failed; it is tried again", "study", id, "error", err)
		},
	})
	if err != nil {
		return err
	}
	handler := api.Handler(s.studies, api.Options{Version: versionNumber, Tokens: s.store, Log: s.log, Closing: closing.Done()})
	s.http = &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	return nil
}

// abandon closes what is open because of an error.
func (s *server) abandon(err error) error {
	s.closing()
	return errors.Join(err, s.listener.Close(), s.store.Close())
}

// url is where the server can be reached.
func (s *server) url() string {
	address, ok := s.listener.Addr().(*net.TCPAddr)
	if !ok || !address.IP.IsUnspecified() {
		return "http://" + s.listener.Addr().String()
	}
	return fmt.Sprintf("http://localhost:%d", address.Port)
}

// firstToken makes a token if there is none at all yet.
func (s *server) firstToken(ctx context.Context) (secret string, first bool, err error) {
	secret, token := access.New("first owner", access.Owner, time.Now())
	err = s.store.AddFirstToken(ctx, token)
	if errors.Is(err, access.ErrTaken) {
		return "", false, nil
	}
	return secret, err == nil, err
}

// serve serves until the context ends. Then it takes no more requests, finishes those that are under
// way, lets other processes plan, and closes the database: no request is cut off, no answer lost.
func (s *server) serve(ctx context.Context) error {
	planning, stopPlanning := context.WithCancel(context.WithoutCancel(ctx))
	var background sync.WaitGroup
	background.Go(func() { s.studies.Run(planning) })
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		s.log.Info("stopping")
		s.closing()
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		stopped <- s.http.Shutdown(ending)
	})
	s.log.Info("serving", "address", s.listener.Addr().String())
	err := s.http.Serve(s.listener)
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	if !stop() {
		err = errors.Join(err, <-stopped)
	}
	stopPlanning()
	background.Wait()
	return errors.Join(err, s.store.Close())
}
