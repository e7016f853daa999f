// Package watch shows a live study in a terminal.
package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"bestpick/client"
	"bestpick/internal/terminal"
	"bestpick/wire"
)

// A Watcher shows the verdicts of one study: redrawn on a terminal, a line each, or a JSON document each.
type Watcher struct {
	Client *client.Client
	Study  string // id
	JSON   bool   // print each verdict as a line of JSON
	Out    io.Writer
	Err    io.Writer // notices about the connection

	drawing sync.Mutex
	last    func() error // draws the last verdict again; nil before the first
}

// Run shows verdicts as they change, until the study is done or the context ends. It fails if the server cannot be
// reached at first, and reconnects with backoff when the connection is lost later. On a terminal it draws the last
// verdict again if the window changes its size.
func (w *Watcher) Run(ctx context.Context) error {
	defer terminal.OnResize(w.redraw)()
	reached := false
	for wait := time.Second; ctx.Err() == nil; wait = min(2*wait, time.Minute) {
		done, err := w.events(ctx, &reached)
		if ctx.Err() != nil {
			return nil // the user pressed Ctrl-C
		}
		if _, refused := errors.AsType[*client.Error](err); refused || done || !reached {
			return err
		}
		if _, err := fmt.Fprintln(w.Err, "The server does not reply; trying again."); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	return nil
}

// events shows verdicts until the study is done, the context ends, or the connection is lost. It sets reached when the
// server has replied.
func (w *Watcher) events(ctx context.Context, reached *bool) (done bool, err error) {
	found, err := w.Client.Study(ctx, w.Study)
	if err != nil {
		return false, err
	}
	*reached = true
	for verdict, err := range w.Client.Events(ctx, w.Study) {
		if err == nil {
			err = w.show(found.Name, verdict)
		}
		if err != nil || verdict.State == wire.StateDone {
			return err == nil, err
		}
	}
	return false, nil
}

// show redraws the verdict, or prints a line without a terminal.
func (w *Watcher) show(name string, v wire.Verdict) error {
	if w.JSON {
		return json.NewEncoder(w.Out).Encode(v)
	}
	if file, ok := w.Out.(*os.File); ok && terminal.Is(file) {
		w.drawing.Lock()
		defer w.drawing.Unlock()
		w.last = func() error {
			return terminal.Draw(file, file, func(width int) string { return page(name, v, width) })
		}
		return w.last()
	}
	_, err := fmt.Fprintln(w.Out, Line(v))
	return err
}

// Line returns a verdict as one line of text.
func Line(v wire.Verdict) string {
	sentences := append([]string{terminal.Visible(v.Sentence)}, misfits(v)...)
	return fmt.Sprintf("%5d answers  %3.0f%% of the way  %s", v.Answers, 100*v.Progress, strings.Join(sentences, " "))
}

// redraw draws the last verdict again.
func (w *Watcher) redraw() {
	w.drawing.Lock()
	defer w.drawing.Unlock()
	if w.last != nil {
		_ = w.last() // the next verdict reports the error
	}
}

// page draws a verdict for a terminal of a given width.
func page(name string, v wire.Verdict, width int) string {
	parts := []string{
		terminal.Bold(terminal.Visible(name), width), terminal.Faint(v.State+", "+terminal.Count(v.Answers, "answer"), width), "",
	}
	for _, sentence := range append([]string{terminal.Visible(v.Sentence)}, misfits(v)...) {
		parts = append(parts, terminal.Wrap(sentence, width))
	}
	if v.Model.Sentence != "" {
		parts = append(parts, terminal.Wrap(v.Model.Sentence, width))
	}
	parts = append(parts, "")
	parts = append(parts, terminal.Bar(v.Progress, "of the way"))
	const most = 10 // bars
	shown := v.Contenders[:min(len(v.Contenders), most)]
	for _, c := range shown {
		parts = append(parts, terminal.Bar(c.Evidence/v.Threshold, "against "+terminal.Name(c.Arm.Label, c.Arm.ID)))
	}
	if more := v.Others + len(v.Contenders) - len(shown); more > 0 {
		parts = append(parts, fmt.Sprintf("  and %d more", more))
	}
	return strings.Join(parts, "\n")
}

// misfits returns a sentence about each option that the model does not explain.
func misfits(v wire.Verdict) (sentences []string) {
	for _, m := range v.Misfits {
		name := terminal.Name(m.Arm.Label, m.Arm.ID)
		sentences = append(sentences, fmt.Sprintf("%s was picked %.0f times, but the model predicts %.0f.", name, m.Picked, m.Expected))
	}
	return sentences
}
