package examples_test

import (
	"context"
	"log"
	"net/http"

	"bestpick/serve"
)

// Example_embed serves live studies under a path of its own web server.
func Example_embed() {
	ctx := context.Background()
	studies, err := serve.New(ctx, "studies.db", serve.Options{Prefix: "/picks"})
	if err != nil {
		log.Fatal(err)
	}
	go studies.Run(ctx)
	http.Handle("/picks/", studies)
	log.Fatal(http.ListenAndServe("localhost:8080", nil)) //nolint:gosec // a small example
}
