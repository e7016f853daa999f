// Package storetest is the conformance suite of [store.Store]. Every store must pass it.
package storetest

import (
	"testing"

	"bestpick/internal/store/storetest"
	"bestpick/store"
)

// Run tests a store. The function place returns a function that opens the store at one place, which
// is empty at first. The suite calls it several times, also while the store is open, and closes the
// stores that it opens.
func Run(t *testing.T, place func(testing.TB) (open func() (store.Store, error))) {
	t.Helper()
	storetest.Run(t, place)
}
