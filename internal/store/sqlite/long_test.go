//go:build long

package sqlite

import "testing"

func TestLongDamagedPages(t *testing.T) { damagedPages(t, 60) }
