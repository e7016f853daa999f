package middleware

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// logged runs something with a logger that sums up what is repeated within ten seconds, and returns its lines.
func logged(t *testing.T, do func(log *slog.Logger, repeats *Repeats)) []string {
	t.Helper()
	var text bytes.Buffer
	synctest.Test(t, func(*testing.T) {
		repeats := NewRepeats(slog.NewTextHandler(&text, &slog.HandlerOptions{ReplaceAttr: withoutTime}), 10*time.Second)
		do(slog.New(repeats), repeats)
		synctest.Wait()
	})
	return strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

func compareLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestRepeats: the first failure of a kind is logged at once, the others of an interval as one line, and one that
// comes after a quiet interval at once again.
func TestRepeats(t *testing.T) {
	full := errors.New("the disk is full")
	compareLines(t, logged(t, func(log *slog.Logger, _ *Repeats) {
		for i := range 1000 {
			log.Warn("request", "status", 503, "error", full, "request", fmt.Sprint("id", i), "took", time.Duration(i), "from", "::1")
		}
		log.Warn("request", "status", 500, "error", full, "request", "other")
		log.Info("request", "status", 200)
		log.Info("request", "status", 200)
		time.Sleep(15 * time.Second)
		log.Warn("request", "status", 503, "error", full, "request", "next")
		time.Sleep(time.Minute)
		log.Warn("request", "status", 503, "error", full, "request", "later")
		time.Sleep(time.Minute)
	}),
		`level=WARN msg=request status=503 error="the disk is full" request=id0 took=0s from=::1`,
		`level=WARN msg=request status=500 error="the disk is full" request=other`,
		`level=INFO msg=request status=200`,
		`level=INFO msg=request status=200`,
		`level=WARN msg=request status=503 error="the disk is full" request=id999 took=999ns from=::1 repeated=999`,
		`level=WARN msg=request status=503 error="the disk is full" request=next repeated=1`,
		`level=WARN msg=request status=503 error="the disk is full" request=later`,
	)
}

// TestRepeatsOfLoggers: the attributes and groups of a logger belong to the kind, and to the line.
func TestRepeatsOfLoggers(t *testing.T) {
	lines := logged(t, func(log *slog.Logger, repeats *Repeats) {
		for range 3 {
			log.With("study", "a").Error("failed")
			log.With("study", "b").Error("failed")
			log.WithGroup("g").Error("failed", "x", 1)
		}
		repeats.Flush()
	})
	slices.Sort(lines)
	compareLines(t, lines,
		`level=ERROR msg=failed g.x=1`,
		`level=ERROR msg=failed g.x=1 g.repeated=2`,
		`level=ERROR msg=failed study=a`,
		`level=ERROR msg=failed study=a repeated=2`,
		`level=ERROR msg=failed study=b`,
		`level=ERROR msg=failed study=b repeated=2`,
	)
}

// TestRepeatsFlush: what was counted is logged when the program ends, and counting begins anew.
func TestRepeatsFlush(t *testing.T) {
	compareLines(t, logged(t, func(log *slog.Logger, repeats *Repeats) {
		for range 3 {
			log.Error("failed")
		}
		repeats.Flush()
		log.Error("failed")
		repeats.Flush()
		time.Sleep(time.Minute)
	}),
		`level=ERROR msg=failed`,
		`level=ERROR msg=failed repeated=2`,
		`level=ERROR msg=failed`,
	)
}

// TestRepeatsAreBounded: very many kinds of failures take neither more memory nor more lines.
func TestRepeatsAreBounded(t *testing.T) {
	lines := logged(t, func(log *slog.Logger, repeats *Repeats) {
		for i := range 10_000 {
			log.Error("failed", "file", i)
			if n := kept(repeats); n > maxKinds+1 {
				t.Fatalf("%d kinds are kept", n)
			}
		}
		time.Sleep(time.Minute)
		if n := kept(repeats); n != 0 {
			t.Errorf("%d kinds are kept after a quiet minute", n)
		}
	})
	if n := len(lines); n != maxKinds+2 || lines[n-1] != fmt.Sprintf("level=ERROR msg=failed file=9999 repeated=%d",
		10_000-maxKinds-1) {
		t.Errorf("%d lines, the last is %s", n, lines[n-1])
	}
}

func kept(r *Repeats) int {
	r.sums.mutex.Lock()
	defer r.sums.mutex.Unlock()
	return len(r.sums.counts)
}

// TestRepeatsAtOnce: every record is counted, whichever goroutine it comes from.
func TestRepeatsAtOnce(t *testing.T) {
	lines := logged(t, func(log *slog.Logger, _ *Repeats) {
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				for range 20 {
					log.Warn("failed")
				}
			})
		}
		all.Wait()
		time.Sleep(time.Minute)
	})
	compareLines(t, lines, `level=WARN msg=failed`, `level=WARN msg=failed repeated=999`)
}

// TestFailedRequestsAreSummedUp: a route that fails for all clients is logged once per interval.
func TestFailedRequestsAreSummedUp(t *testing.T) {
	lines := logged(t, func(log *slog.Logger, _ *Repeats) {
		mux := http.NewServeMux()
		mux.HandleFunc("POST /studies/{study}/answers",
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
		handler := Chain(mux, Address(nil), Log(log, func(string, string, int, time.Duration) {}))
		for i := range 4000 {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("/studies/%d/answers", i%7), nil)
			handler.ServeHTTP(httptest.NewRecorder(), request)
			time.Sleep(3 * time.Millisecond)
		}
		time.Sleep(time.Minute)
	})
	if len(lines) != 3 || !strings.Contains(lines[1], "route=/studies/{study}/answers status=503") ||
		!strings.HasSuffix(lines[2], " repeated=666") {
		t.Errorf("%q", lines)
	}
}
