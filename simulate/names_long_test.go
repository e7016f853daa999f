//go:build long

package simulate_test

import "testing"

// TestLongNamesOnly: of 100 studies of twelve arms without features at least 95 certify the best.
func TestLongNamesOnly(t *testing.T) {
	right := namesOnly(t, 100)
	t.Logf("%d of 100 studies certify the best", right)
	if right < 95 {
		t.Errorf("%d of 100 studies certify the best", right)
	}
}
