// Command strategy runs live studies with a strategy of its own.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"bestpick/serve"
	"bestpick/strategy"
)

func main() {
	ctx := context.Background()
	studies, err := serve.New(ctx, "studies.db", serve.Options{
		Strategies: map[string]strategy.Kind{"rounds": {New: newRounds, Restore: restoreRounds}},
	})
	if err != nil {
		log.Fatal(err)
	}
	token, err := studies.AddFirstOwner(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("owner token, if this is the first start:", token)
	go studies.Run(ctx)
	log.Fatal(http.ListenAndServe("localhost:8080", studies)) //nolint:gosec // a small example
}
