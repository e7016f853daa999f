package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// How long PostgreSQL may take. A connection that is dead without anybody having said so, as when a machine or a
// network has failed, is given up after that, and does not hold up those who need another one.
const (
	connectTimeout   = 10 * time.Second
	pingTimeout      = 5 * time.Second
	statementTimeout = 10 * time.Second
	recordTimeout    = 10 * time.Second // for all that is written together
	leisure          = 10 * time.Minute // for what is large
)

// How long transactions wait for locks. A wait holds a connection, of which there are few: it is short, and
// after that they look again and again, with pauses in between.
const (
	lockTimeout = 100 * time.Millisecond // at first
	lookTimeout = 5 * time.Millisecond   // later
	longPause   = 100 * time.Millisecond // at most
	leadTimeout = 500 * time.Millisecond // for all attempts of a planner that wants to lead
)

// limit sets these limits, unless the address of the database says another one.
func limit(config *pgxpool.Config) {
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.PingTimeout = pingTimeout
	config.ConnConfig.Tracer = limiter{statementTimeout}
}

// atLeisure is for statements that may take longer than others, because there is much to be sent or done.
func atLeisure(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, leisure)
}

// A limiter gives every statement, and every batch of them, so much time, unless its context has a limit already.
type limiter struct{ most time.Duration }

var (
	_ pgx.QueryTracer = limiter{}
	_ pgx.BatchTracer = limiter{}
)

// cancelKey is the key of what frees the resources of a limit.
type cancelKey struct{}

func (l limiter) begin(ctx context.Context) context.Context {
	if _, limited := ctx.Deadline(); limited {
		return context.WithValue(ctx, cancelKey{}, context.CancelFunc(func() {}))
	}
	ctx, cancel := context.WithTimeout(ctx, l.most)
	return context.WithValue(ctx, cancelKey{}, cancel)
}

func (l limiter) end(ctx context.Context) {
	if cancel, ok := ctx.Value(cancelKey{}).(context.CancelFunc); ok {
		cancel()
	}
}

// TraceQueryStart begins a statement.
func (l limiter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return l.begin(ctx)
}

// TraceQueryEnd ends a statement.
func (l limiter) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) { l.end(ctx) }

// TraceBatchStart begins a batch.
func (l limiter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return l.begin(ctx)
}

// TraceBatchQuery is told of a statement of a batch.
func (l limiter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd ends a batch.
func (l limiter) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchEndData) { l.end(ctx) }
