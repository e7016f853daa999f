package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"bestpick/internal/access"
	"bestpick/wire"
)

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
