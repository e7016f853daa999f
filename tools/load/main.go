// Command load measures how many answers a server takes per second, and how fast; it starts bestpick serve itself, or
// loads a running server. load storage measures how many bytes of a database one answer takes.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"bestpick/client"
	"bestpick/internal/study"
	"bestpick/internal/testpostgres"
	"bestpick/wire"
)

// commands are the commands of the tool.
type commands struct {
	Answers command        `cmd:"" default:"withargs" help:"Measure how many answers a server takes per second, and how fast."`
	Storage storageCommand `cmd:"" help:"Measure how many bytes of a database one answer takes."`
}

// command loads a server.
type command struct {
	URL      string        `arg:"" optional:"" help:"A running server, such as http://127.0.0.1:8080. Defaults to one that is started for the measurement."`
	Program  string        `default:"bestpick" help:"The bestpick binary to start a server with."`
	Token    string        `env:"BESTPICK_TOKEN" help:"An owner's token of the server at URL, to create a study with."`
	Study    string        `help:"The id of an open study at URL. Defaults to studies that are created, and deleted afterwards."`
	Studies  int           `default:"1" help:"Number of studies to create. Each respondent answers one of them, in turn."`
	Database string        `help:"The database of the server that is started: a file, or postgres://…, with nothing else in it. Defaults to a temporary file."`
	Postgres bool          `help:"Start the server on a PostgreSQL server that is started for the measurement."`
	Clients  int           `default:"64" help:"Number of concurrent clients."`
	For      time.Duration `default:"20s" help:"Duration of the measurement."`
	Answers  int           `help:"Stop after this many answers, if that is earlier."`
	Think    time.Duration `help:"Mean think time of a client. Clients start over that interval, or over one second."`
	Arms     int           `default:"100" help:"Number of arms of the study."`
	Linear   bool          `help:"Assume linear utilities, and ask respondents 20 questions. Defaults to majority: respondents are dealt hands of 10."`
	Restart  bool          `help:"Afterwards measure the size of the database, and how soon a restarted server shows a question and makes a plan. Not with URL."`
	JSON     bool          `name:"json" help:"Print one JSON document."`
}

// A report is the result of a measurement.
type report struct {
	Report

	Raw     float64  `json:"raw_answers_per_second,omitempty"` // group-committed inserts into the same store, nothing else
	Ratio   float64  `json:"ratio,omitempty"`
	Restart *restart `json:"restart,omitempty"`
}

func main() {
	log.SetFlags(0)
	var c commands
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	chosen := kong.Parse(&c, kong.Name("load"), kong.BindTo(ctx, (*context.Context)(nil)), kong.BindTo(os.Stdout, (*io.Writer)(nil)))
	if err := chosen.Run(); err != nil {
		log.Fatal(err) //nolint:gocritic // the signal handler ends with the process
	}
}

// withPostgres calls f with an empty database on a PostgreSQL server that runs meanwhile.
func withPostgres(ctx context.Context, f func(database string) error) (err error) {
	server := testpostgres.New() //nolint:contextcheck // the server runs until it is stopped
	defer func() { err = errors.Join(err, server.Stop()) }()
	database, err := server.Create(ctx)
	if err != nil {
		return err
	}
	return f(database)
}

// Run loads a server and prints the report.
func (c *command) Run(ctx context.Context, out io.Writer) error {
	if c.Postgres {
		return withPostgres(ctx, func(database string) error {
			c.Database, c.Postgres = database, false
			return c.Run(ctx, out)
		})
	}
	r, err := c.measure(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	}
	return r.print(out)
}

// measure loads the server at the URL, or one that it starts.
func (c *command) measure(ctx context.Context) (r report, err error) {
	switch {
	case c.URL == "" && c.Study != "":
		return r, errors.New("--study needs the URL of its server")
	case c.URL != "" && c.Restart:
		return r, errors.New("--restart needs a server that it starts, but a URL is given")
	case c.URL == "":
		return c.own(ctx)
	case c.Token == "":
		return r, errors.New("--token is required with a URL: an owner's token, to create a study and to read metrics")
	}
	owner := &client.Client{URL: c.URL, Token: c.Token}
	if c.Study != "" {
		r.Report = c.answer(ctx, owner, []string{c.Study})
		return r, nil
	}
	studies, err := c.create(ctx, owner)
	if err == nil {
		r.Report = c.answer(ctx, owner, studies)
	}
	for _, study := range studies {
		err = errors.Join(err, owner.Delete(context.WithoutCancel(ctx), study))
	}
	return r, err
}

// create creates and opens studies.
func (c *command) create(ctx context.Context, owner *client.Client) (studies []string, err error) {
	settings := wire.Settings{K: 3, Grace: -1, Assume: wire.AssumeMajority, Delta: 1e-9}
	if c.Linear {
		settings = wire.Settings{K: 4, Grace: -1, Assume: wire.AssumeLinear, Fallback: new(0.0), Verify: new(0.0)}
	}
	settings.People = new(0)
	for range c.Studies {
		created, err := owner.Create(ctx, client.NewStudy{
			Name: "load", Settings: settings,
			Catalogue: client.File{Name: "arms.csv", Contents: strings.NewReader(randomArms(c.Arms))},
		})
		if err != nil {
			return studies, err
		}
		studies = append(studies, created.Study.ID)
		if _, err := owner.Open(ctx, created.Study.ID); err != nil {
			return studies, err
		}
	}
	return studies, nil
}

// answer loads studies for the duration given.
func (c *command) answer(ctx context.Context, owner *client.Client, studies []string) Report {
	limited, cancel := context.WithTimeout(ctx, c.For)
	defer cancel()
	answered := study.UsualHand
	if c.Linear {
		answered = each
	}
	return Run(limited, Options{
		Studies: studies, Clients: c.Clients, Think: c.Think, Answers: c.Answers, Each: answered,
		Every: c.For / 20,
		Server: func() *client.Client {
			return &client.Client{URL: owner.URL, HTTP: &http.Client{Transport: &Connection{}}}
		},
		Usage: func(ctx context.Context) (usage Usage, err error) {
			if usage, err = usageOf(ctx, owner); err == nil && strings.HasPrefix(c.Database, "postgres") {
				usage.Transactions, err = numberOf(ctx, c.Database,
					"SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()")
			}
			return usage, err
		},
	})
}

// randomArms returns a CSV file of n arms with eight features.
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
