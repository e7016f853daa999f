package access

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"bestpick/internal/table"
)

// An Entry is one operation in the audit log. It contains no tokens and no data of respondents.
type Entry struct {
	Number    int64 // from 1, in the order in which entries were added
	At        time.Time
	By        string // the name of the token; of the user of the system at the command line
	Token     string // the ID of the token, empty for the command line
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
	for _, text := range []string{e.By, e.Token, e.Operation, e.Study, e.Detail} {
		if len(text) > longest || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return fmt.Errorf("access: a part of an entry must be valid UTF-8 without zero bytes, "+
				"at most 10000 bytes long, got %.100q", text)
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
		log.Error("the audit log could not be written", "by", e.By, "operation", e.Operation, "study", Pseudonym(e.Study),
			"detail", e.Detail, "error", err)
	}
}

// WriteEntries writes the audit log as CSV, newest first.
func WriteEntries(ctx context.Context, audit Audit, to io.Writer) error {
	out := csv.NewWriter(to)
	_ = out.Write([]string{"number", "at", "by", "token", "operation", "study", "detail"}) // an error is sticky
	for before := int64(math.MaxInt64); ; {
		const batch = 1000
		entries, err := audit.Entries(ctx, before, batch)
		if err != nil {
			return err
		}
		for _, e := range entries {
			before = e.Number
			_ = out.Write([]string{
				strconv.FormatInt(e.Number, 10), e.At.Format(time.RFC3339Nano), table.Protect(e.By), e.Token, e.Operation, e.Study,
				table.Protect(e.Detail),
			})
		}
		out.Flush()
		if err := out.Error(); err != nil || len(entries) < batch {
			return err
		}
	}
}

// Refusals records refused credentials in the audit log, so that no client can fill it: of each operation and address
// the first within an hour, the tenth, the hundredth and so on. Safe for concurrent use.
type Refusals struct {
	mutex  sync.Mutex
	since  time.Time
	counts map[string]int // by operation and address
}

// Record adds an entry about a request from an address, unless others stand for it.
func (r *Refusals) Record(ctx context.Context, audit Audit, e Entry, from string, log *slog.Logger) {
	n, from := r.count(e, from)
	left := n
	for left%10 == 0 {
		left /= 10
	}
	if left == 1 {
		e.Detail = fmt.Sprintf("from %s, %s within an hour", from, Counted(n, "refusal"))
		Record(ctx, audit, e, log)
	}
}

// count returns the number of refusals of an operation and an address, or of all further addresses if there are many.
func (r *Refusals) count(e Entry, from string) (n int, address string) {
	const most = 1000
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.counts == nil || e.At.Sub(r.since).Abs() > time.Hour {
		r.since, r.counts = e.At, map[string]int{}
	}
	if _, known := r.counts[e.Operation+" "+from]; !known && len(r.counts) >= most {
		from = "other addresses"
	}
	r.counts[e.Operation+" "+from]++
	return r.counts[e.Operation+" "+from], from
}
