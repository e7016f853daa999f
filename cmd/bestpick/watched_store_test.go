package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bestpick/metrics"
	"bestpick/study"
)

// A full store has no room.
type full struct{ study.Store }

var errFull = errors.New("there is no room")

func (full) Record(context.Context, string, int, ...study.Outcome) ([]error, error) { return nil, errFull }
func (full) Unavailable(err error) bool                                        { return errors.Is(err, errFull) }

// TestOutage: that a store cannot be used is told now and then, and is over soon after the last error.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		o := &outage{log: slog.New(slog.NewTextHandler(&log, nil))}
		s := watchedStore{full{}, metrics.New(), o}
		if o.lately() || s.Unavailable(errors.New("something else")) || o.lately() {
			t.Error("there is none yet")
		}
		for range 100 {
			if _, err := s.Record(t.Context(), "a", study.NoLimit); !s.Unavailable(err) {
				t.Error(err)
			}
			time.Sleep(200 * time.Millisecond)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 2 || !strings.Contains(log.String(), "no room") {
			t.Errorf("in 20 s it was told %d times: %s", lines, log.String())
		}
		if !o.lately() {
			t.Error("it was just now")
		}
		if time.Sleep(outageLasts); o.lately() {
			t.Error("it is over")
		}
	})
}
