// Command openapi prints the OpenAPI document of the HTTP API, for linters and generators of clients.
package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"bestpick/internal/api"
	"bestpick/internal/study/wiring"
)

func main() {
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/openapi.json", nil)
	api.Handler(&wiring.Service{}, api.Options{Version: "development"}).ServeHTTP(w, r)
	if _, err := w.Body.WriteTo(os.Stdout); err != nil || w.Code != http.StatusOK {
		fmt.Fprintln(os.Stderr, "openapi:", w.Code, err)
		os.Exit(1)
	}
}
