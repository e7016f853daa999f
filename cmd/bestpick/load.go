package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bestpick/access"
	"bestpick/api/wire"
	"bestpick/client"
	"bestpick/load"
	"bestpick/study"
)

// loadCommand measures what a server can take.
type loadCommand struct {
	URL      string        `arg:"" optional:"" help:"Your own server, such as http://127.0.0.1:8080. Default: one is started here for the measurement."`
	Token    string        `env:"BESTPICK_TOKEN" help:"Of an owner, to create a study with which to load the server at URL."`
	Database string        `help:"For the server started here: a file, or postgres://…. Default a file that is thrown away."`
	Clients  int           `default:"64" help:"How many ask and answer at a time."`
	For      time.Duration `default:"20s" help:"For how long."`
	Answers  int           `help:"End after so many answers, if that is earlier."`
	Think    time.Duration `help:"How long a client thinks on average. Default not at all."`
	Arms     int           `default:"100" help:"Of the study."`
	JSON     bool          `name:"json" help:"Print one JSON document."`
}

// loadReport is what was measured.
type loadReport struct {
	load.Report

	Raw   float64 `json:"raw_answers_per_second,omitempty"` // group-committed inserts into the same store, nothing else
	Ratio float64 `json:"ratio,omitempty"`
}

// Run loads a server and prints how it did.
func (c *loadCommand) Run(s streams) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	report := loadReport{}
	var err error
	if c.URL != "" {
		if c.Token == "" {
			return inputError{errors.New("--token is needed: the token of an owner, who creates a study for the measurement")}
		}
		report.Report, err = c.load(ctx, c.URL, c.Token)
	} else {
		report, err = c.own(ctx)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(s.out, report)
	}
	return c.print(s.out, report)
}

// own starts a server here, loads it, and measures how fast its store is by itself.
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
	server, err := newServer(ctx, serverOptions{listen: "127.0.0.1:0", database: database, log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return report, err
	}
	secret, token := access.New("load "+time.Now().Format(time.RFC3339Nano), access.Owner, time.Now())
	if err := server.store.AddToken(ctx, token); err != nil {
		return report, server.abandon(err)
	}
	if report.Raw, err = rawRate(ctx, server.store, c.Clients); err != nil {
		return report, server.abandon(err)
	}
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- server.serve(serving) }()
	report.Report, err = c.load(ctx, server.url(), secret)
	stop()
	if report.Raw > 0 {
		report.Ratio = report.Rate / report.Raw
	}
	return report, errors.Join(err, <-ended)
}

// load creates a study and has it answered.
func (c *loadCommand) load(ctx context.Context, url, token string) (load.Report, error) {
	transport := &http.Transport{MaxIdleConns: c.Clients, MaxIdleConnsPerHost: c.Clients}
	owner := &client.Client{URL: url, Token: token, HTTP: &http.Client{Transport: transport}}
	created, err := owner.Create(ctx, client.NewStudy{
		Name: "load", Settings: wire.Settings{K: 4, Grace: -1}, Catalogue: client.File{Name: "arms.csv", Contents: strings.NewReader(randomArms(c.Arms))},
	})
	if err != nil {
		return load.Report{}, err
	}
	if _, err := owner.Open(ctx, created.Study.ID); err != nil {
		return load.Report{}, err
	}
	limited, cancel := context.WithTimeout(ctx, c.For)
	defer cancel()
	respondents := &client.Client{URL: url, HTTP: owner.HTTP}
	report := load.Run(limited, load.Options{Server: respondents, Study: created.Study.ID, Clients: c.Clients, Think: c.Think, Answers: c.Answers})
	return report, owner.Delete(context.WithoutCancel(ctx), created.Study.ID)
}

// randomArms is a file of arms with eight features.
func randomArms(n int) string {
	const features = 8
	rng := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	text.WriteString("id")
	for k := range features {
		fmt.Fprintf(&text, ",x%c", 'a'+k)
	}
	for arm := range n {
		fmt.Fprintf(&text, "\narm %d", arm)
		for range features {
			fmt.Fprintf(&text, ",%.4f", rng.NormFloat64())
		}
	}
	return text.String()
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

func (c *loadCommand) print(out io.Writer, r loadReport) error {
	var text strings.Builder
	fmt.Fprintf(&text, "clients  %d\nanswers  %d acknowledged in %.1f s: %.0f a second\n", r.Clients, r.Answers, r.Seconds, r.Rate)
	if r.Raw > 0 {
		fmt.Fprintf(&text, "raw      %.0f a second, group-committed into the same store and nothing else; ratio %.2f\n", r.Raw, r.Ratio)
	}
	fmt.Fprintf(&text, "errors   %d (%.3f %% of requests)\n", r.Errors, 100*r.Share)
	for _, kind := range slices.Sorted(maps.Keys(r.Kinds)) {
		fmt.Fprintf(&text, "         %d %s\n", r.Kinds[kind], kind)
	}
	text.WriteString("\nms           p50     p90     p99     max\n")
	for _, row := range []struct {
		name string
		took load.Latency
	}{{"ask", r.Ask}, {"answer", r.Answer}} {
		fmt.Fprintf(&text, "%-8s %7.1f %7.1f %7.1f %7.1f\n", row.name, row.took.P50, row.took.P90, row.took.P99, row.took.Max)
	}
	_, err := io.WriteString(out, text.String())
	return err
}
