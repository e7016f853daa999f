package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"bestpick/crowd"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/database"
	"bestpick/internal/study"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/wiring"
	"bestpick/strategy/racing"
)

const (
	studyID = "study"
	each    = 20              // answers of a respondent
	pause   = 3 * time.Second // between two answers, on the simulated clock

	compactEvery = 20 // answers, in about a minute
)

// A measurement has the growth of a database by a study.
type measurement struct {
	answers, plans int
	sizes          []size
}

// perAnswer returns the bytes of all tables and indexes per answer.
func (m measurement) perAnswer() float64 {
	total := 0.0
	for _, s := range m.sizes {
		total += float64(s.bytes)
	}
	return total / float64(m.answers)
}

// measure runs a study and returns the growth of the database.
func (c *command) measure(ctx context.Context) (m measurement, err error) {
	store, err := database.Open(ctx, c.Database)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	before, err := sizes(ctx, c.Database)
	if err != nil {
		return m, err
	}
	r := runner{command: c, store: store, now: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)}
	if err := r.run(ctx); err != nil {
		return m, err
	}
	if err := r.compact(ctx); err != nil {
		return m, err
	}
	last, err := store.Last(ctx, studyID)
	if err != nil {
		return m, err
	}
	after, err := sizes(ctx, c.Database)
	return measurement{c.Answers, last.Number, growth(before, after)}, err
}

// A runner runs a study on a simulated clock.
type runner struct {
	*command

	store database.Store
	now   time.Time
}

// run answers the questions of a new study, and plans after every few answers. No arm is better than the others, so
// that the study ends when its budget is spent.
func (r *runner) run(ctx context.Context) error {
	arms, err := r.create(ctx)
	if err != nil {
		return err
	}
	service, err := wiring.New(ctx, r.store, wiring.Options{Clock: func() time.Time { return r.now }})
	if err != nil {
		return err
	}
	planner := service.Planning.Planner(studyID)
	people := crowd.NewMNL(arms.Arms, make([]float64, arms.Arms.Dim()), rand.New(rand.NewPCG(1, 2)))
	name := ""
	for i := range r.Answers {
		if i%r.Every == 0 {
			if activity, err := planner.Step(ctx); err != nil || activity == planning.Over {
				return fmt.Errorf("the study ended after %d answers: %w", i, err)
			}
		}
		if i%each == 0 {
			name = study.NewName()
		}
		lease, err := service.Dispatch.Ask(ctx, studyID, name, "")
		if err != nil {
			return err
		}
		ticket, err := service.Dispatch.OpenTicket(ctx, studyID, lease.Token)
		if err != nil {
			return err
		}
		r.now = r.now.Add(pause)
		if err := service.Dispatch.Answer(ctx, ticket, people.Pick(lease.Shown, 1)); err != nil {
			return err
		}
		if i%compactEvery == 0 {
			if err := r.compact(ctx); err != nil {
				return err
			}
		}
	}
	if activity, err := planner.Step(ctx); err != nil || activity != planning.Over {
		return fmt.Errorf("the study goes on after %d answers: %w", r.Answers, err)
	}
	return nil
}

// create creates an open study of arms with four random features.
func (r *runner) create(ctx context.Context) (*archive.Catalogue, error) {
	rng := rand.New(rand.NewPCG(1, 1))
	var text bytes.Buffer
	text.WriteString("id,a,b,c,d\n")
	for i := range r.Arms {
		fmt.Fprintf(&text, "arm-%d,%.4f,%.4f,%.4f,%.4f\n", i, rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64())
	}
	table, err := read.Table(&text, "arms.csv", catalogue.Options{})
	if err != nil {
		return nil, err
	}
	encoded, err := archive.Encode(table, 0)
	if err != nil {
		return nil, err
	}
	var saved bytes.Buffer
	if err := archive.Save(&saved, &encoded.Catalogue); err != nil {
		return nil, err
	}
	settings := study.Settings{Strategy: racing.Settings{K: r.Shown, Seed: 1}, Budget: r.Answers, Lease: time.Hour, Grace: -1}
	return &encoded.Catalogue, r.store.Create(ctx, study.Study{
		ID: studyID, Name: studyID, Settings: settings.WithDefaults(), Arms: encoded.Arms.Len(), State: study.Open, Version: 1, Created: r.now, Changed: r.now,
	}, saved.Bytes())
}

// compact makes the study smaller, as a server does every minute, and vacuums a PostgreSQL database, as autovacuum does.
func (r *runner) compact(ctx context.Context) error {
	bulky, err := r.store.Bulky(ctx, time.Now().Add(time.Hour))
	for _, id := range bulky {
		err = errors.Join(err, r.store.Compact(ctx, id))
	}
	if err != nil || len(bulky) == 0 {
		return err
	}
	_, err = sizes(ctx, r.Database)
	return err
}
