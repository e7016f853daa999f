package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"bestpick/client"
	"bestpick/wire"
)

// A restart is how a server starts again on a database with answers.
type restart struct {
	Database float64 `json:"database_mb"`
	Question float64 `json:"first_question_seconds"` // since the start of the process
	Plan     float64 `json:"first_plan_seconds"`     // the same, until a plan counts a new answer
	Memory   float64 `json:"memory_mb"`              // after that plan
}

// restarted measures a server that starts again on a database, until it has shown a question of a study, and counted the
// answer.
func (c *command) restarted(ctx context.Context, path, token, study string) (r *restart, err error) {
	size, err := databaseSize(ctx, path)
	if err != nil {
		return nil, err
	}
	r = &restart{Database: size / 1e6}
	began := time.Now()
	url, stop, err := serve(ctx, c.Program, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	owner := &client.Client{URL: url, Token: token}
	question, err := owner.Ask(ctx, study, wire.Ask{Respondent: "after-the-restart"})
	if err != nil {
		return nil, err
	}
	r.Question = time.Since(began).Seconds()
	before, err := owner.Verdict(ctx, study)
	if err != nil {
		return nil, err
	}
	if err := owner.Answer(ctx, study, question.Token, question.Arms[0].ID); err != nil {
		return nil, err
	}
	for {
		verdict, err := owner.Verdict(ctx, study)
		if err != nil {
			return nil, err
		}
		if verdict.Answers > before.Answers {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	r.Plan = time.Since(began).Seconds()
	usage, err := usageOf(ctx, owner)
	r.Memory = usage.Memory / 1e6
	return r, err
}

// databaseSize returns the size of a database in bytes.
func databaseSize(ctx context.Context, database string) (bytes float64, err error) {
	if !strings.HasPrefix(database, "postgres") {
		for _, name := range []string{database, database + "-wal"} {
			file, err := os.Stat(name)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return 0, err
			}
			if err == nil {
				bytes += float64(file.Size())
			}
		}
		return bytes, nil
	}
	return numberOf(ctx, database, "SELECT pg_database_size(current_database())")
}
