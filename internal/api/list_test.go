package api_test

import (
	"fmt"
	"slices"
	"testing"

	"bestpick/wire"
)

// all reads the pages of a list to the end, and returns how many they were. read returns the elements
// and the cursor of a page.
func all[T any](read func(cursor string) ([]T, string)) (list []T, pages int) {
	for cursor := ""; pages == 0 || cursor != ""; pages++ {
		var page []T
		page, cursor = read(cursor)
		list = append(list, page...)
	}
	return list, pages
}

// TestPages: the pages of a list contain every element once, studies and entries of the audit log newest
// first, even if elements are added and removed meanwhile.
func TestPages(t *testing.T) {
	s := begin(t, setting{idle: true})
	var drafts, keys []string
	for range 7 {
		drafts = append([]string{s.draft(quick()).ID}, drafts...)
	}
	id := drafts[0]
	for i := range 5 {
		keys = append(keys, s.invite(id, fmt.Sprint("person ", i))[0].Key)
	}
	arms := []string{"apple", "pear", "quince", "plum", "cherry", "lemon"}
	for path, c := range map[string]struct {
		want []string
		read func(path string) (list []string, next string)
	}{
		"/studies?limit=3": {drafts, func(path string) (list []string, next string) {
			var page wire.Studies
			s.get(path, &page)
			for _, one := range page.Studies {
				list = append(list, one.ID)
			}
			s.draft(quick())
			return list, page.Next
		}},
		"/studies/" + id + "/arms?limit=2": {arms, func(path string) (list []string, next string) {
			var page wire.Arms
			s.get(path, &page)
			for _, one := range page.Arms {
				list = append(list, one.ID)
			}
			return list, page.Next
		}},
		"/studies/" + id + "/panel?limit=2": {keys, func(path string) (list []string, next string) {
			var page wire.Panel
			s.get(path, &page)
			for _, one := range page.Members {
				list = append(list, one.Key)
			}
			_, err := s.owner.RemoveMembers(t.Context(), id, page.Members[0].Name)
			s.must(err)
			return list, page.Next
		}},
	} {
		got, pages := all(func(cursor string) ([]string, string) { return c.read(path + "&cursor=" + cursor) })
		if !slices.Equal(got, c.want) || pages != 3 {
			t.Errorf("%s: %d pages with %v, want %v", path, pages, got, c.want)
		}
	}
	var whole wire.Studies
	s.get("/studies?limit=10", &whole)
	if len(whole.Studies) != 10 || whole.Next != "" {
		t.Errorf("a full last page has %d studies and the cursor %q", len(whole.Studies), whole.Next)
	}
	var created []string
	entries, _ := all(func(cursor string) ([]wire.Entry, string) {
		var page wire.Audit
		s.get("/audit?limit=4&cursor="+cursor, &page)
		s.draft(quick())
		return page.Entries, page.Next
	})
	for _, e := range entries {
		if e.Operation == "create-study" {
			created = append(created, e.Study)
		}
	}
	if len(created) != 10 || !slices.Equal(created[3:], drafts) {
		t.Errorf("the audit log has the new studies %v", created)
	}
	for _, cursor := range []string{"x", "0", "-1", "1.5", "99999999999999999999"} {
		_, err := s.owner.Audit(t.Context(), cursor)
		s.refused(err, 422, wire.Invalid, "query.cursor")
	}
}
