package planning

import (
	"context"
	"time"

	"bestpick/internal/study/live"
)

// outlast returns a context that ends some time after another one, so that a write can finish while
// the process stops.
func outlast(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		live.Sleep(longer, by, nil)
		cancel()
	})
	return longer, func() { stop(); cancel() }
}
