package access_test

import (
	"strings"
	"testing"
	"time"

	"bestpick/internal/access"
)

// TestCheckName: a name is one line of visible text. Errors do not contain the name, which may be a
// token by mistake.
func TestCheckName(t *testing.T) {
	for _, good := range []string{"anna", "Zoë’s laptop", "a/b", "..", "x y", strings.Repeat("ü", 100)} {
		if err := access.CheckName(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	secret, _ := access.New("a", access.Owner, time.Now())
	for _, bad := range []string{"", "  ", "a\nb", "a\x00", "\xff", "a\u202eb", "a\u2028b", strings.Repeat("ü", 101), secret, " " + secret} {
		err := access.CheckName(bad)
		if err == nil {
			t.Errorf("%q is accepted", bad)
		} else if strings.TrimSpace(bad) != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("the error contains the name: %v", err)
		}
	}
}

func TestMay(t *testing.T) {
	for _, c := range []struct {
		has, needed access.Role
		may         bool
	}{
		{access.Owner, access.Owner, true},
		{access.Owner, access.Viewer, true},
		{access.Viewer, access.Viewer, true},
		{access.Viewer, access.Owner, false},
		{"", access.Viewer, false},
	} {
		if got := c.has.May(c.needed); got != c.may {
			t.Errorf("a role %q may do what needs %q: %v", c.has, c.needed, got)
		}
	}
}
