package api_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bestpick/wire"
)

// TestRoutes: unknown paths and methods are reported as problems.
func TestRoutes(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{http.MethodGet, "//", 404, ""},
		{http.MethodGet, "//api/v2/studies", 404, ""},
		{http.MethodGet, "/nothing", 404, ""},
		{http.MethodGet, "/studies/", 404, ""},
		{http.MethodGet, "/studies/" + study.ID + "/", 404, ""},
		{http.MethodPost, "/studies/" + study.ID + "/answers/", 404, ""},
		{http.MethodGet, "//docs/", 404, ""},
		{http.MethodGet, "/openapi-3.0.json", 404, ""},
		{http.MethodPut, "/studies", 405, "GET, HEAD, POST"},
		{http.MethodPost, "/studies/" + study.ID, 405, "DELETE, GET, HEAD, PATCH"},
		{http.MethodGet, "/studies/" + study.ID + "/answers", 405, "POST"},
		{http.MethodOptions, "/studies", 405, "GET, HEAD, POST"},
		{http.MethodDelete, "//docs", 405, "GET, HEAD"},
	} {
		reply := s.send(sent{token: s.owner.Token, method: c.method, path: c.path})
		if wrong := strings.Contains(reply.text, wire.WrongMethod); wrong != (c.status == 405) || reply.status != c.status ||
			reply.header.Get("Allow") != c.allow || reply.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: %d, allowed are %q, want %d and %q", c.method, c.path, reply.status, reply.header.Get("Allow"),
				c.status, c.allow)
		}
	}
}

// TestRowsAreInside: clients cannot send the format that has room for rows.
func TestRowsAreInside(t *testing.T) {
	s := begin(t, setting{idle: true})
	for _, kind := range []string{"application/rows", "Application/Rows; charset=utf-8", "application/x+application/rows"} {
		body := `{"token":"x","picks":[` + strings.Repeat("1,", 2000) + `1]}`
		reply := s.send(sent{method: http.MethodPost, path: "/studies/x/answers", kind: kind, body: body})
		if reply.status != http.StatusUnsupportedMediaType {
			t.Errorf("%s: %d %s", kind, reply.status, reply.text)
		}
	}
}

// TestHead: HEAD is GET without a body, with the same access rules.
func TestHead(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	for path, status := range map[string]int{"": 200, "/verdict": 200, "/arms": 200, "/open": 405} {
		got := s.send(sent{token: s.viewer.Token, method: http.MethodHead, path: "/studies/" + study.ID + path})
		if got.status != status || got.text != "" {
			t.Errorf("HEAD %s: %d %q", path, got.status, got.text)
		}
	}
	read := s.send(sent{token: s.viewer.Token, method: http.MethodHead, path: "/studies/" + study.ID})
	if read.header.Get("ETag") != `"1"` {
		t.Errorf("the ETag is %s", read.header.Get("ETag"))
	}
	if got := s.send(sent{method: http.MethodHead, path: "/studies/" + study.ID}); got.status != 401 {
		t.Errorf("HEAD without a token: %d", got.status)
	}
}

// TestReplies: replies are JSON whatever the client accepts, contain no undocumented fields, and
// are not cached.
func TestReplies(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	for _, accept := range []string{
		"", "*/*", "text/html", "application/cbor", "application/json;q=0.1", "application/problem+json",
		"nonsense",
	} {
		reply := s.send(sent{
			token: s.owner.Token, method: http.MethodGet, path: "/studies/" + study.ID,
			headers: []string{"Accept", accept},
		})
		if reply.status != 200 || reply.header.Get("Content-Type") != "application/json" {
			t.Errorf("Accept: %q: %d %s", accept, reply.status, reply.header.Get("Content-Type"))
		}
		if reply.header.Get("Cache-Control") != "no-store" || reply.header.Get("X-Content-Type-Options") != "nosniff" ||
			reply.header.Get("Link") != "" {
			t.Errorf("the headers are %v", reply.header)
		}
		if strings.Contains(reply.text, "$schema") || strings.Contains(reply.text, "null") {
			t.Errorf("the reply is %s", reply.text)
		}
	}
	created := s.send(s.formed(sent{token: s.owner.Token, method: http.MethodPost, path: "/studies"}, part{"name", "", "x"},
		part{"catalogue", "fruits.csv", fruits}))
	var body wire.Created
	s.must(created.read(&body))
	if created.status != 201 || created.header.Get("Location") != "/api/v1/studies/"+body.Study.ID ||
		created.header.Get("ETag") != `"1"` {
		t.Errorf("created: %d %v", created.status, created.header)
	}
}

