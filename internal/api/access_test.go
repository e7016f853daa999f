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

// An allowed says who may call an operation, and what an owner receives.
type allowed struct {
	public, viewer bool   // owners always may
	body           string // JSON, or empty for a form
	status         int    // of the reply to an owner
}

// operations lists all operations, with requests that are enough to test access and change nothing
// that other tests need.
func operations() map[string]allowed {
	return map[string]allowed{
		"list-studies":       {viewer: true, status: 200},
		"create-study":       {status: 415},
		"read-study":         {viewer: true, status: 200},
		"change-study":       {body: "{}", status: 428},
		"delete-study":       {status: 204},
		"open-study":         {status: 200},
		"pause-study":        {status: 409},
		"close-study":        {status: 409},
		"list-arms":          {viewer: true, status: 200},
		"replace-arms":       {status: 415},
		"add-arms":           {status: 415},
		"set-contexts":       {status: 415},
		"set-prior":          {status: 415},
		"remove-prior":       {status: 200},
		"exclude-respondent": {body: `{"respondent":"anna"}`, status: 422},
		"withdraw-arm":       {body: `{"arm":"kiwi"}`, status: 422},
		"list-panel":         {status: 200},
		"add-members":        {body: `{"members":[{"name":""}]}`, status: 422},
		"import-members":     {status: 415},
		"remove-members":     {body: `{"names":["unknown"]}`, status: 200},
		"renew-key":          {body: `{"name":"unknown"}`, status: 404},
		"ask":                {public: true, body: "{}", status: 409},
		"answer":             {public: true, body: `{"token":"x","picks":["x"]}`, status: 422},
		"answer-profile":     {public: true, body: `{"answers":{}}`, status: 409},
		"skip":               {public: true, body: `{"token":"x"}`, status: 422},
		"undo":               {public: true, body: `{"token":"x"}`, status: 422},
		"verdict":            {viewer: true, status: 200},
		"welcome":            {public: true, status: 200},
		"contenders":         {viewer: true, status: 200},
		"leaderboard":        {viewer: true, status: 200},
		"judges":             {status: 200},
		"events":             {viewer: true, status: 404},
		"erase-respondent":   {body: `{"respondent":"unknown"}`, status: 200},
		"set-webhook":        {body: `{"url":"https://127.0.0.1/"}`, status: 422},
		"read-webhook":       {viewer: true, status: 404},
		"delete-webhook":     {status: 404},
		"export-log":         {status: 200},
		"public-key":         {public: true, status: 200},
		"export-answers":     {status: 200},
		"export-arms":        {viewer: true, status: 200},

		"export-leaderboard": {viewer: true, status: 200},
		"import-answers":     {status: 415},
		"read-audit":         {status: 200},
		"list-tokens":        {status: 200},
		"create-token":       {body: `{"name":"owner","role":"owner"}`, status: 409},
		"revoke-token":       {body: `{"name":"unknown"}`, status: 404},
	}
}

