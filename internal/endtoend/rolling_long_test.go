//go:build long

package endtoend

import (
	"testing"
	"time"
)

func TestLongRollingRestarts(t *testing.T) {
	places := map[string]func(t *testing.T) place{"PostgreSQL": postgresDatabase, "SQLite": sqliteFile}
	for name, at := range places {
		for _, front := range []balancer{nginx(), haproxy()} {
			t.Run(front.program+" "+name, func(t *testing.T) {
				rollingRestarts(t, at(t), front, rolling{people: 200, restarts: 6, think: 2 * time.Second, drain: 5 * time.Second})
			})
		}
	}
}
