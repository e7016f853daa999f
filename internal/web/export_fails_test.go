package web_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bestpick/internal/access"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study/wiring"
	"bestpick/internal/testsupport"
	"bestpick/internal/web"
	"bestpick/wire"
)

// An unreadable store fails to read catalogues.
type unreadable struct{ *sqlite.Store }

func (unreadable) Catalogue(context.Context, string) ([]byte, error) {
	return nil, errors.New("the disk cannot be read")
}

// TestExportFails: a failed export is aborted and logged, without the ID of the study, which lets
// anyone answer.
func TestExportFails(t *testing.T) {
	t.Parallel()
	s := begin(t)
	id := s.draft(lamps(), wire.Settings{K: 3})
	studies := testsupport.Value(wiring.New(t.Context(), unreadable{s.store}, wiring.Options{})).OrFail(s)
	var log bytes.Buffer
	pages := web.Handler(studies, web.Options{Tokens: s.store, Audit: s.store, Log: slog.New(slog.NewTextHandler(&log, nil))})
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/studies/"+id+"/export/log", nil)
	request.Header.Set("Cookie", "session="+s.session(s.secret))
	func() {
		defer func() {
			if got := recover(); got != http.ErrAbortHandler { //nolint:errorlint // net/http compares it like this
				t.Errorf("the export ends with %v", got)
			}
		}()
		pages.ServeHTTP(httptest.NewRecorder(), request)
	}()
	if text := log.String(); !strings.Contains(text, "an export failed") ||
		!strings.Contains(text, "study="+access.Pseudonym(id)) || strings.Contains(text, id) {
		t.Errorf("the log is %s", text)
	}
}
