package main

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL
	_ "modernc.org/sqlite"             // the driver of SQLite

	"bestpick/crowd"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/store"
	"bestpick/internal/study"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/wiring"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

const (
	studyID  = "study"
	each     = 20              // answers of a respondent
	interval = 3 * time.Second // between two answers, on the simulated clock
)

// storageCommand measures how many bytes of a database one answer takes. It runs a study in this process, with simulated
// respondents and a simulated clock.
type storageCommand struct {
	Database string `help:"The database, with nothing else in it: a file, or postgres://…. Defaults to a temporary file."`
	Postgres bool   `help:"Use a PostgreSQL server that is started for the measurement."`
	Answers  int    `default:"5000" help:"Number of answers."`
	Every    int    `default:"5" help:"Number of answers that each plan counts."`
	Arms     int    `default:"20" help:"Number of arms."`
	Shown    int    `default:"3" help:"Number of arms in a question."`
	Linear   bool   `help:"Assume linear utilities, without hands. Defaults to majority."`
}

// Run measures a study, and prints bytes per answer by table and index.
func (c *storageCommand) Run(ctx context.Context, out io.Writer) (err error) {
	if c.Postgres {
		return withPostgres(ctx, func(database string) error {
			c.Database, c.Postgres = database, false
			return c.Run(ctx, out)
		})
	}
	if c.Database == "" {
		folder, err := os.MkdirTemp("", "bestpick-storage-")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
		c.Database = filepath.Join(folder, "studies.db")
	}
	m, err := c.measure(ctx)
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d answers in %d plans\n\n%-32s %16s\n", m.answers, m.plans, "", "bytes per answer")
	for _, s := range m.sizes {
		fmt.Fprintf(&text, "%-32s %16.1f\n", s.name, float64(s.bytes)/float64(m.answers))
	}
	fmt.Fprintf(&text, "%-32s %16.1f\n", "total", m.perAnswer())
	_, err = io.WriteString(out, text.String())
	return err
}

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
func (c *storageCommand) measure(ctx context.Context) (m measurement, err error) {
	store, err := store.Open(ctx, c.Database)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	r := runner{storageCommand: c, store: store, now: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)}
	if err := r.begin(ctx); err != nil {
		return m, err
	}
	before, err := r.sizesAfter(ctx, c.Answers/5)
	if err != nil {
		return m, err
	}
	first, plans := r.answers, r.plans
	after, err := r.sizesAfter(ctx, c.Answers)
	return measurement{r.answers - first, r.plans - plans, grown(before, after)}, err
}

// A runner runs a study on a simulated clock.
type runner struct {
	*storageCommand

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
	r.now = r.now.Add(interval)
	r.answers++
	return r.service.Dispatch.Answer(ctx, ticket, r.people.Pick(lease.Shown, 1))
}

// create creates an open study of arms with four random features.
func (r *runner) create(ctx context.Context) (*archive.Catalogue, error) {
	rng := rand.New(rand.NewPCG(1, 1))
	var text bytes.Buffer
	text.WriteString("id,a,b,c,d\n")
	for i := range r.Arms {
		fmt.Fprintf(&text, "arm-%d,%.4f,%.4f,%.4f,%.4f\n", i, rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(),
			rng.NormFloat64())
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
	if !r.Linear {
		settings.Strategy.Assume, settings.PerRespondent = strategy.Majority, each
	}
	return &encoded.Catalogue, r.store.Create(ctx, study.Study{
		ID: studyID, Name: studyID, Settings: settings.WithDefaults(), Arms: encoded.Arms.Len(), State: study.Open, Version: 1,
		Created: r.now, Changed: r.now,
	}, saved.Bytes())
}

// A size is that of a table, or of an index.
type size struct {
	name  string
	bytes int64
}

// The sizes of all tables and indexes by name. Those of a partition count for the partitioned one, and a table of
// PostgreSQL includes its oversized values. Free space that later rows can use does not count.
const (
	sqliteSizes   = `SELECT name, sum(pgsize) FROM dbstat GROUP BY name`
	postgresSizes = `
		SELECT coalesce((SELECT relname FROM pg_class WHERE oid = inhparent), relname), sum(pg_table_size(pg_class.oid))::bigint
		FROM pg_class LEFT JOIN pg_inherits ON inhrelid = pg_class.oid
		WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace GROUP BY 1`
)

// sizes returns the sizes of all tables and indexes of a database. It removes free space from the files of a PostgreSQL
// database before.
func sizes(ctx context.Context, place string) (all map[string]int64, err error) {
	driver, query := "sqlite", sqliteSizes
	if store.IsPostgres(place) {
		driver, query = "pgx", postgresSizes
	}
	db, err := sql.Open(driver, place)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if driver == "pgx" {
		if _, err := db.ExecContext(ctx, `VACUUM FULL`); err != nil {
			return nil, err
		}
	}
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	all = map[string]int64{}
	for rows.Next() {
		var s size
		if err := rows.Scan(&s.name, &s.bytes); err != nil {
			return nil, err
		}
		all[s.name] = s.bytes
	}
	return all, rows.Err()
}

// grown returns by how much tables and indexes have grown, largest first.
func grown(before, after map[string]int64) (grown []size) {
	for name, bytes := range after {
		if more := bytes - before[name]; more != 0 {
			grown = append(grown, size{name, more})
		}
	}
	slices.SortFunc(grown, func(a, b size) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.name, b.name))
	})
	return grown
}
