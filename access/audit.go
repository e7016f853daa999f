package access

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// An Entry says what somebody did. Nothing in it is a token, or anything that a respondent said.
type Entry struct {
	Number    int64 // from 1, in the order in which entries were added
	At        time.Time
	By        string // the name of the token, or nothing for somebody at the command line
	Operation string // such as create-study
	Study     string // its id, or nothing
	Detail    string // such as which fields were changed, or nothing
}

// Audit is where entries are kept. They are never changed, and outlive the tokens and studies that they
// are about. All methods may be called at any time, from many goroutines.
type Audit interface {
	// AddEntry adds an entry and numbers it, whatever its number is.
	AddEntry(ctx context.Context, e Entry) error

	// Entries returns the last ones before a number, newest first. All numbers are below math.MaxInt64.
	Entries(ctx context.Context, before int64, limit int) ([]Entry, error)
}

// Check returns an error unless every store can keep the entry: it says what was done, and when, in
// UTF-8 without zero bytes, and not at length.
func (e Entry) Check() error {
	const longest = 10_000 // bytes
	for _, text := range []string{e.By, e.Operation, e.Study, e.Detail} {
		if len(text) > longest || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return fmt.Errorf("access: %.100q does not do as a part of an entry", text)
		}
	}
	if e.Operation == "" || e.At.IsZero() {
		return errors.New("access: an entry says what was done, and when")
	}
	return nil
}

// Record adds an entry of something that is done by now, with the time, also if the one who asked for it has
// gone.
func Record(ctx context.Context, audit Audit, e Entry) error {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	e.At = time.Now().UTC().Truncate(time.Microsecond)
	return audit.AddEntry(ctx, e)
}
