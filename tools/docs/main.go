// Command docs makes parts of the documentation: the OpenAPI document of the HTTP API, for linters and generators of
// clients; and charts. Its tests take the screenshots of the five main pages.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"bestpick/internal/api"
	"bestpick/internal/study/wiring"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, arguments []string) error {
	switch {
	case len(arguments) == 1 && arguments[0] == "openapi":
		return printOpenAPI(ctx)
	case len(arguments) == 2 && arguments[0] == "pictures":
		return errors.Join(drawEvidence(ctx, arguments[1]), drawPictures(arguments[1]))
	default:
		return errors.New("usage: docs openapi | pictures FOLDER")
	}
}

// printOpenAPI prints the OpenAPI document of the HTTP API.
func printOpenAPI(ctx context.Context) error {
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/openapi.json", nil)
	api.Handler(&wiring.Service{}, api.Options{Version: "development"}).ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		return fmt.Errorf("the document has status %d", w.Code)
	}
	_, err := w.Body.WriteTo(os.Stdout)
	return err
}
