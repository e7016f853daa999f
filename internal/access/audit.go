package access

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"
)

// An Entry is one operation in the audit log. It contains no tokens and no data of respondents.
type Entry struct {
	Number    int64 // from 1, in the order in which entries were added
	At        time.Time
	By        string // the name of the token, empty for the command line
	Operation string // such as create-study
	Study     string // its id, or empty
	Detail    string // such as the names of changed fields, or empty
}

// Audit stores the audit log. Entries never change, and outlive their tokens and studies. Safe for
// concurrent use.
type Audit interface {
	// AddEntry adds an entry and assigns its number.
	AddEntry(ctx context.Context, e Entry) error

	// Entries returns the last entries before a number, newest first. All numbers are below math.MaxInt64.
	Entries(ctx context.Context, before int64, limit int) ([]Entry, error)
}

// Counted returns a number of things for the detail of an entry: "1 option", "2 options".
func Counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Check returns an error unless every store can keep the entry: it needs an operation and a time, and its
// texts must be UTF-8 without zero bytes, of at most 10,000 bytes.
func (e Entry) Check() error {
	const longest = 10_000 // bytes
	for _, text := range []string{e.By, e.Operation, e.Study, e.Detail} {
		if len(text) > longest || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return fmt.Errorf("access: a part of an entry must be valid UTF-8 without zero bytes, at most 10000 bytes long, got %.100q", text)
		}
	}
	if e.Operation == "" || e.At.IsZero() {
		return errors.New("access: an entry needs an operation and a time")
	}
	return nil
}

// Record adds an entry to the audit, even if the request is cancelled. The operation is done by
// then, so an error is not returned: the entry goes to the log, with a pseudonym of the study.
func Record(ctx context.Context, audit Audit, e Entry, log *slog.Logger) {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	e.At = e.At.UTC().Truncate(time.Microsecond)
	if err := audit.AddEntry(ctx, e); err != nil {
		log.Error("the audit log could not be written", "by", e.By, "operation", e.Operation, "study", Pseudonym(e.Study), "detail", e.Detail, "error", err)
	}
}

// Pseudonym names a study in logs, metrics and traces: the id lets anyone answer, so it must not appear
// there. It is a short hash of the id. An empty id has an empty one.
func Pseudonym(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:4])
}
