package storetest

import (
	"context"
	"errors"
	"testing"

	"bestpick/internal/study"
)

// Unavailable tests a store whose database cannot be reached: every operation fails with an error that wraps
// study.ErrUnavailable.
func Unavailable(t *testing.T, store Store) {
	t.Helper()
	s := &stage{T: t}
	s.refuses(t.Context(), store, func(err error) bool { return errors.Is(err, study.ErrUnavailable) })
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s.refuses(ended, store, func(err error) bool {
		return errors.Is(err, context.Canceled) && study.Coded(err).Code == study.CodeTimeout
	})
}
