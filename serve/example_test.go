package serve_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"

	"bestpick/serve"
)

// Serve live studies under /picks/ of another program's server.
func Example() {
	folder, err := os.MkdirTemp("", "studies")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	ctx, stop := context.WithCancel(context.Background())
	studies, err := serve.New(ctx, filepath.Join(folder, "studies.db"), serve.Options{Prefix: "/picks"})
	if err != nil {
		log.Fatal(err)
	}
	defer studies.Close()
	var running sync.WaitGroup
	running.Go(func() { studies.Run(ctx) })
	defer running.Wait()
	defer stop()

	mux := http.NewServeMux()
	mux.Handle("/picks/", studies)
	server := httptest.NewServer(mux)
	defer server.Close()
	reply, err := http.Get(server.URL + "/picks/healthz")
	if err != nil {
		log.Fatal(err)
	}
	defer reply.Body.Close()
	fmt.Println(reply.Status)
	// Output: 200 OK
}
