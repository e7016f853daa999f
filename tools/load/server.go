package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/client"
	"bestpick/internal/access"
	"bestpick/internal/store"
	"bestpick/internal/study"
)

// own measures how fast the store is without a server, then starts a server on it and loads that.
func (c *command) own(ctx context.Context) (r report, err error) {
	path := c.Database
	if path == "" {
		folder, err := os.MkdirTemp("", "bestpick-load-")
		if err != nil {
			return r, err
		}
		defer func() { _ = os.RemoveAll(folder) }() // leftovers in the temporary folder are harmless
		path = filepath.Join(folder, "load.db")
	}
	store, err := store.Open(ctx, path)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	secret, token := access.New("load "+time.Now().Format(time.RFC3339Nano), access.Owner, time.Now())
	if err := store.AddToken(ctx, token); err != nil {
		return r, err
	}
	defer func() {
		_ = store.RemoveToken(context.WithoutCancel(ctx), token.Name) // the last owner token stays, but its secret is lost
	}()
	if r.Raw, err = rawRate(ctx, store, c.Clients); err != nil {
		return r, err
	}
	url, stop, err := serve(ctx, c.Program, path)
	if err != nil {
		return r, err
	}
	owner := &client.Client{URL: url, Token: secret}
	studies, err := c.create(ctx, owner)
	if err == nil {
		r.Report = c.answer(ctx, owner, studies)
		r.Ratio = r.Rate / r.Raw
	}
	if err = errors.Join(err, stop()); err == nil && c.Restart {
		r.Restart, err = c.restarted(ctx, path, secret, studies[0])
	}
	for _, id := range studies {
		err = errors.Join(err, store.Delete(context.WithoutCancel(ctx), id))
	}
	return r, err
}

// serve starts bestpick serve on a database, and returns its URL.
func serve(ctx context.Context, program, database string) (url string, stop func() error, err error) {
	arguments := []string{"serve", "--listen", "127.0.0.1:0", "--database", database}
	command := exec.CommandContext(context.WithoutCancel(ctx), program, arguments...) //nolint:gosec // the caller names the program
	command.Env = append(os.Environ(), "BESTPICK_SECRET="+strings.Repeat("load", 8))
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	stop = func() error {
		if err := errors.Join(command.Process.Signal(os.Interrupt), command.Wait()); err != nil {
			return fmt.Errorf("the server: %w\n%s", err, stderr.String())
		}
		return nil
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	url, _, greeted := strings.Cut(strings.TrimPrefix(line, "Listening on "), " ")
	if err != nil || !greeted {
		return "", nil, errors.Join(fmt.Errorf("%s serve did not start", program), stop())
	}
	return url, stop, nil
}

// usageOf reads the memory and CPU time of a server from its metrics.
func usageOf(ctx context.Context, owner *client.Client) (usage Usage, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, owner.URL+"/metrics", nil)
	if err != nil {
		return usage, err
	}
	request.Header.Set("Authorization", "Bearer "+owner.Token)
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return usage, err
	}
	defer func() { _ = reply.Body.Close() }() // only read
	wanted := map[string]*float64{"process_resident_memory_bytes": &usage.Memory, "process_cpu_seconds_total": &usage.Processor}
	lines := bufio.NewScanner(reply.Body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if to := wanted[name]; to != nil {
			if *to, err = strconv.ParseFloat(value, 64); err != nil {
				return usage, err
			}
			delete(wanted, name)
		}
	}
	if err := lines.Err(); err != nil {
		return usage, err
	}
	if len(wanted) > 0 {
		return usage, fmt.Errorf("%s: /metrics has no memory or CPU time", reply.Status)
	}
	return usage, nil
}

// numberOf returns the number that a query selects from a PostgreSQL database.
func numberOf(ctx context.Context, database, query string) (number float64, err error) {
	connection, err := pgx.Connect(ctx, database)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, connection.Close(ctx)) }()
	err = connection.QueryRow(ctx, query).Scan(&number)
	return number, err
}

// rawRate records answers directly into a store from several goroutines, and returns how many it takes
// per second.
func rawRate(ctx context.Context, store study.Store, goroutines int) (float64, error) {
	const seconds = 3
	const id = "load"
	now := time.Now()
	raw := study.Study{
		ID: id, Name: id, Settings: study.Settings{}.WithDefaults(), State: study.Open, Version: 1, Created: now,
		Changed: now,
	}
	if err := store.Create(ctx, raw, nil); err != nil {
		return 0, err
	}
	var position, failed atomic.Int64
	var recording sync.WaitGroup
	for range goroutines {
		recording.Go(func() {
			for time.Since(now) < seconds*time.Second && ctx.Err() == nil {
				o := study.Outcome{
					Position: study.Position(position.Add(1)), Kind: study.Answered, Shown: []int{11, 52, 73, 4}, Picks: []int{1},
					Respondent: "load-12-345", Plan: 17, Asked: now, At: time.Now(),
				}
				if refused, err := store.Record(ctx, id, study.Terms{}, o); err != nil || refused[0] != nil {
					failed.Add(1)
				}
			}
		})
	}
	recording.Wait()
	rate := float64(position.Load()-failed.Load()) / time.Since(now).Seconds()
	return rate, store.Delete(ctx, id)
}
