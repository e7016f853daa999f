package archive_test

import (
	"strings"
	"testing"

	"bestpick/internal/catalogue"
)

// TestAlike: arms that look the same on a card are reported, once per label.
func TestAlike(t *testing.T) {
	for text, want := range map[string]bool{
		"id,label,price\n1,Orb,5\n2,Orb,6\n3,Orb,7\n4,Reed,8\n":                true,
		"id,label,price\n1,Orb,5\n2,Reed,6\n3,Fold,7\n":                        false,
		"id,label,description,price\n1,Orb,a,5\n2,Orb,b,6\n3,Fold,c,7\n":       false,
		"id,label,description,price\n1,Orb,a,5\n2,Orb,a,6\n3,Fold,c,7\n":       true,
		"id,label,image,price\n1,Orb,a.png,5\n2,Orb,b.png,6\n3,Fold,c.png,7\n": false,
	} {
		found := 0
		for _, w := range encodeText(t, text, "arms.csv", catalogue.Options{}).Warnings {
			if strings.Contains(w.Text, "the same label") {
				found++
				if !strings.HasSuffix(w.Text, ": Orb") && !strings.HasSuffix(w.Text, `: "Orb"`) {
					t.Errorf("%q", w.Text)
				}
			}
		}
		if found == 1 != want || found > 1 {
			t.Errorf("%d warnings for\n%s", found, text)
		}
	}
}
