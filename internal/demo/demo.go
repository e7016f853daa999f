// Package demo is the demonstration of bestpick serve: a study of lamps that a simulated crowd answers over HTTP.
package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"bestpick/choice"
	"bestpick/client"
	"bestpick/crowd"
	"bestpick/examples"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/study"
	"bestpick/internal/watch"
	"bestpick/wire"
)

const (
	people    = 25                      // at a time
	each      = 5                       // questions for one of them
	thinkTime = 1500 * time.Millisecond // mean
	interval  = 2 * time.Second         // minimum between two lines
)

// A demo is the study and its crowd.
type demo struct {
	client *client.Client
	study  wire.Study
	arms   *choice.Catalogue
	theta  []float64
}

// Run creates the study with an owner's token, answers it, and prints its progress, until the study is done or the
// context ends.
func Run(ctx context.Context, owner *client.Client, out io.Writer) {
	d := &demo{client: owner}
	if err := d.begin(ctx); err != nil {
		_, _ = fmt.Fprintf(out, "the demonstration failed: %v\n", err) // there is no other stream
		return
	}
	_, _ = fmt.Fprintf(out, "\n%d simulated people at a time choose among %d lamps. See it at\n\n  %s/studies/%s\n\nand sign in with the token %s\n\n",
		people, d.study.Arms, owner.URL, d.study.ID, owner.Token)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var answering sync.WaitGroup
	for person := range people {
		answering.Go(func() { d.answer(ctx, person) })
	}
	d.watch(ctx, out)
	cancel()
	answering.Wait()
}

// taste returns the utilities of the crowd, which likes bright, cheap lamps of brass and glass that can be
// dimmed.
func taste() map[string]float64 {
	return map[string]float64{
		"price": -0.009,
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
	if d.theta, err = encoded.Encoding.Theta(taste()); err != nil {
		return err
	}
	created, err := d.client.Create(ctx, client.NewStudy{
		Name: "Lamps", Prompt: "Which of these lamps would you buy?", Settings: wire.Settings{K: 3, Each: each, Grace: 1},
		Catalogue: client.File{Name: "lamps.csv", Contents: lamps},
	})
	if err != nil {
		return err
	}
	d.study, err = d.client.Open(ctx, created.Study.ID)
	return err
}

// answer simulates respondents, one after another: ask, think, pick; sometimes skip, sometimes leave.
func (d *demo) answer(ctx context.Context, person int) {
	rng := rand.New(rand.NewPCG(uint64(person), 1))
	respondent := crowd.NewMNL(d.arms, d.theta, rng)
	for ctx.Err() == nil {
		wait := time.Duration(rng.ExpFloat64() * float64(thinkTime))
		question, err := d.client.Ask(ctx, d.study.ID, wire.Ask{Respondent: fmt.Sprintf("person %d", person)})
		if client.Is(err, wire.StudyDone) {
			return
		}
		if client.Is(err, wire.Enough) {
			person += people
			continue
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
		pick := question.Arms[respondent.Pick(shown, 1)[0]].ID
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
		if err == nil && verdict.Leader != nil && (over || time.Since(last) > interval) {
			last = time.Now()
			_, _ = fmt.Fprintf(out, "%5d answers  %3.0f%% ruled out  %s\n", verdict.Answers, 100*verdict.Progress, strings.Join(append([]string{watch.Sentence(verdict)}, watch.Misfits(verdict)...), " ")) // as in Run
		}
		if err != nil || over {
			return
		}
	}
}
