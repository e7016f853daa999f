package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bestpick/wire"
)

// TestPagesOfStudies: the pages contain every study once, newest first, even if studies are created
// meanwhile.
func TestPagesOfStudies(t *testing.T) {
	s := begin(t, setting{idle: true})
	var want []string
	for range 7 {
		want = append([]string{s.draft(quick()).ID}, want...)
	}
	var got []string
	pages := 0
	for cursor := ""; pages == 0 || cursor != ""; pages++ {
		var page wire.Studies
		s.get("/studies?limit=3&cursor="+cursor, &page)
		if len(page.Studies) > 3 {
			t.Errorf("a page of three has %d", len(page.Studies))
		}
		for _, one := range page.Studies {
			got = append(got, one.ID)
		}
		cursor = page.Next
		s.draft(quick())
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || pages != 3 {
		t.Errorf("%d pages with %v, want %v", pages, got, want)
	}
	var whole wire.Studies
	s.get("/studies?limit=10", &whole)
	if len(whole.Studies) != 10 || whole.Next != "" {
		t.Errorf("a full last page has %d studies and the cursor %q", len(whole.Studies), whole.Next)
	}
}

// TestPagesOfArms: the pages contain every arm once.
func TestPagesOfArms(t *testing.T) {
	s := begin(t, setting{idle: true})
	id := s.draft(quick()).ID
	var got []string
	for cursor, first := "", true; first || cursor != ""; first = false {
		var page wire.Arms
		s.get("/studies/"+id+"/arms?limit=4&cursor="+cursor, &page)
		for _, arm := range page.Arms {
			got = append(got, arm.ID)
		}
		cursor = page.Next
	}
	if want := "apple pear quince plum cherry lemon"; strings.Join(got, " ") != want {
		t.Errorf("the pages have %v, want %s", got, want)
	}
}
