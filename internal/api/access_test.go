package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

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
		"list-studies":     {viewer: true, status: 200},
		"create-study":     {status: 415},
		"read-study":       {viewer: true, status: 200},
		"change-study":     {body: "{}", status: 428},
		"delete-study":     {status: 204},
		"open-study":       {status: 200},
		"pause-study":      {status: 409},
		"close-study":      {status: 409},
		"list-arms":        {viewer: true, status: 200},
		"replace-arms":     {status: 415},
		"add-arms":         {status: 415},
		"set-contexts":     {status: 415},
		"set-prior":        {status: 415},
		"remove-prior":     {status: 200},
		"withdraw-arm":     {body: `{"arm":"kiwi"}`, status: 422},
		"list-panel":       {status: 200},
		"add-members":      {body: `{"members":[{"name":""}]}`, status: 422},
		"import-members":   {status: 415},
		"remove-members":   {body: `{"names":["nobody"]}`, status: 200},
		"renew-key":        {body: `{"name":"nobody"}`, status: 404},
		"ask":              {public: true, body: "{}", status: 409},
		"answer":           {public: true, body: `{"token":"x","picks":["x"]}`, status: 422},
		"answer-profile":   {public: true, body: `{"respondent":"x","answers":{}}`, status: 409},
		"skip":             {public: true, body: `{"token":"x"}`, status: 422},
		"undo":             {public: true, body: `{"token":"x"}`, status: 422},
		"verdict":          {viewer: true, status: 200},
		"contenders":       {viewer: true, status: 200},
		"leaderboard":      {viewer: true, status: 200},
		"judges":           {status: 200},
		"events":           {viewer: true, status: 404},
		"erase-respondent": {body: `{"respondent":"nobody"}`, status: 200},
		"set-webhook":      {body: `{"url":"https://127.0.0.1/"}`, status: 422},
		"read-webhook":     {viewer: true, status: 404},
		"delete-webhook":   {status: 404},
		"export-log":       {status: 200},
		"public-key":       {public: true, status: 200},
		"export-answers":   {status: 200},
		"export-arms":      {viewer: true, status: 200},

		"export-leaderboard": {viewer: true, status: 200},
		"import-answers":     {status: 415},
		"read-audit":         {status: 200},
		"list-tokens":        {status: 200},
		"create-token":       {body: `{"name":"owner","role":"owner"}`, status: 409},
		"revoke-token":       {body: `{"name":"nobody"}`, status: 404},
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
	r := sent{method: operation.method, path: strings.ReplaceAll(operation.path, "{study}", id), headers: []string{"Authorization", header}}
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
	if (reply.header.Get("WWW-Authenticate") != "") != (status == 401) || problem.Type == wire.Unauthorized != (status == 401) || problem.Type == wire.Forbidden != (status == 403) {
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
