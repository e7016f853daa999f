package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"strings"

	"bestpick/client"
	"bestpick/internal/terminal"
	"bestpick/internal/watch"
)

// watchCommand shows a study live.
type watchCommand struct {
	jsonFlag `embed:""`

	URL   string `arg:"" help:"Address of a study, as on the pages or in the API: http://127.0.0.1:8080/studies/ID."`
	Token string `env:"BESTPICK_TOKEN" help:"Token of an owner or a viewer." placeholder:"TOKEN"`
}

// Help is the long help of the command.
func (c *watchCommand) Help() string {
	return `On a terminal it draws the current verdict; otherwise it prints a line for each. With --json each line is a JSON document,
the verdict of the HTTP API.`
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
	w := watch.Watcher{Client: &client.Client{URL: server, Token: c.Token}, Study: id, JSON: c.JSON, Out: s.out, Err: s.err}
	err = w.Run(ctx)
	if err == nil && ctx.Err() != nil {
		return interruption{errors.New("interrupted before the study is done")}
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
