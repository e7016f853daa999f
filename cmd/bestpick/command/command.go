// Package command has what the commands of bestpick share: their streams, exit statuses and JSON documents, and how they
// read input.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/terminal"
)

// Release is the version of this program. Metrics, traces and the OpenAPI description report it, too.
const Release = "0.2.0"

// Streams are the standard streams of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// An ExitStatus has the meaning of an exit status.
type ExitStatus struct {
	Code    int
	Meaning string
}

// The exit statuses.
const (
	ExitOK          = 0
	ExitFailure     = 1
	ExitUsage       = 2
	ExitInterrupted = 130
)

// ExitStatuses returns all exit statuses.
func ExitStatuses() []ExitStatus {
	return []ExitStatus{
		{ExitOK, "Success."},
		{ExitFailure, "The command failed, or found a problem, although the arguments and the input are valid."},
		{ExitUsage, "The arguments or the input are invalid."},
		{ExitInterrupted, "The command was interrupted (Ctrl-C)."},
	}
}

// A statusError ends the program with its status.
type statusError struct {
	error

	status int
}

func (e statusError) Unwrap() error { return e.error }

// Invalid returns an error that is caused by invalid arguments or input, which the user can correct.
func Invalid(err error) error { return statusError{err, ExitUsage} }

// Interrupted returns an error that is caused by Ctrl-C.
func Interrupted(err error) error { return statusError{err, ExitInterrupted} }

// Report prints an error, one line per problem without control characters, and returns its exit status.
func Report(errOut io.Writer, err error) int {
	if err == nil {
		return ExitOK
	}
	for line := range strings.Lines(err.Error()) {
		// There is no other stream for errors.
		_, _ = fmt.Fprintf(errOut, "bestpick: %s\n", terminal.Visible(strings.TrimSuffix(line, "\n")))
	}
	if errors.Is(err, context.Canceled) {
		return ExitInterrupted
	}
	if e, ok := errors.AsType[statusError](err); ok {
		return e.status
	}
	return ExitFailure
}

// JSONFlag selects the form of a command's result.
type JSONFlag struct {
	JSON bool `json:"-" name:"json" help:"Print one JSON document."`
}

// Write prints the result of a command: as a JSON document, or as text.
func (f JSONFlag) Write(w io.Writer, document any, text string) error {
	if f.JSON {
		return PrintJSON(w, document)
	}
	_, err := io.WriteString(w, text)
	return err
}

// A Text is the result of a command for people.
type Text struct{ strings.Builder }

// Printf adds a formatted text.
func (t *Text) Printf(format string, values ...any) { fmt.Fprintf(&t.Builder, format, values...) }

// Row adds a line with a label. An empty label continues the line above.
func (t *Text) Row(label, format string, values ...any) {
	t.Printf("%-10s %s\n", label, fmt.Sprintf(format, values...))
}

// Rows adds a line for each text, in a form that terminals can show. Each has the label.
func (t *Text) Rows(label string, texts []string) {
	for _, text := range texts {
		t.Row(label, "%s", terminal.Visible(text))
	}
}

// Columns adds lines whose cells, which end in tabs, are aligned, see [tabwriter.Writer].
func (t *Text) Columns(flags uint, lines []string) {
	table := tabwriter.NewWriter(t, 0, 0, 2, ' ', flags)
	for _, line := range lines {
		_, _ = fmt.Fprintln(table, line) // into memory
	}
	_ = table.Flush()
}

// PrintJSON writes the JSON document of a command.
func PrintJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}

// ReadFlags say how to read a file of arms where its format leaves a choice.
type ReadFlags struct {
	As         map[string]string `placeholder:"COLUMN=KIND" help:"What a column is: id, label, description, image, number, date, month, category, boolean, embedding, shown or ignored." mapsep:","`
	Missing    map[string]string `placeholder:"COLUMN=POLICY" help:"What to do about missing values: drop, mean (of numbers, with an indicator) or level (of a category)." mapsep:","`
	ID         string            `name:"id" help:"Column of the ids; the same as --as COLUMN=id." placeholder:"COLUMN"`
	IDs        string            `name:"ids" help:"File with the ids of a .npy (default: the one beside it)." placeholder:"FILE"`
	Sheet      string            `help:"Sheet of an .xlsx (default: the first)." placeholder:"NAME"`
	Dimensions *int              `min:"1" help:"Dimensions that an embedding is reduced to (16)."`
}

// Options translates the flags.
func (f ReadFlags) Options() (catalogue.Options, error) {
	options := catalogue.Options{
		Kinds: map[string]catalogue.Kind{}, Missing: map[string]catalogue.MissingPolicy{},
		IDs: f.IDs, Sheet: f.Sheet,
	}
	for column, word := range f.As {
		kind, err := catalogue.ParseKind(word)
		if err != nil {
			return options, fmt.Errorf("--as: %w", err)
		}
		options.Kinds[column] = kind
	}
	for column, word := range f.Missing {
		policy, err := catalogue.ParseMissingPolicy(word)
		if err != nil {
			return options, fmt.Errorf("--missing: %w", err)
		}
		options.Missing[column] = policy
	}
	if f.ID != "" {
		options.Kinds[f.ID] = catalogue.ID
	}
	return options, nil
}

// ReducedTo returns the number of dimensions, or 0 for the default.
func (f ReadFlags) ReducedTo() int {
	if f.Dimensions == nil {
		return 0
	}
	return *f.Dimensions
}

// Given reports whether any of the flags is set.
func (f ReadFlags) Given() bool {
	return len(f.As) > 0 || len(f.Missing) > 0 || f.ID != "" || f.IDs != "" || f.Sheet != "" || f.Dimensions != nil
}

// CheckFile rejects flags that do not apply to a file.
func (f ReadFlags) CheckFile(path string) error {
	if f.Given() && IsSaved(path) {
		return fmt.Errorf("%s: the arms are encoded already; "+
			"--as, --missing, --id, --ids, --sheet and --dimensions are for other files", path)
	}
	return nil
}

// IsSaved reports whether a file is a saved catalogue, by its name.
func IsSaved(path string) bool { return strings.EqualFold(filepath.Ext(path), ".npz") }

// Open reads and encodes a file of arms, see [archive.Open].
func (f ReadFlags) Open(path string) (*archive.Encoded, error) {
	if err := f.CheckFile(path); err != nil {
		return nil, err
	}
	options, err := f.Options()
	if err != nil {
		return nil, err
	}
	return archive.Open(path, options, f.ReducedTo())
}
