package study_test

import (
	"strings"
	"testing"

	"bestpick/internal/study"
)

// TestNames tests that names of anonymous respondents differ in form from names that people choose.
func TestNames(t *testing.T) {
	one, two := study.NewName(), study.NewName()
	if one == two || !study.IsNewName(one) || !study.IsNewName(two) {
		t.Errorf("the names are %q and %q", one, two)
	}
	for _, name := range []string{"", "anna", one + "a", one[1:], strings.ToUpper(one), one + "\n", "anna@example.com"} {
		if study.IsNewName(name) {
			t.Errorf("%q is taken for a random name", name)
		}
	}
}
