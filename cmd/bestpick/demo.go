package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"bestpick/choice"
	"bestpick/client"
	"bestpick/crowd"
	"bestpick/examples"
	"bestpick/internal/access"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/study"
	"bestpick/wire"
)

const (
	demoPeople = 25
	demoThinks = 1500 * time.Millisecond // on average
	demoTells  = 2 * time.Second         // between two lines
)

// A demo is a study that a simulated crowd answers over HTTP.
type demo struct {
	client *client.Client
	study  wire.Study
	arms   *choice.Catalogue
	theta  []float64
}

// newDemo creates a token for the demonstration.
func newDemo(ctx context.Context, s *server) (*demo, error) {
	secret, token := access.New(time.Now().Format("demonstration 15:04:05.000"), access.Owner, time.Now())
	if err := s.store.AddToken(ctx, token); err != nil {
		return nil, err
	}
	return &demo{client: &client.Client{URL: s.url(), Token: secret}}, nil
}

// run creates the study, answers it, and prints its progress.
func (d *demo) run(ctx context.Context, out io.Writer) {
	if err := d.begin(ctx); err != nil {
		_, _ = fmt.Fprintf(out, "the demonstration failed: %v\n", err) // there is no other stream
		return
	}
	_, _ = fmt.Fprintf(out, "\n%d simulated people choose among %d lamps. See it at\n\n  %s/studies/%s\n\nand sign in with the token %s\n\n",
		demoPeople, d.study.Arms, d.client.URL, d.study.ID, d.client.Token)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var people sync.WaitGroup
	for person := range demoPeople {
		people.Go(func() { d.answer(ctx, person) })
	}
	d.watch(ctx, out)
	cancel()
	people.Wait()
}

// demoTaste are the utilities of the crowd, which likes bright, cheap lamps of brass and glass that can be
// dimmed.
func demoTaste() map[string]float64 {
	return map[string]float64{
		"price": -0.009, //nolint:goconst // a column of lamps.csv
		"lumen": 0.0012, "dimmable": 0.3,
		"colour=brass": 0.36, "colour=black": -0.06, "colour=white": -0.3,
		"material=glass": 0.42, "material=steel": 0, "material=paper": -0.42,
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
	if d.theta, err = encoded.Encoding.Theta(demoTaste()); err != nil {
		return err
	}
	created, err := d.client.Create(ctx, client.NewStudy{
		Name: "Lamps", Prompt: "Which of these lamps would you buy?", Settings: wire.Settings{K: 3, Grace: 1},
		Catalogue: client.File{Name: "lamps.csv", Contents: lamps},
	})
	if err != nil {
		return err
	}
	d.study, err = d.client.Open(ctx, created.Study.ID)
	return err
}

// answer simulates one respondent: ask, think, pick; sometimes skip, sometimes leave.
func (d *demo) answer(ctx context.Context, person int) {
	rng := rand.New(rand.NewPCG(uint64(person), 1))
	taste := crowd.NewMNL(d.arms, d.theta, rng)
	for ctx.Err() == nil {
		wait := time.Duration(rng.ExpFloat64() * float64(demoThinks))
		question, err := d.client.Ask(ctx, d.study.ID, wire.Ask{Respondent: fmt.Sprintf("person %d", person)})
		if client.Is(err, wire.StudyDone) {
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
		pick := question.Arms[taste.Pick(shown, 1)[0]].ID
		switch luck := rng.Float64(); {
		case luck < 0.02: // leaves
		case luck < 0.04:
			_ = d.client.Skip(ctx, d.study.ID, question.Token) // as with the answer below
		default:
			_ = d.client.Answer(ctx, d.study.ID, question.Token, pick) // the study goes on without it
		}
	}
}

// watch prints a line every few seconds until the study is done.
func (d *demo) watch(ctx context.Context, out io.Writer) {
	var last time.Time
	for verdict, err := range d.client.Events(ctx, d.study.ID) {
		over := verdict.State == string(study.Done)
		if err == nil && verdict.Leader != nil && (over || time.Since(last) > demoTells) {
			last = time.Now()
			_, _ = fmt.Fprintf(out, "%5d answers  evidence %4.1f of %.1f  %s\n", verdict.Answers, verdict.Evidence, verdict.Threshold, sentence(verdict)) // as in run
		}
		if err != nil || over {
			return
		}
	}
}
