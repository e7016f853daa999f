package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"

	"bestpick/client"
	"bestpick/internal/study"
	"bestpick/wire"
)

// watchCommand shows a study live.
type watchCommand struct {
	URL   string `arg:"" help:"Address of a study, as on the pages or in the API: http://127.0.0.1:8080/studies/ID."`
	Token string `env:"BESTPICK_TOKEN" help:"Token of an owner or a viewer."`
}

// Run shows the verdict until the study is done, or until Ctrl-C.
func (c *watchCommand) Run(s streams) error {
	server, id, err := studyAddress(c.URL)
	if err != nil {
		return inputError{err}
	}
	if c.Token == "" {
		return inputError{errors.New("--token is required: the token of an owner or a viewer")}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	w := watcher{client: &client.Client{URL: server, Token: c.Token}, id: id, out: s.out}
	if file, ok := s.out.(*os.File); ok && isTerminal(s.out) {
		w.terminal = file
	}
	return w.watch(ctx)
}

// studyAddress splits the address of a study into the server's address and the study's id.
func studyAddress(address string) (server, id string, err error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return "", "", fmt.Errorf("%s is not an address such as http://127.0.0.1:8080/studies/ID", visible(address))
	}
	for _, before := range []string{"/api/v1/studies/", "/studies/", "/s/"} {
		if prefix, rest, found := strings.Cut(parsed.Path, before); found && rest != "" {
			id, _, _ = strings.Cut(rest, "/")
			return parsed.Scheme + "://" + parsed.Host + prefix, id, nil
		}
	}
	return "", "", fmt.Errorf("%s names no study: its address ends in /studies/ID", visible(address))
}

// A watcher shows one study.
type watcher struct {
	client   *client.Client
	id       string
	out      io.Writer
	terminal *os.File // nil where there is none
}

// watch shows verdicts as they change, and reconnects when the connection is lost.
func (w *watcher) watch(ctx context.Context) error {
	for wait := time.Second; ctx.Err() == nil; wait = min(2*wait, time.Minute) {
		done, err := w.events(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the user pressed Ctrl-C
		}
		if _, told := errors.AsType[*client.Error](err); told || done {
			return err
		}
		if _, err := fmt.Fprintln(w.out, "The server does not reply; trying again."); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	return nil
}

// events shows verdicts until the study is done, the context ends, or the connection is lost.
func (w *watcher) events(ctx context.Context) (done bool, err error) {
	found, err := w.client.Study(ctx, w.id)
	if err != nil {
		return false, err
	}
	for verdict, err := range w.client.Events(ctx, w.id) {
		if err == nil {
			err = w.show(found.Name, verdict)
		}
		if err != nil || verdict.State == string(study.Done) {
			return err == nil, err
		}
	}
	return false, nil
}

// show redraws the verdict, or prints a line without a terminal.
func (w *watcher) show(name string, v wire.Verdict) error {
	if w.terminal == nil {
		_, err := fmt.Fprintf(w.out, "%6d answers  %s\n", v.Answers, sentence(v))
		return err
	}
	width, height, err := term.GetSize(int(w.terminal.Fd()))
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(w.out, fromTop, watchPage(name, v, width, height))
	return err
}

// watchPage draws a verdict for a terminal of a given size.
func watchPage(name string, v wire.Verdict, width, height int) string {
	paragraph := lipgloss.NewStyle().Width(width)
	parts := []string{
		paragraph.Bold(true).Render(visible(name)),
		paragraph.Faint(true).Render(fmt.Sprintf("%s, %s", v.State, answersSaid(v.Answers))),
		"",
		paragraph.Render(sentence(v)),
	}
	if v.Model.Sentence != "" {
		parts = append(parts, paragraph.Render(v.Model.Sentence))
	}
	parts = append(parts, "")
	for _, c := range v.Contenders {
		parts = append(parts, bar(c.Evidence/v.Threshold, "against "+armName(c.Arm)))
	}
	if v.Others > 0 {
		parts = append(parts, fmt.Sprintf("  and %d more", v.Others))
	}
	lines := strings.Split(strings.Join(parts, "\n"), "\n")
	return strings.Join(lines[:min(len(lines), max(height-1, 1))], "\n") + "\n"
}