// TestLenience: content types with +json are accepted.
func TestLenience(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	for _, kind := range []string{"", "application/json", "application/json; charset=UTF-8", "application/merge-patch+json"} {
		reply := s.send(sent{
			token: s.owner.Token, method: http.MethodPatch, path: "/studies/" + study.ID, kind: kind, headers: []string{"If-Match", "*"},
			body: ` {"name":"Ünïcode 🍒","settings":{"k":4,"budget":100,"seed":9007199254740991}} `,
		})
		var after wire.Study
		s.must(reply.read(&after))
		if reply.status != 200 || after.Settings.K != 4 || *after.Settings.Budget != 100 || after.Settings.Seed != 9007199254740991 ||
			after.Name != "Ünïcode 🍒" {
			t.Errorf("%q: %d %s", kind, reply.status, reply.text)
		}
	}
}

// TestTwoOwners: if two owners change the same version, the second change is rejected. Replacing arms needs a version.
func TestTwoOwners(t *testing.T) {
	s := begin(t, setting{idle: true})
	read := s.draft(quick())
	mine := "Mine"
	changed, err := s.owner.Change(t.Context(), read.ID, read.Version, wire.Change{Name: &mine})
	s.must(err)
	for version, kind := range map[int]string{0: wire.NoVersion, read.Version: wire.Changed} {
		_, err = s.owner.ReplaceArms(t.Context(), read.ID, version, file("arms.csv", "id,x\na,1\nb,2\nc,3\n"), nil)
		s.refused(err, map[string]int{wire.NoVersion: 428, wire.Changed: 412}[kind], kind, "")
	}
	_, err = s.owner.AddArms(t.Context(), read.ID, read.Version, file("arms.csv", "id,sweet,sour\nfig,1,2\n"), nil)
	s.refused(err, 412, wire.Changed, "")
	if after, err := s.owner.Study(t.Context(), read.ID); err != nil || !reflect.DeepEqual(after, changed) {
		t.Errorf("the study is %+v, %v", after, err)
	}
}

// TestIfMatch: as in RFC 9110, a list matches if one of its tags does, and a weak tag never does.
func TestIfMatch(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	rename := func(name string, headers ...string) raw {
		return s.send(sent{
			token: s.owner.Token, method: http.MethodPatch, path: "/studies/" + study.ID, kind: "application/json",
			body: `{"name":"` + name + `"}`, headers: headers,
		})
	}
	for i, c := range []struct {
		tags   []string // %s is replaced by the current ETag
		status int
	}{
		{[]string{"%s"}, 200},
		{[]string{" %s "}, 200},
		{[]string{`"17", %s`}, 200},
		{[]string{`%s,"17"`}, 200},
		{[]string{`, "a,b" ,, %s ,`}, 200},
		{[]string{`"17"`, "%s"}, 200}, // two headers form one list
		{[]string{"*"}, 200},
		{[]string{"W/%s"}, 412},
		{[]string{`"17"`}, 412},
		{[]string{`"17", "18"`}, 412},
		{[]string{`"0%b"`}, 412},
		{[]string{`"abc"`}, 412},
		{[]string{`"99999999999999999999"`}, 412},
		{[]string{`""`}, 412},
		{[]string{"%b"}, 422},
		{[]string{`"17`}, 422},
		{[]string{`"17" "18"`}, 422},
		{[]string{`*, "17"`}, 422},
		{[]string{""}, 428},
		{nil, 428},
	} {
		now := s.send(sent{token: s.owner.Token, method: http.MethodGet, path: "/studies/" + study.ID})
		tag := now.header.Get("ETag")
		var headers []string
		for _, line := range c.tags {
			headers = append(headers, "If-Match", replace(line, "%s", tag, "%b", tag[1:len(tag)-1]))
		}
		got := rename(fmt.Sprint("Name ", i), headers...)
		if got.status != c.status {
			t.Errorf("If-Match %q: %d %s, want %d", headers, got.status, got.text, c.status)
		}
		after := s.send(sent{token: s.owner.Token, method: http.MethodGet, path: "/studies/" + study.ID}).header.Get("ETag")
		if (after == tag) == (c.status == 200) {
			t.Errorf("If-Match %q: the ETag was %s and is %s", headers, tag, after)
		}
		if c.status == 200 && got.header.Get("ETag") != after {
			t.Errorf("the reply has the ETag %s, and the study %s", got.header.Get("ETag"), after)
		}
	}
	missing := s.send(sent{
		token: s.owner.Token, method: http.MethodPatch, path: "/studies/none", kind: "application/json",
		body: `{}`, headers: []string{"If-Match", `"1", "2"`},
	})
	if missing.status != 404 {
		t.Errorf("changing an unknown study: %d", missing.status)
	}
}

// TestGuardedDeletion: a study is deleted only if it has the given version.
func TestGuardedDeletion(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	remove := func(tag string) int {
		return s.send(sent{
			token: s.owner.Token, method: http.MethodDelete, path: "/studies/" + study.ID,
			headers: []string{"If-Match", tag},
		}).status
	}
	for _, c := range []struct {
		tag    string
		status int
	}{{`"7"`, 412}, {`"1"`, 204}, {`"1"`, 404}} {
		if got := remove(c.tag); got != c.status {
			t.Errorf("deleting %s: %d, want %d", c.tag, got, c.status)
		}
	}
}

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