// TestAccess calls every operation of the OpenAPI document without a token, with an unknown one, as a viewer, as a
// viewer of another study, for whom the study does not exist, and as an owner.
func TestAccess(t *testing.T) {
	s := begin(t, setting{idle: true})
	secret, token := access.New("gone", access.Owner, time.Now())
	s.must(s.store.AddToken(t.Context(), token))
	s.must(s.store.RemoveToken(t.Context(), "gone"))
	s.secrets.add(secret)
	mine := s.draft(quick()).ID
	guest, err := s.owner.Invite(t.Context(), wire.NewToken{Name: "guest", Role: "viewer", Study: mine})
	s.must(err)
	s.secrets.add(guest.Secret)
	known := operations()
	for _, operation := range s.description().operations() {
		expected, ok := known[operation.ID]
		if !ok {
			t.Errorf("operation %s is not in the list of this test", operation.ID)
			continue
		}
		delete(known, operation.ID)
		if open := len(operation.Security) == 0; open != expected.public {
			t.Errorf("%s: the document says that it needs no token: %v", operation.ID, open)
		} else if !open && (operation.Security[0]["token"][0] == "viewer") != expected.viewer {
			t.Errorf("%s: the document has the roles %v", operation.ID, operation.Security)
		}
		who := []struct {
			name, header string
			status       int
		}{
			{"nobody", "", 401},
			{"no bearer", "Basic " + s.owner.Token, 401},
			{"an empty token", "Bearer ", 401},
			{"a wrong token", "Bearer " + s.owner.Token + "x", 401},
			{"a token that was removed", "Bearer " + secret, 401},
			{"a viewer", "Bearer " + s.viewer.Token, 403},
			{"a guest", "Bearer " + guest.Secret, 403},
			{"an owner", "bearer " + s.owner.Token, expected.status},
		}
		for _, w := range who {
			switch {
			case expected.public || expected.viewer && w.name == "a viewer":
				w.status = expected.status
			case expected.viewer && w.name == "a guest" && operation.ID != "list-studies":
				w.status = 404
			case expected.viewer && w.name == "a guest":
				w.status = 200
			}
			s.tryAccess(operation, expected, w.name, w.header, w.status)
		}
	}
	for name := range known {
		t.Errorf("operation %s does not exist", name)
	}
	for _, want := range []int{1, 0} {
		_, err := s.as(guest.Secret).Verdict(t.Context(), mine)
		page, failed := s.as(guest.Secret).Studies(t.Context(), "")
		s.must(failed)
		if len(page.Studies) != want || (err == nil) != (want == 1) || want == 1 && page.Studies[0].ID != mine {
			t.Errorf("the guest sees %+v, %v", page, err)
		}
		if want == 1 {
			s.must(s.owner.Delete(t.Context(), mine))
		}
	}
}

func (s *stage) tryAccess(operation operation, expected allowed, who, header string, status int) {
	s.Helper()
	id := "none"
	if operation.ID != "events" {
		id = s.draft(quick()).ID
	}
	r := sent{
		method: operation.method, path: strings.ReplaceAll(operation.path, "{study}", id),
		headers: []string{"Authorization", header},
	}
	if expected.body != "" {
		r.kind, r.body = "application/json", expected.body
	}
	reply := s.send(r)
	if reply.status != status {
		s.Errorf("%s as %s: %d %s, want %d", operation.ID, who, reply.status, reply.text, status)
	}
	var problem wire.Problem
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		s.must(reply.read(&problem))
	}
	if (reply.header.Get("WWW-Authenticate") != "") != (status == 401) || problem.Type == wire.Unauthorized != (status == 401) ||
		problem.Type == wire.Forbidden != (status == 403) {
		s.Errorf("%s as %s: %v %s", operation.ID, who, reply.header, reply.text)
	}
	if operation.ID != "delete-study" && id != "none" {
		after, err := s.owner.Study(s.Context(), id)
		s.must(err)
		if changed := after.Version != 1; changed != (operation.ID == "open-study" && status == 200) {
			s.Errorf("%s as %s: the study has version %d", operation.ID, who, after.Version)
		}
	}
}

// TestTokensBesides: respondents need no token, and a token of any kind is ignored. A token in the
// URL is not accepted.
func TestTokensBesides(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(quick())
	s.respondent.Token = "bestpick_nonsense"
	s.answer(study.ID, "anna")
	if reply := s.send(sent{method: http.MethodGet, path: "/studies?access_token=" + s.owner.Token}); reply.status != 401 {
		t.Errorf("a token in the URL: %d", reply.status)
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
	if reply := s.send(sent{
		method: http.MethodGet, path: "/studies",
		headers: []string{"Authorization", "Bearer " + secret},
	}); reply.status != http.StatusUnauthorized {
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
	if anna.Name != "Anna" || anna.Role != "owner" || time.Since(anna.Created).Abs() > time.Minute ||
		!strings.HasPrefix(anna.Secret, "bestpick_") || anna.Secret == ben.Secret {
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
	if want := "Anna owner; ben/.. viewer; owner owner; viewer viewer"; strings.Join(got, "; ") != want ||
		list[0] != anna.AccessToken {
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
		{
			method: http.MethodPost, path: "/studies/" + study.ID + "/answers",
			body: fmt.Sprintf(`{"token":%q,"picks":["apple"]}`, made.Secret),
		},
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
