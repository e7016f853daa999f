package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"bestpick/choice"
	"bestpick/client"
	"bestpick/cmd/bestpick/command"
	"bestpick/crowd"
	"bestpick/examples"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/study"
	"bestpick/internal/terminal"
	"bestpick/internal/watch"
	"bestpick/wire"
)

const (
	demoPeople   = 8                       // who arrive in the first minutes; more are a sign of fraud
	demoEach     = 10                      // questions for one of them
	demoRead     = 1200 * time.Millisecond // minimum to answer one
	demoThink    = 600 * time.Millisecond  // mean beyond
	demoInterval = 2 * time.Second         // minimum between two lines
)

// A demo is a study of lamps that a simulated crowd answers over HTTP.
type demo struct {
	client *client.Client
	study  wire.Study
	arms   *choice.Catalogue
	theta  []float64
}

// runDemo creates the study with an owner's token, answers it, and prints its progress, until the study is done or the
// context ends.
func runDemo(ctx context.Context, owner *client.Client, out io.Writer) {
	d := &demo{client: owner}
	if err := d.begin(ctx); err != nil {
		_, _ = fmt.Fprintf(out, "the demonstration failed: %v\n", err) // there is no other stream
		return
	}
	_, _ = fmt.Fprintf(out, "\nSimulated people choose among %d lamps. See it at\n\n  %s/studies/%s\n\n"+
		"and sign in with the token %s\n\n",
		d.study.Arms, owner.URL, d.study.ID, owner.Token)
	ctx, cancel := context.WithCancel(ctx)
	var answering sync.WaitGroup
	answering.Go(func() { d.arrive(ctx, &answering) })
	d.watch(ctx, out)
	cancel()
	answering.Wait()
}

// arrive lets people arrive, each minute two fifths of those before, and at least demoPeople.
func (d *demo) arrive(ctx context.Context, answering *sync.WaitGroup) {
	for person := 0; ctx.Err() == nil; {
		end := time.Now().Truncate(time.Minute).Add(time.Minute)
		for left := max(demoPeople, person*2/5); left > 0; left-- {
			answering.Go(func() { d.answer(ctx, person) })
			person++
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Until(end) / time.Duration(left)):
			}
		}
	}
}

// A network is the address that a person's requests come from, by the header of a proxy: [serveCommand.Run] trusts it.
type network string

// RoundTrip sends a request.
func (n network) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", string(n))
	return http.DefaultTransport.RoundTrip(r)
}

// taste returns the utilities of the crowd, which likes bright, cheap lamps of brass and glass that can be
// dimmed.
func taste() map[string]float64 {
	return map[string]float64{
		"price": -0.0135,
		"lumen": 0.0018, "dimmable": 0.45,
		"colour=brass": 0.54, "colour=black": -0.09, "colour=white": -0.45,
		"material=glass": 0.63, "material=steel": 0, "material=paper": -0.63,
	}
}

// begin creates and opens the study.
func (d *demo) begin(ctx context.Context) error {
	lamps := bytes.NewReader(examples.Lamps())
	encoded, err := archive.OpenUpload(read.Upload{Name: "lamps.csv", Contents: lamps, Size: lamps.Size()}, catalogue.Options{}, 0)
	if err != nil {
		return err
	}
	d.arms = encoded.Arms
	if d.theta, err = encoded.Encoding.Theta(taste()); err != nil {
		return err
	}
	created, err := d.client.Create(ctx, client.NewStudy{
		Name: "Lamps", Prompt: "Which of these lamps would you buy?",
		Settings:  wire.Settings{K: 3, Each: demoEach, Grace: 1, People: new(0)},
		Catalogue: client.File{Name: "lamps.csv", Contents: lamps},
	})
	if err != nil {
		return err
	}
	d.study, err = d.client.Open(ctx, created.Study.ID)
	return err
}

