package metrics

import (
	"strings"
	"testing"
)

// TestName: labels of studies are distinct, and do not reveal the ID.
func TestName(t *testing.T) {
	const one, other = "ukfdzu5nnydbfo2x4q7ex6ayjn", "ukfdzu5nnydbfo2x4q7ex6ayjm"
	if Name(one) == Name(other) || Name(one) == "" {
		t.Errorf("the names are %q and %q", Name(one), Name(other))
	}
	if strings.Contains(one, Name(one)) || strings.Contains(Name(one), one) {
		t.Errorf("%q reveals the ID", Name(one))
	}
}
