package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/access"
	"bestpick/wire"
)

// as returns a client with a token.
func (s *stage) as(secret string) *client.Client {
	s.secrets.add(secret)
	return &client.Client{URL: s.url, Token: secret, HTTP: s.owner.HTTP}
}

// TestTokens: owners create, list and revoke tokens.
func TestTokens(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	anna, err := s.owner.CreateToken(t.Context(), " Anna ", "owner")
	s.must(err)
	ben, err := s.as(anna.Secret).CreateToken(t.Context(), "ben/..", "viewer")
	s.must(err)
	if anna.Name != "Anna" || anna.Role != "owner" || time.Since(anna.Created).Abs() > time.Minute || !strings.HasPrefix(anna.Secret, "bestpick_") || anna.Secret == ben.Secret {
		t.Errorf("the token of Anna is %s %s %v", anna.Name, anna.Role, anna.Created)
	}
	_, err = s.as(ben.Secret).Verdict(t.Context(), study.ID)
	s.must(err)
	_, err = s.as(ben.Secret).Open(t.Context(), study.ID)
	s.refused(err, 403, wire.Forbidden, "")

	list, err := s.owner.Tokens(t.Context())
	s.must(err)
	var got []string
	for _, one := range list {
		got = append(got, one.Name+" "+one.Role)
	}
	if want := "Anna owner; ben/.. viewer; owner owner; viewer viewer"; strings.Join(got, "; ") != want || list[0] != anna.AccessToken {
		t.Errorf("the tokens are %v, want %s", list, want)
	}

	s.must(s.owner.RevokeToken(t.Context(), "ben/.."))
	_, err = s.as(ben.Secret).Verdict(t.Context(), study.ID)
	s.refused(err, 401, wire.Unauthorized, "")
	s.refused(s.owner.RevokeToken(t.Context(), "ben/.."), 404, wire.NotFound, "")
	s.must(s.as(anna.Secret).RevokeToken(t.Context(), "owner"))
	_, err = s.owner.Studies(t.Context(), "")
	s.refused(err, 401, wire.Unauthorized, "")
	s.refused(s.as(anna.Secret).RevokeToken(t.Context(), "Anna"), 409, wire.LastOwner, "")
	_, err = s.as(anna.Secret).Studies(t.Context(), "")
	s.must(err)
}

// TestBadTokens: invalid tokens are rejected with the location of the problem.
func TestBadTokens(t *testing.T) {
	s := begin(t, setting{idle: true})
	for _, c := range []struct {
		name, role string
		status     int
		kind, at   string
	}{
		{"", "owner", 422, wire.Invalid, "body.name"},
		{"  ", "owner", 422, wire.Invalid, "body.name"},
		{"a\nb", "owner", 422, wire.Invalid, "body.name"},
		{strings.Repeat("x", 101), "owner", 422, wire.Invalid, "body.name"},
		{s.owner.Token, "owner", 422, wire.Invalid, "body.name"},
		{"a", "king", 422, wire.Invalid, "body.role"},
		{"a", "", 422, wire.Invalid, "body.role"},
		{"viewer", "owner", 409, wire.Taken, ""},
	} {
		_, err := s.owner.CreateToken(t.Context(), c.name, c.role)
		s.refused(err, c.status, c.kind, c.at)
	}
	if there, err := s.store.Tokens(t.Context()); err != nil || len(there) != 2 {
		t.Errorf("the tokens are %v, %v", there, err)
	}
}

// TestTokensAreToldNobody: no problem and no log contains a token, wherever a client puts it by
// mistake. Only the reply that creates it does. Its hash is secret, too.
func TestTokensAreToldNobody(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	made, err := s.owner.CreateToken(t.Context(), "anna", "owner")
	s.must(err)
	s.secrets.add(made.Secret)
	s.secrets.add(access.Hash(made.Secret))
	in := url.PathEscape(made.Secret)
	for _, r := range []sent{
		{method: http.MethodGet, path: "/tokens"},
		{method: http.MethodGet, path: "/studies/" + in},
		{method: http.MethodDelete, path: "/studies/" + in},
		{method: http.MethodGet, path: "/" + in},
		{method: http.MethodGet, path: "/studies?cursor=" + in},
		{method: http.MethodGet, path: "/studies?token=" + in},
		{method: http.MethodGet, path: "/studies/" + study.ID + "/export/answers?format=" + in},
		{method: http.MethodPost, path: "/revocations", body: fmt.Sprintf(`{"name":%q}`, made.Secret)},
		{method: http.MethodPost, path: "/tokens", body: fmt.Sprintf(`{"name":%q,"role":"owner"}`, made.Secret)},
		{method: http.MethodPost, path: "/tokens", body: fmt.Sprintf(`{"name":"x","role":%q}`, made.Secret)},
		{method: http.MethodPost, path: "/tokens", body: made.Secret},
		{method: http.MethodPost, path: "/studies/" + study.ID + "/answers", body: fmt.Sprintf(`{"token":%q,"picks":["apple"]}`, made.Secret)},
		{method: http.MethodPatch, path: "/studies/" + study.ID, body: "{}", headers: []string{"If-Match", made.Secret}},
		{method: http.MethodGet, path: "/studies", headers: []string{"Authorization", "Basic " + made.Secret}},
	} {
		if len(r.headers) == 0 || r.headers[0] != "Authorization" {
			r.token = made.Secret
		}
		reply := s.send(r)
		s.secrets.absent(t, r.method+" "+strings.ReplaceAll(r.path, made.Secret, "TOKEN"), reply.text+fmt.Sprint(reply.header))
	}
}
