package api_test

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"bestpick/wire"
)

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
		return s.send(sent{token: s.owner.Token, method: http.MethodPatch, path: "/studies/" + study.ID, kind: "application/json", body: `{"name":"` + name + `"}`, headers: headers})
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
	missing := s.send(sent{token: s.owner.Token, method: http.MethodPatch, path: "/studies/none", kind: "application/json", body: `{}`, headers: []string{"If-Match", `"1", "2"`}})
	if missing.status != 404 {
		t.Errorf("changing an unknown study: %d", missing.status)
	}
}

// TestGuardedDeletion: a study is deleted only if it has the given version.
func TestGuardedDeletion(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	remove := func(tag string) int {
		return s.send(sent{token: s.owner.Token, method: http.MethodDelete, path: "/studies/" + study.ID, headers: []string{"If-Match", tag}}).status
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
