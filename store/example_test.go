package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"bestpick/serve"
	"bestpick/store"
)

// counting is a store that counts recorded outcomes.
type counting struct {
	store.Store

	recorded *atomic.Int64
}

func (c counting) Record(ctx context.Context, study string, each int, outcomes ...store.Outcome) ([]error, error) {
	refused, err := c.Store.Record(ctx, study, each, outcomes...)
	if err == nil {
		c.recorded.Add(int64(len(outcomes)))
	}
	return refused, err
}

// A program wraps a store by embedding it.
func Example() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	file, err := serve.OpenSQLite(filepath.Join(folder, "studies.db"))
	if err != nil {
		panic(err)
	}
	own := counting{file, new(atomic.Int64)}
	service, err := serve.New(context.Background(), own, serve.Options{})
	if err != nil {
		panic(err)
	}
	defer service.EndStreams()
	fmt.Println(own.recorded.Load(), "outcomes")
	if err := own.Close(); err != nil {
		panic(err)
	}
	// Output: 0 outcomes
}
