package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"bestpick/api/wire"
	"bestpick/client"
	"bestpick/load"
)

// loadCommand measures what a server can take.
type loadCommand struct {
	URL      string        `arg:"" optional:"" help:"Your own server, such as http://127.0.0.1:8080. Default: one is started here for the measurement."`
	Token    string        `env:"BESTPICK_TOKEN" help:"Of an owner, to create a study with which to load the server at URL."`
	Study    string        `help:"Of the server at URL: the id of one that is open, to load that. Default: one is created, and deleted afterwards."`
	Database string        `help:"For the server started here: a file, or postgres://…, that has nothing else in it. Default a file that is thrown away."`
	Clients  int           `default:"64" help:"How many ask and answer at a time."`
	For      time.Duration `default:"20s" help:"For how long."`
	Answers  int           `help:"End after so many answers, if that is earlier."`
	Think    time.Duration `help:"How long a client thinks on average, and how long it takes until all have come. Default not at all; all come within a second."`
	People   int           `help:"How many respondents there are, who come again and again to answer 20 questions. Default: those who come are always new."`
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
	switch {
	case c.URL == "" && c.Study != "":
		return inputError{errors.New("--study needs the server that it is on: bestpick load URL --study …")}
	case c.URL == "":
		report, err = c.own(ctx)
	case c.Token == "":
		return inputError{errors.New("--token is needed: the token of an owner, who creates a study for the measurement and sees how much memory there is")}
	default:
		report.Report, err = c.load(ctx, c.URL, c.Token)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(s.out, report)
	}
	return c.print(s.out, report)
}

// load has a study answered: the one given, or one that is created and deleted.
func (c *loadCommand) load(ctx context.Context, url, token string) (load.Report, error) {
	owner := &client.Client{URL: url, Token: token}
	if c.Study != "" {
		return c.answer(ctx, owner, c.Study), nil
	}
	created, err := owner.Create(ctx, client.NewStudy{
		Name: "load", Settings: wire.Settings{K: 4, Grace: -1}, Catalogue: client.File{Name: "arms.csv", Contents: strings.NewReader(randomArms(c.Arms))},
	})
	if err != nil {
		return load.Report{}, err
	}
	if _, err := owner.Open(ctx, created.Study.ID); err != nil {
		return load.Report{}, err
	}
	report := c.answer(ctx, owner, created.Study.ID)
	return report, owner.Delete(context.WithoutCancel(ctx), created.Study.ID)
}

// answer has a study answered for as long as it was said.
func (c *loadCommand) answer(ctx context.Context, owner *client.Client, study string) load.Report {
	limited, cancel := context.WithTimeout(ctx, c.For)
	defer cancel()
	return load.Run(limited, load.Options{
		Study: study, Clients: c.Clients, People: c.People, Think: c.Think, Answers: c.Answers,
		Server: func() *client.Client {
			return &client.Client{URL: owner.URL, HTTP: &http.Client{Transport: &load.Connection{}}}
		},
		Inside: func(ctx context.Context) (load.Inside, error) { return insideOf(ctx, owner) },
	})
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
	rows := []struct {
		name string
		took load.Latency
	}{{"ask", r.Ask}, {"answer", r.Answer}}
	for _, row := range rows {
		fmt.Fprintf(&text, "%-8s %7.1f %7.1f %7.1f %7.1f\n", row.name, row.took.P50, row.took.P90, row.took.P99, row.took.Max)
	}
	text.WriteString("\n% within")
	for _, within := range r.Ask.Within {
		fmt.Fprintf(&text, " %4.0f ms", within.Milliseconds)
	}
	for _, row := range rows {
		fmt.Fprintf(&text, "\n%-8s", row.name)
		for _, within := range row.took.Within {
			fmt.Fprintf(&text, " %7.2f", 100*within.Share)
		}
	}
	text.WriteString("\n")
	if m := r.Memory; m != nil {
		fmt.Fprintf(&text, "\nmemory   %.0f MB before, %.0f in the second tenth of the time, %.0f in the last, %.0f at most\n", m.Before, m.Early, m.Late, m.Most)
	}
	if r.Processor > 0 {
		fmt.Fprintf(&text, "\nwork     %.2f ms of a processor an answer, planning and storing included, clients not\n", r.Processor)
	}
	_, err := io.WriteString(out, text.String())
	return err
}
