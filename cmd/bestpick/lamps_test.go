package main

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/store"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/wiring"
	"bestpick/strategy/racing"
)

// lamps is the script command "lamps DATABASE STATE": it makes a database with a study in a state.
func lamps(ts *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) != 2 {
		ts.Fatalf("usage: lamps database state")
	}
	ts.Check(keepLamps(context.Background(), ts.MkAbs(arguments[0]), study.State(arguments[1])))
}

// keepLamps makes a database with the study lamps, which has five answers and ends in a state.
func keepLamps(ctx context.Context, path string, state study.State) (err error) {
	store, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	arms, err := archive.Open("../../examples/lamps.csv", catalogue.Options{}, 0)
	if err != nil {
		return err
	}
	var saved bytes.Buffer
	if err := archive.Save(&saved, &arms.Catalogue); err != nil {
		return err
	}
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	settings := study.Settings{Strategy: racing.Settings{K: 3}, Grace: -1}
	st := study.Study{
		ID: "lamps", Name: "Lamps", Settings: settings.WithDefaults(), State: study.Open, Version: 1, Created: now,
		Changed: now,
	}
	if err := store.Create(ctx, st, saved.Bytes()); err != nil {
		return err
	}
	service, err := wiring.New(ctx, store, wiring.Options{Name: "test", Clock: func() time.Time { return now }})
	if err != nil {
		return err
	}
	if err := answerFive(ctx, service); err != nil || state == study.Open {
		return err
	}
	_, err = service.Owner.SetState(ctx, st.ID, owner.Any, state)
	return err
}

func answerFive(ctx context.Context, service *wiring.Service) error {
	planner := service.Planning.Planner("lamps")
	for range 5 {
		if _, err := planner.Step(ctx); err != nil {
			return err
		}
		lease, err := service.Dispatch.Ask(ctx, "lamps", "anna", "")
		if err != nil {
			return err
		}
		if err := service.Dispatch.Answer(ctx, lease.Ticket, []int{1}); err != nil {
			return err
		}
	}
	return planner.Resign(ctx)
}
