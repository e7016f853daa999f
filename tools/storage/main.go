// Command storage measures how many bytes of a database one answer takes. It runs a study in this process, with
// simulated respondents and a simulated clock, on a database with nothing else in it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
)

// command is the command line.
type command struct {
	Database string `help:"The database, with nothing else in it: a file, or postgres://…. Defaults to a temporary file."`
	Answers  int    `default:"5000" help:"Number of answers."`
	Every    int    `default:"5" help:"Number of answers that each plan counts."`
	Arms     int    `default:"20" help:"Number of arms."`
	Shown    int    `default:"3" help:"Number of arms in a question."`
}

func main() {
	log.SetFlags(0)
	var c command
	kong.Parse(&c, kong.Name("storage"), kong.Description("Measures how many bytes of a database one answer takes."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.run(ctx, os.Stdout); err != nil {
		log.Fatal(err) //nolint:gocritic // the signal handler ends with the process
	}
}

// run measures a study, and prints bytes per answer by table and index.
func (c *command) run(ctx context.Context, out io.Writer) (err error) {
	if c.Database == "" {
		folder, err := os.MkdirTemp("", "bestpick-storage-")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
		c.Database = filepath.Join(folder, "studies.db")
	}
	m, err := c.measure(ctx)
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d answers in %d plans\n\n%-32s %16s\n", m.answers, m.plans, "", "bytes per answer")
	for _, s := range m.sizes {
		fmt.Fprintf(&text, "%-32s %16.1f\n", s.name, float64(s.bytes)/float64(m.answers))
	}
	fmt.Fprintf(&text, "%-32s %16.1f\n", "total", m.perAnswer())
	_, err = io.WriteString(out, text.String())
	return err
}
