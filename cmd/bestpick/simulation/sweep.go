package simulation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/sweep"
	"bestpick/internal/terminal"
	"bestpick/simulate"
)

// A sweepHeader identifies the runs of a command: the flags on which they depend, which are those with JSON, and the files
// that these name.
type sweepHeader struct {
	Version string            `json:"bestpick"`
	Command *Command          `json:"simulate"`
	Files   map[string]string `json:"files,omitempty"` // SHA-256 by name
}

// sweepHeader returns the header of the saved runs.
func (c *Command) sweepHeader() (sweepHeader, error) {
	contents, err := c.contents()
	if err != nil {
		return sweepHeader{}, err
	}
	files := map[string]string{}
	for name, content := range contents {
		sum := sha256.Sum256(content)
		files[name] = hex.EncodeToString(sum[:])
	}
	return sweepHeader{command.Release, c, files}, nil
}

// execute executes the runs and returns them in the order of their numbers. With --out it executes the missing ones of
// the shard, saves each when it ends, and returns the saved runs of all shards.
func (c *Command) execute(ctx context.Context, experiment simulate.Experiment, errOut io.Writer) ([]simulate.Run, error) {
	switch {
	case c.Out == "" && !c.Shard.IsWhole():
		return nil, command.Invalid(errors.New("--shard needs --out"))
	case c.Out == "":
		return c.some(ctx, experiment, c.numbers(nil), errOut)
	}
	header, err := c.sweepHeader()
	if err != nil {
		return nil, err
	}
	folder, err := sweep.Open(c.Out, header, c.Shard,
		func(r savedRun) bool { return r.Number >= 0 && r.Number < c.Runs && r.Questions > 0 })
	if err != nil {
		return nil, command.Invalid(err)
	}
	defer folder.Close()
	known := map[int]bool{}
	for _, saved := range folder.Runs() {
		known[saved.Number] = true
		experiment.Done(saved.run())
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := experiment.Done
	experiment.Done = func(run simulate.Run) {
		if err := folder.Save(newSavedRun(run)); err != nil {
			cancel(err)
		}
		done(run)
	}
	if _, err := c.some(ctx, experiment, c.numbers(known), errOut); err != nil {
		return nil, err
	}
	if failure := context.Cause(ctx); !errors.Is(failure, ctx.Err()) {
		return nil, failure
	}
	return merged(folder.Runs()), nil
}

// numbers returns the numbers of the shard's runs that are not known.
func (c *Command) numbers(known map[int]bool) []int {
	var numbers []int
	for number := range c.Runs {
		if c.Shard.Has(number) && !known[number] {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// some executes the runs with some numbers, here or in a queue.
func (c *Command) some(ctx context.Context, experiment simulate.Experiment, numbers []int,
	errOut io.Writer,
) ([]simulate.Run, error) {
	if c.Queue == "" {
		return experiment.Some(ctx, numbers)
	}
	return c.queued(ctx, experiment, numbers, errOut)
}

// merged returns saved runs in the order of their numbers. A run that two shards executed is the same.
func merged(saved []savedRun) []simulate.Run {
	var runs []simulate.Run
	for _, s := range saved {
		runs = append(runs, s.run())
	}
	byNumber := func(a, b simulate.Run) int { return cmp.Compare(a.Number, b.Number) }
	slices.SortStableFunc(runs, byNumber)
	return slices.CompactFunc(runs, func(a, b simulate.Run) bool { return a.Number == b.Number })
}

// endShard reports how many runs are saved, as an error if the shard was interrupted.
func (c *Command) endShard(ctx context.Context, runs int, w io.Writer) error {
	if ctx.Err() != nil {
		return command.Interrupted(fmt.Errorf("interrupted; %s are saved in %s, and the same command continues",
			terminal.Count(runs, "run"), c.Out))
	}
	return writeShard(c.JSONFlag, w, runs, c.Out)
}

// shardReport is the JSON document of a command with --shard.
type shardReport struct {
	Runs int    `json:"runs"` // saved ones
	Out  string `json:"out"`
}

// writeShard reports how many runs of a sweep are saved.
func writeShard(f command.JSONFlag, w io.Writer, runs int, out string) error {
	return f.Write(w, shardReport{runs, out}, fmt.Sprintf(
		"%s are saved in %s; the same command without --shard merges all shards\n", terminal.Count(runs, "run"), out))
}
