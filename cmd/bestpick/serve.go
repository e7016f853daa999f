package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
)

// serveCommand runs studies for people.
type serveCommand struct {
	Listen   string `default:"127.0.0.1:8080" env:"BESTPICK_LISTEN" help:"Address and port. Only this machine is heard unless told otherwise; :8080 listens to all."`
	Database string `env:"BESTPICK_DATABASE" help:"Where studies are kept: a file for SQLite (default bestpick.db), or postgres://…"`
	Demo     bool   `help:"Start with a study that a simulated crowd answers, in a database that is thrown away unless one is named."`
	Log      string `enum:"text,json" default:"text" env:"BESTPICK_LOG" help:"How to log, on standard error: text or json."`
}

// Run serves until it is told to stop: by Ctrl-C, or politely by a signal.
func (c *serveCommand) Run(s streams) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	database := c.Database
	switch {
	case database == "" && c.Demo:
		folder, err := os.MkdirTemp("", "bestpick-demo-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(folder) }() // a leftover in the temporary folder does no harm
		database = filepath.Join(folder, "demo.db")
	case database == "":
		database = "bestpick.db"
	}
	var handler slog.Handler = slog.NewTextHandler(s.err, nil)
	if c.Log == "json" {
		handler = slog.NewJSONHandler(s.err, nil)
	}
	server, err := newServer(ctx, c.Listen, database, slog.New(handler))
	if err != nil {
		return err
	}
	if err := c.greet(ctx, s, server); err != nil {
		return server.abandon(err)
	}
	if c.Demo {
		demo, err := newDemo(ctx, server)
		if err != nil {
			return server.abandon(err)
		}
		ctx, end := context.WithCancel(ctx)
		var running sync.WaitGroup
		running.Go(func() { demo.run(ctx, s.out) })
		defer running.Wait()
		defer end()
	}
	return server.serve(ctx)
}

// greet says where the server is and, the first time, the token of its owner.
func (c *serveCommand) greet(ctx context.Context, s streams, server *server) error {
	token, first, err := server.firstToken(ctx)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.out, "bestpick is at %s; what it understands is described at %s/docs\n", server.url(), server.url()); err != nil {
		return err
	}
	if first {
		_, err = fmt.Fprintf(s.out, "owner token, shown this once: %s\n", token)
	}
	return err
}
