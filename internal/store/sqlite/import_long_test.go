//go:build long

package sqlite

import "testing"

func TestLongImportMemory(t *testing.T) { importMemory(t, 1_000_000) }
