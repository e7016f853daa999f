package access

import (
	"context"
	"log/slog"
	"time"

	"bestpick/internal/pseudonym"
)

// Record adds an entry to the audit, even if the request is cancelled. The operation is done by
// then, so an error is not returned: the entry goes to the log, with a pseudonym of the study.
func Record(ctx context.Context, audit Audit, e Entry, log *slog.Logger) {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	e.At = e.At.UTC().Truncate(time.Microsecond)
	if err := audit.AddEntry(ctx, e); err != nil {
		log.Error("the audit log could not be written", "by", e.By, "operation", e.Operation, "study", pseudonym.Of(e.Study), "detail", e.Detail, "error", err)
	}
}
