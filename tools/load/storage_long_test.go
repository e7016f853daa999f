//go:build long

package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"bestpick/internal/testpostgres"
	"bestpick/internal/testsupport"
)

// TestLongBytesPerAnswer: an answer takes at most 300 bytes in either database with a plan after every fifth, and 400
// with a plan after each, with and without hands.
func TestLongBytesPerAnswer(t *testing.T) {
	server := testpostgres.New()
	defer func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	}()
	for name, database := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { t.Helper(); return filepath.Join(t.TempDir(), "studies.db") },
		"PostgreSQL": func(t *testing.T) string { t.Helper(); return server.Database(t) },
	} {
		for every, limit := range map[int]float64{1: 400, 5: 300} {
			for _, linear := range []bool{false, true} {
				t.Run(fmt.Sprint(name, " linear ", linear), func(t *testing.T) {
					c := storageCommand{Database: database(t), Answers: 5000, Every: every, Arms: 20, Shown: 3, Linear: linear}
					m := testsupport.Value(c.measure(t.Context())).OrFail(t)
					t.Logf("%.1f bytes per answer, with a plan after %d: %v", m.perAnswer(), every, m.sizes)
					if m.perAnswer() > limit || m.perAnswer() < 50 {
						t.Errorf("%.1f bytes per answer", m.perAnswer())
					}
				})
			}
		}
	}
}
