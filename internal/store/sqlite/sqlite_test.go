package sqlite

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"bestpick/internal/store/storetest"
)

func TestMain(m *testing.M) {
	storetest.Child(openChild)
	goleak.VerifyTestMain(m)
}

func TestStore(t *testing.T) { storetest.Run(t, place) }

// place returns an opener of a new file, with a name that needs escaping in a URI.
func place(t testing.TB) func() (storetest.Store, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a study?&%41#é.db")
	return func() (storetest.Store, error) { return Open(path) }
}
