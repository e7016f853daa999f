//go:build long

package postgres

import "testing"

func TestLongImportMemory(t *testing.T) { importMemory(t, 1_000_000) }
