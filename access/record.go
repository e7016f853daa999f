package access

import (
	"context"
	"log/slog"
	"time"
)

// Record adds an entry, also if the one who asked has gone. What is done is done, so if that fails nothing else
// does: then the log has the entry.
func Record(ctx context.Context, audit Audit, e Entry, log *slog.Logger) {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	e.At = time.Now().UTC().Truncate(time.Microsecond)
	if err := audit.AddEntry(ctx, e); err != nil {
		log.Error("what was done could not be recorded", "by", e.By, "operation", e.Operation, "study", e.Study, "detail", e.Detail, "error", err)
	}
}
