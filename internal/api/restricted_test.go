package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"bestpick/internal/access"
	"bestpick/wire"
)

// TestRestricted: a viewer of one study gets 404 for every operation on another study, as for a study that does not
// exist, and a list with that one study.
func TestRestricted(t *testing.T) {
	s := begin(t, setting{idle: true})
	mine, other := s.draft(quick()), s.draft(quick())
	made, err := s.owner.Invite(t.Context(), wire.NewToken{Name: "guest", Role: "viewer", Study: mine.ID})
	s.must(err)
	if made.Study != mine.ID || made.Secret == "" || made.Link != "" {
		t.Errorf("%+v", made)
	}
	s.secrets.add(made.Secret)
	header := []string{"Authorization", "Bearer " + made.Secret}
	known := operations()
	for _, operation := range s.description().operations() {
		expected := known[operation.ID]
		if !strings.Contains(operation.path, "{study}") || expected.public {
			continue
		}
		for id, want := range map[string]int{mine.ID: expected.status, other.ID: http.StatusNotFound} {
			if operation.ID == "events" && id == mine.ID {
				continue // the stream does not end
			}
			if !expected.viewer {
				want = http.StatusForbidden
			}
			r := sent{method: operation.method, path: strings.ReplaceAll(operation.path, "{study}", id), headers: header}
			if expected.body != "" {
				r.kind, r.body = "application/json", expected.body
			}
			if reply := s.send(r); reply.status != want {
				t.Errorf("%s: %d %s, want %d", operation.ID, reply.status, reply.text, want)
			}
		}
	}
	var list wire.Studies
	reply := s.send(sent{method: http.MethodGet, path: "/studies", headers: header})
	s.must(reply.read(&list))
	if len(list.Studies) != 1 || list.Studies[0].ID != mine.ID {
		t.Errorf("%+v", list)
	}
	s.must(s.owner.Delete(t.Context(), mine.ID))
	reply = s.send(sent{method: http.MethodGet, path: "/studies", headers: header})
	if s.must(reply.read(&list)); len(list.Studies) != 0 {
		t.Errorf("%+v", list)
	}
}

// TestInvitation: an invitation has a link and no secret, and is no token.
func TestInvitation(t *testing.T) {
	s := begin(t, setting{idle: true})
	made, err := s.owner.Invite(t.Context(), wire.NewToken{Name: "Anna", Role: "owner", Invite: true})
	s.must(err)
	secret, invites := strings.CutPrefix(made.Link, "/join/")
	if !invites || made.Secret != "" || time.Until(made.Expires) < access.InvitedFor-time.Hour {
		t.Fatalf("%+v", made)
	}
	s.secrets.add(secret)
	if reply := s.send(sent{method: http.MethodGet, path: "/studies", headers: []string{"Authorization", "Bearer " + secret}}); reply.status != http.StatusUnauthorized {
		t.Errorf("an invitation is a token: %d", reply.status)
	}
	for field, bad := range map[string]wire.NewToken{
		"body.study": {Name: "b", Role: "owner", Study: "x"},
		"body.name":  {Name: " ", Role: "owner", Invite: true},
	} {
		_, err := s.owner.Invite(t.Context(), bad)
		s.refused(err, http.StatusUnprocessableEntity, wire.Invalid, field)
	}
	_, err = s.owner.Invite(t.Context(), wire.NewToken{Name: "b", Role: "viewer", Study: "none"})
	s.refused(err, http.StatusUnprocessableEntity, wire.Invalid, "body.study")
}
