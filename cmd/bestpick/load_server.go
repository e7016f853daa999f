package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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

// memoryOf returns how many bytes a server has, as its metrics say.
func memoryOf(ctx context.Context, owner *client.Client) (float64, error) {
	const name = "process_resident_memory_bytes "
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, owner.URL+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+owner.Token)
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = reply.Body.Close() }() // it was read
	for lines := bufio.NewScanner(reply.Body); lines.Scan(); {
		if text, is := strings.CutPrefix(lines.Text(), name); is {
			_, _ = io.Copy(io.Discard, reply.Body) // so that the connection can be used again
			return strconv.ParseFloat(text, 64)
		}
	}
	return 0, fmt.Errorf("%s: it does not say how much memory it has", reply.Status)
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
				if refused, err := store.Record(ctx, id, o); err != nil || refused[0] != nil {
					failed.Add(1)
				}
			}
		})
	}
	recording.Wait()
	rate := float64(position.Load()-failed.Load()) / time.Since(now).Seconds()
	return rate, store.Delete(ctx, id)
}
