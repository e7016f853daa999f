package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bestpick/internal/observe"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
)

// A full store is out of space.
type full struct{ study.Store }

var errFull = fmt.Errorf("%w: no space left", study.ErrUnavailable)

func (full) Record(context.Context, string, int, ...study.Outcome) ([]error, error) {
	return nil, errFull
}
func (full) Length(context.Context, string) (int64, error) { return 0, study.ErrNotFound }

// TestOutage: an outage is logged when it begins, and then every ten seconds.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := instrumentedStore{full{}, observe.NewMetrics(), &outage{log: slog.New(slog.NewTextHandler(&log, nil))}, nil}
		if _, err := s.Length(t.Context(), "a"); !errors.Is(err, study.ErrNotFound) || log.Len() > 0 {
			t.Errorf("logged before an outage: %v, %s", err, log.String())
		}
		for range 100 {
			if _, err := s.Record(t.Context(), "a", study.NoLimit); !errors.Is(err, errFull) {
				t.Error(err)
			}
			time.Sleep(200 * time.Millisecond)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 2 || !strings.Contains(log.String(), "no space left") {
			t.Errorf("logged %d times in 20 s: %s", lines, log.String())
		}
	})
}

// TestWatchesAll: every method of a store that reads or writes the database is measured.
func TestWatchesAll(t *testing.T) {
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "studies.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	counted := observe.NewMetrics()
	watched := reflect.ValueOf(instrumentedStore{store, counted, &outage{}, nil})
	for method := range reflect.TypeFor[study.Store]().Methods() {
		switch method.Name {
		case "Close", "Listen": // they wait
			continue
		case "Adopt", "Batches", "DeleteUnchanged", "PictureHashes": // only the command that moves studies calls them
			continue
		}
		arguments := []reflect.Value{reflect.ValueOf(t.Context())}
		for i := 1; i < method.Type.NumIn() && !(method.Type.IsVariadic() && i == method.Type.NumIn()-1); i++ {
			arguments = append(arguments, reflect.Zero(method.Type.In(i)))
		}
		before := measuredOperations(t, counted)
		watched.MethodByName(method.Name).Call(arguments)
		if after := measuredOperations(t, counted); after != before+1 {
			t.Errorf("%s is measured %d times", method.Name, after-before)
		}
	}
}

// measuredOperations returns how many operations of a store were measured.
func measuredOperations(t *testing.T, m *observe.Metrics) (sum int) {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for _, found := range regexp.MustCompile(`(?m)^bestpick_store_seconds_count\{.*\} (\d+)$`).FindAllStringSubmatch(w.Body.String(), -1) {
		n, err := strconv.Atoi(found[1])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}
