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
	if err := serveStudies(); err != nil {
		log.Fatal(err)
	}
	// Output: 200
}

func serveStudies() error {
	folder, err := os.MkdirTemp("", "studies")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	ctx, stop := context.WithCancel(context.Background())
	studies, err := serve.New(ctx, filepath.Join(folder, "studies.db"), serve.Options{Prefix: "/picks"})
	if err != nil {
		stop()
		return err
	}
	defer studies.Close()
	var running sync.WaitGroup
	running.Go(func() { studies.Run(ctx) })
	defer running.Wait()
	defer stop()

	mux := http.NewServeMux()
	mux.Handle("/picks/", studies)
	reply := httptest.NewRecorder()
	mux.ServeHTTP(reply, httptest.NewRequestWithContext(ctx, http.MethodGet, "/picks/healthz", nil))
	fmt.Println(reply.Code)
	return nil
}