// answer simulates a respondent: ask, think, pick; sometimes skip, sometimes leave.
func (d *demo) answer(ctx context.Context, person int) {
	rng := rand.New(rand.NewPCG(uint64(person), 1))
	respondent := crowd.NewMNL(d.arms, d.theta, rng)
	from := *d.client
	from.HTTP = &http.Client{Transport: network(fmt.Sprintf("2001:db8:0:%x::1", person))}
	for ctx.Err() == nil {
		wait := demoRead + time.Duration(rng.ExpFloat64()*float64(demoThink))
		question, err := from.Ask(ctx, d.study.ID, wire.Ask{Respondent: fmt.Sprintf("person %d", person)})
		if client.Is(err, wire.StudyDone) || client.Is(err, wire.Enough) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if err != nil {
			continue // retry, as a person would
		}
		shown := make([]int, len(question.Arms))
		for slot, arm := range question.Arms {
			shown[slot], _ = d.arms.Index(arm.ID)
		}
		var picks []string
		for _, slot := range respondent.Pick(shown, question.Picks) {
			picks = append(picks, question.Arms[slot].ID)
		}
		switch luck := rng.Float64(); {
		case luck < 0.01:
			return // leaves
		case luck < 0.03:
			_ = from.Skip(ctx, d.study.ID, question.Token) // as with the answer below
		default:
			_ = from.Answer(ctx, d.study.ID, question.Token, picks...) // the study goes on without it
		}
	}
}

// watch prints a line every few seconds until the study is done.
func (d *demo) watch(ctx context.Context, out io.Writer) {
	var last time.Time
	for verdict, err := range d.client.Events(ctx, d.study.ID) {
		over := verdict.State == string(study.Done)
		if err == nil && verdict.Leader != nil && (over || time.Since(last) > demoInterval) {
			last = time.Now()
			_, _ = fmt.Fprintln(out, watch.Line(verdict)) // as in runDemo
		}
		if err != nil || over {
			return
		}
	}
}

// watchCommand shows a study live.
type watchCommand struct {
	command.JSONFlag `embed:""`

	URL   string `arg:"" help:"Address of a study, as on the pages or in the API: http://127.0.0.1:8080/studies/ID."`
	Token string `env:"BESTPICK_TOKEN" help:"Token of an owner or a viewer." placeholder:"TOKEN"`
}

// Help is the long help of the command.
func (c *watchCommand) Help() string {
	return `On a terminal it draws the current verdict; otherwise it prints a line for each. With --json each line is a JSON document,
the verdict of the HTTP API.`
}

// Run shows the verdict until the study is done, or until Ctrl-C.
func (c *watchCommand) Run(s command.Streams) error {
	server, id, err := studyAddress(c.URL)
	if err != nil {
		return command.Invalid(err)
	}
	if c.Token == "" {
		return command.Invalid(errors.New("--token is required: the token of an owner or a viewer"))
	}
	ctx, stop := command.Context()
	defer stop()
	w := watch.Watcher{Client: &client.Client{URL: server, Token: c.Token}, Study: id, JSON: c.JSON, Out: s.Out, Err: s.Err}
	err = w.Run(ctx)
	if err == nil && ctx.Err() != nil {
		return command.Interrupted(errors.New("interrupted before the study is done"))
	}
	return err
}

// studyAddress splits the address of a study into the server's address and the study's id.
func studyAddress(address string) (server, id string, err error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return "", "", fmt.Errorf("%s is not an address such as http://127.0.0.1:8080/studies/ID", terminal.Visible(address))
	}
	for _, before := range []string{"/api/v1/studies/", "/studies/", "/s/"} {
		if prefix, rest, found := strings.Cut(parsed.Path, before); found && rest != "" {
			id, _, _ = strings.Cut(rest, "/")
			return parsed.Scheme + "://" + parsed.Host + prefix, id, nil
		}
	}
	return "", "", fmt.Errorf("%s names no study: its address ends in /studies/ID", terminal.Visible(address))
}
