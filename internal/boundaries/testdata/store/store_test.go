// Package example has a store of its own, which its generated methods delegate to an SQLite file.
package example

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bestpick/client"
	"bestpick/serve"
	"bestpick/store"
	"bestpick/store/storetest"
	"bestpick/wire"
)

func place(t testing.TB) (open func() (store.Store, error)) {
	path := filepath.Join(t.TempDir(), "studies.db")
	return func() (store.Store, error) {
		file, err := serve.OpenSQLite(path)
		return delegate{file}, err
	}
}

func TestStore(t *testing.T) { storetest.Run(t, place) }

// TestServe: a service on the store asks a question.
func TestServe(t *testing.T) {
	own, err := place(t)()
	if err != nil {
		t.Fatal(err)
	}
	service, err := serve.New(t.Context(), own, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { service.Run(ctx) })
	server := httptest.NewServer(service)
	defer func() {
		end()
		running.Wait()
		server.Close()
		if err := own.Close(); err != nil {
			t.Error(err)
		}
	}()
	token, err := service.AddFirstOwner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	owner := &client.Client{URL: server.URL, Token: token}
	created, err := owner.Create(t.Context(), client.NewStudy{Name: "Letters", Settings: wire.Settings{K: 2}, Catalogue: client.File{Name: "letters.csv", Contents: strings.NewReader("id,x\na,1\nb,2\nc,3\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := owner.Open(t.Context(), created.Study.ID); err != nil {
		t.Fatal(err)
	}
	asked, err := owner.Ask(t.Context(), created.Study.ID, wire.Ask{Respondent: "anna"})
	if err != nil || len(asked.Arms) != 2 {
		t.Errorf("asked %v, %v", asked, err)
	}
}
