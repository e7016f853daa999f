//go:build long

package api_test

import "testing"

// TestLongNamesOnly: of 100 studies of twelve options without attributes, in pairs, at least 95 certify
// the best.
func TestLongNamesOnly(t *testing.T) {
	s := begin(t, setting{})
	const runs, least = 100, 95
	right := 0
	for seed := range uint64(runs) {
		if s.bestModel(seed+1) == "model-7" {
			right++
		}
	}
	t.Logf("%d of %d studies certify the best", right, runs)
	if right < least {
		t.Errorf("%d of %d studies certify the best", right, runs)
	}
}
