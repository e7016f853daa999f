package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/statement"
	"bestpick/internal/store"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/replay"
	"bestpick/internal/terminal"
)

// verifyCommand recomputes a study's verdict from its exported log.
type verifyCommand struct {
	command.JSONFlag `embed:""`

	File      string  `arg:"" help:"Exported log of a study, JSON Lines; - reads standard input."`
	PublicKey *string `placeholder:"KEY|FILE" help:"Require a signature by this key of the server: 64 hexadecimal digits, or a file that has them."`
	Study     string  `placeholder:"ID" help:"Require the log of this study."`
	Database  string  `placeholder:"FILE" help:"Require that this SQLite file, such as an archived study, has exactly the log."`
	Quiet     bool    `help:"Show no progress."`
}

// verifyReport is the result as JSON.
type verifyReport struct {
	Study     string        `json:"study"`
	Name      string        `json:"name"`
	Agrees    bool          `json:"agrees"`
	Version   int           `json:"version"`
	Sentence  string        `json:"sentence"`
	Leader    *verifyLeader `json:"leader,omitempty"`
	Plans     int           `json:"plans"`
	Outcomes  int           `json:"outcomes"`
	Open      int           `json:"open"`
	PublicKey string        `json:"public_key,omitempty"`
	Trusted   bool          `json:"trusted"`
	Notes     []string      `json:"notes"`
	Verdict   study.Verdict `json:"verdict"`
}

// verifyLeader is the arm that the verdict names.
type verifyLeader struct {
	ID    string `json:"id"`
	Label string `json:"label,omitempty"`
}

// Run verifies the log and prints a report.
func (c *verifyCommand) Run(s command.Streams) error {
	name := c.File
	if c.File == "-" {
		name = command.StandardInput
	}
	verify := replay.Verify
	if c.PublicKey != nil {
		key, err := readPublicKey(*c.PublicKey)
		if err != nil {
			return command.Invalid(fmt.Errorf("--public-key: %w", err))
		}
		verify = func(source io.Reader) (replay.Report, error) { return replay.VerifySigned(source, key) }
	}
	file, err := command.OpenInput(c.File, name, s, c.Quiet)
	if err != nil {
		return command.Invalid(err)
	}
	defer file.Close()
	sum := sha256.New() // of all lines but the closing
	report, err := verify(io.TeeReader(file, replay.WithoutClosing(sum)))
	if err == nil && c.Study != "" && report.Study.ID != c.Study {
		err = fmt.Errorf("this is the log of study %s, not of %s", terminal.Quoted(report.Study.ID), terminal.Quoted(c.Study))
	}
	if err == nil && c.Database != "" {
		err = c.compare(report.Study.ID, sum.Sum(nil))
	}
	if err != nil {
		return command.Invalid(fmt.Errorf("%s: %w", name, err))
	}
	return c.Write(s.Out, asJSON(report), verifiedText(name, report))
}

// compare returns an error unless the log of a study in the database has the hash of the verified one. It exports from a
// copy, so that the file does not change.
func (c *verifyCommand) compare(id string, want []byte) error {
	folder, err := os.MkdirTemp("", "bestpick-verify-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // leftovers in the temporary folder are harmless
	ctx, stop := command.Context()
	defer stop()
	path := filepath.Join(folder, "copy.db")
	if _, err := sqlite.Backup(ctx, c.Database, path, false); err != nil {
		return err
	}
	sum := sha256.New()
	err = databaseFlag{path}.with(func(ctx context.Context, opened store.Store) error {
		return replay.Export(ctx, opened, id, replay.WithoutClosing(sum))
	})
	if errors.Is(err, study.ErrNotFound) {
		return fmt.Errorf("%s does not have the study", c.Database)
	}
	if err == nil && !bytes.Equal(sum.Sum(nil), want) {
		err = fmt.Errorf("%s differs from the log: it was changed, or has other answers", c.Database)
	}
	return err
}

// readPublicKey returns the key in a text, or in the file that the text names.
func readPublicKey(text string) (replay.PublicKey, error) {
	key, wrong := replay.ParsePublicKey(text)
	if wrong == nil {
		return key, nil
	}
	inFile, err := os.ReadFile(text)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w, and there is no file %q", wrong, text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, command.Cause(err))
	}
	if key, err = replay.ParsePublicKey(string(bytes.TrimSpace(inFile))); err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return key, nil
}

// asJSON returns the JSON document of a report.
func asJSON(r replay.Report) verifyReport {
	all := verifyReport{
		Study: r.Study.ID, Name: r.Study.Name, Agrees: true, Version: r.Version, Plans: r.Plans, Outcomes: r.Outcomes, Open: r.Open,
		Sentence:  sentence(r),
		PublicKey: r.Signer.String(), Trusted: r.Trusted, Notes: append([]string{}, r.Notes...), Verdict: r.Verdict,
	}
	if r.Verdict.HasLeader() {
		leader := r.Arms.Card(r.Verdict.Leader)
		all.Leader = &verifyLeader{leader.ID, leader.Label}
	}
	return all
}

// verifiedText returns a report for people.
func verifiedText(name string, r replay.Report) string {
	leader := "none yet"
	if r.Verdict.HasLeader() {
		card := r.Arms.Card(r.Verdict.Leader)
		if leader = card.ID; card.Label != "" {
			leader += fmt.Sprintf(" (%s)", card.Label)
		}
	}
	signature := "valid, by " + r.Signer.String()
	if r.Trusted {
		signature = "valid, by the given public key"
	}
	state := string(r.Study.State)
	if r.Study.Reason != "" {
		state += ", " + string(r.Study.Reason)
	}
	v := r.Verdict
	var text command.Text
	text.Printf("%s: the log leads to its verdict\n\n", name)
	text.Row("study", "%s (%s)", r.Study.Name, r.Study.ID)
	text.Row("state", "%s", state)
	text.Row("verdict", "%s, %d contenders besides the leader", v.Status, len(v.Contenders)+v.Others)
	text.Row("leader", "%s", leader)
	text.Row("assumes", "%s", v.Assumption)
	text.Row("means", "%s", sentence(r))
	text.Row("counted", "%d answers in %d plans", v.Answered, r.Plans)
	text.Row("outcomes", "%d, of which %d are not counted yet", r.Outcomes, r.Open)
	text.Row("signature", "%s", signature)
	text.Row("digest", "%s", v.Digest)
	for i, note := range r.Notes {
		if i == 0 {
			text.Printf("\n")
		}
		text.Printf("Note: %s\n", note)
	}
	return text.String()
}

// sentence returns the verdict in plain English, as the study's page has it.
func sentence(r replay.Report) string {
	card := r.Arms.Cards()
	progress := overview.Progress{Study: r.Study, Verdict: r.Verdict}
	return statement.Sentence(statement.FactsOf(progress, func(arm int) string { return statement.ArmName(r.Arms, card(arm)) }))
}
