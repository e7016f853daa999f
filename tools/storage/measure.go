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
	"bestpick/internal/store"
	"bestpick/internal/study"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/wiring"
	"bestpick/strategy/racing"
)

const (
	studyID = "study"
	each    = 20              // answers of a respondent
	pause   = 3 * time.Second // between two answers, on the simulated clock
)

// A measurement has the growth of a database while a study got answers.
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

// measure runs a study, and returns the growth of the database after the first answers: what a study takes whatever its
// number of answers does not count.
func (c *command) measure(ctx context.Context) (m measurement, err error) {
	store, err := store.Open(ctx, c.Database)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	r := runner{command: c, store: store, now: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)}
	if err := r.begin(ctx); err != nil {
		return m, err
	}
	before, err := r.sizesAfter(ctx, c.Answers/5)
	if err != nil {
		return m, err
	}
	first, plans := r.answers, r.plans
	after, err := r.sizesAfter(ctx, c.Answers)
	return measurement{r.answers - first, r.plans - plans, growth(before, after)}, err
}

// A runner runs a study on a simulated clock.
type runner struct {
	*command

	store   store.Store
	now     time.Time
	service *wiring.Service
	planner *planning.Planner
	people  *crowd.RandomUtility
	name    string // of the respondent

	answers, plans int
}

// begin creates a study. No arm is better than the others, so that it goes on.
func (r *runner) begin(ctx context.Context) error {
	arms, err := r.create(ctx)
	if err != nil {
		return err
	}
	r.service, err = wiring.New(ctx, r.store, wiring.Options{Clock: func() time.Time { return r.now }})
	if err != nil {
		return err
	}
	r.planner = r.service.Planning.Planner(studyID)
	r.people = crowd.NewMNL(arms.Arms, make([]float64, arms.Arms.Dim()), rand.New(rand.NewPCG(1, 2)))
	return nil
}

// sizesAfter answers questions up to a number of answers, and returns the sizes then.
func (r *runner) sizesAfter(ctx context.Context, answers int) (map[string]int64, error) {
	for r.answers < answers {
		if err := r.answer(ctx); err != nil {
			return nil, err
		}
	}
	return sizes(ctx, r.Database)
}

// answer answers a question, and plans after every few answers.
func (r *runner) answer(ctx context.Context) error {
	if r.answers%r.Every == 0 {
		if activity, err := r.planner.Step(ctx); err != nil || activity == planning.Over {
			return fmt.Errorf("the study ended after %d answers: %w", r.answers, err)
		}
		r.plans++
	}
	if r.answers%each == 0 {
		r.name = study.NewName()
	}
	lease, err := r.service.Dispatch.Ask(ctx, studyID, r.name, "")
	if err != nil {
		return err
	}
	ticket, err := r.service.Dispatch.OpenTicket(ctx, studyID, lease.Token)
	if err != nil {
		return err
	}
	r.now = r.now.Add(pause)
	r.answers++
	return r.service.Dispatch.Answer(ctx, ticket, r.people.Pick(lease.Shown, 1))
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
	settings := study.Settings{Strategy: racing.Settings{K: r.Shown, Seed: 1}, Lease: time.Hour, Grace: -1}
	return &encoded.Catalogue, r.store.Create(ctx, study.Study{
		ID: studyID, Name: studyID, Settings: settings.WithDefaults(), Arms: encoded.Arms.Len(), State: study.Open, Version: 1, Created: r.now, Changed: r.now,
	}, saved.Bytes())
}
