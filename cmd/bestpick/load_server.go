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

	"bestpick/access"
	"bestpick/client"
	"bestpick/load"
	"bestpick/study"
)

// own starts a server here, as a process of its own, loads it, and measures how fast its store is by
// itself.
func (c *loadCommand) own(ctx context.Context) (report loadReport, err error) {
	database := c.Database
	if database == "" {
		folder, err := os.MkdirTemp("", "bestpick-load-")
		if err != nil {
			return report, err
		}
		defer func() { _ = os.RemoveAll(folder) }() // a leftover in the temporary folder does no harm
		database = filepath.Join(folder, "load.db")
	}
	store, err := openStore(ctx, database)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	secret, token := access.New("load "+time.Now().Format(time.RFC3339Nano), access.Owner, time.Now())
	if err := store.AddToken(ctx, token); err != nil {
		return report, err
	}
	defer func() {
		_ = store.RemoveToken(context.WithoutCancel(ctx), token.Name) // it stays if there is no other: the secret is forgotten
	}()
	if report.Raw, err = rawRate(ctx, store, c.Clients); err != nil {
		return report, err
	}
	url, stop, err := serveApart(ctx, database)
	if err != nil {
		return report, err
	}
	report.Report, err = c.load(ctx, url, secret)
	if report.Raw > 0 {
		report.Ratio = report.Rate / report.Raw
	}
	return report, errors.Join(err, stop())
}

// serveApart starts a server on a database, as a process of its own, and returns where it is.
func serveApart(ctx context.Context, database string) (url string, stop func() error, err error) {
	program, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	command := exec.CommandContext(context.WithoutCancel(ctx), program, "serve", "--listen", "127.0.0.1:0", "--database", database) //nolint:gosec // it is this program
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	stop = func() error {
		if err := errors.Join(command.Process.Signal(os.Interrupt), command.Wait()); err != nil {
			return fmt.Errorf("the server: %w\n%s", err, said.String())
		}
		return nil
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	url, _, greeted := strings.Cut(strings.TrimPrefix(line, "bestpick is at "), ";")
	if err != nil || !greeted {
		return "", nil, errors.Join(errors.New("the server did not start"), stop())
	}
	return url, stop, nil
}

// insideOf returns what a server has taken of its machine, as its metrics say.
func insideOf(ctx context.Context, owner *client.Client) (inside load.Inside, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, owner.URL+"/metrics", nil)
	if err != nil {
		return inside, err
	}
	request.Header.Set("Authorization", "Bearer "+owner.Token)
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return inside, err
	}
	defer func() { _ = reply.Body.Close() }() // it was read
	wanted := map[string]*float64{"process_resident_memory_bytes": &inside.Memory, "process_cpu_seconds_total": &inside.Processor}
	lines := bufio.NewScanner(reply.Body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if to := wanted[name]; to != nil {
			if *to, err = strconv.ParseFloat(value, 64); err != nil {
				return inside, err
			}
			delete(wanted, name)
		}
	}
	if err := lines.Err(); err != nil {
		return inside, err
	}
	if len(wanted) > 0 {
		return inside, fmt.Errorf("%s: it does not say what it takes of its machine", reply.Status)
	}
	return inside, nil
}

// rawRate records answers straight into a store from so many goroutines, and returns how many a second
// it takes.
func rawRate(ctx context.Context, store study.Store, goroutines int) (float64, error) {
	const seconds = 3
	const id = "load"
	now := time.Now()
	raw := study.Study{ID: id, Name: id, Settings: study.Settings{}.WithDefaults(), State: study.Draft, Version: 1, Created: now, Changed: now}
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
				if refused, err := store.Record(ctx, id, study.NoLimit, o); err != nil || refused[0] != nil {
					failed.Add(1)
				}
			}
		})
	}
	recording.Wait()
	rate := float64(position.Load()-failed.Load()) / time.Since(now).Seconds()
	return rate, store.Delete(ctx, id)
}
