package postgres

import (
	"log"
	"os"
	"testing"

	"go.uber.org/goleak"

	"bestpick/internal/store/storetest"
	"bestpick/internal/testpostgres"
)

var server = testpostgres.New()

func TestMain(m *testing.M) {
	storetest.Child(openChild)
	code := m.Run()
	if err := server.Stop(); err != nil {
		log.Fatal(err)
	}
	if err := goleak.Find(); err != nil && code == 0 {
		log.Fatal(err)
	}
	os.Exit(code)
}

func TestStore(t *testing.T) { storetest.Run(t, place) }

// place returns an opener of a new database.
func place(t testing.TB) func() (storetest.Store, error) {
	t.Helper()
	url := server.Prepared(t, func(url string) error {
		store, err := Open(t.Context(), url)
		if err != nil {
			return err
		}
		return store.Close()
	})
	return func() (storetest.Store, error) { return Open(t.Context(), url) }
}
