package api_test

import (
	"net/http"
	"strings"
	"testing"

	"bestpick/wire"
)

// fruitsInJSON are the arms of fruits as objects, with columns whose names are no identifiers.
const fruitsInJSON = `[{"id":"apple","Sweet (0–9)":1,"sour":1},{"id":"pear","Sweet (0–9)":2,"sour":0},{"id":"quince","Sweet (0–9)":0,"sour":2}]`

// postJSON sends JSON as an owner.
func (s *stage) postJSON(path, body string, headers ...string) raw {
	s.Helper()
	return s.send(sent{token: s.owner.Token, method: http.MethodPost, path: path, kind: "application/json", body: body, headers: headers})
}

// TestCreateFromJSON: objects in JSON make the same study as the same rows in a file.
func TestCreateFromJSON(t *testing.T) {
	s := begin(t, setting{idle: true})
	reply := s.postJSON("/studies", `{"name":"Fruits","prompt":"Which?","arms":`+fruitsInJSON+`,"settings":{"k":2,"delta":0.01,"seed":7},"columns":{"kinds":{"sour":"number"}}}`)
	var made wire.Created
	s.must(reply.read(&made))
	form := s.send(s.formed(sent{token: s.owner.Token, method: http.MethodPost, path: "/studies"},
		part{"name", "", "Fruits"}, part{"prompt", "", "Which?"}, part{"settings", "", `{"k":2,"delta":0.01,"seed":7}`}, part{"columns", "", `{"kinds":{"sour":"number"}}`},
		part{"catalogue", "arms.jsonl", strings.ReplaceAll(strings.Trim(fruitsInJSON, "[]"), "},{", "}\n{")}))
	var uploaded wire.Created
	s.must(form.read(&uploaded))
	if reply.status != 201 || form.status != 201 || made.Study.Arms != 3 || made.Study.Settings.K != 2 {
		t.Fatalf("%d %s, %d %s", reply.status, reply.text, form.status, form.text)
	}
	arms := func(id string) string {
		return s.send(sent{token: s.owner.Token, method: http.MethodGet, path: "/studies/" + id + "/arms"}).text
	}
	if a, b := arms(made.Study.ID), arms(uploaded.Study.ID); a != b || !strings.Contains(a, "Sweet (0–9)") {
		t.Errorf("%s\n%s", a, b)
	}
	made.Study.ID, made.Study.Link, made.Study.Created, made.Study.Changed = uploaded.Study.ID, uploaded.Study.Link, uploaded.Study.Created, uploaded.Study.Changed
	if a, b := asJSON(t, made), asJSON(t, uploaded); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}

// TestBadJSONStudies: problems name the place in the JSON.
func TestBadJSONStudies(t *testing.T) {
	s := begin(t, setting{idle: true})
	for body, location := range map[string]string{
		``:                        "body",
		`[]`:                      "body",
		`{"name":"x"}`:            "body",
		`{"name":"x","arms":[]}`:  "body.arms",
		`{"name":"x","arms":{}}`:  "body.arms",
		`{"name":"x","arms":[1]}`: "body.arms[0]",
		`{"name":"","arms":` + fruitsInJSON + `}`:                                                     "body.name",
		`{"arms":` + fruitsInJSON + `}`:                                                               "body",
		`{"name":"x","arms":` + fruitsInJSON + `,"settings":{"k":1}}`:                                 "body.settings.k",
		`{"name":"x","arms":` + fruitsInJSON + `,"settings":{"k":9}}`:                                 "body.settings.k",
		`{"name":"x","arms":` + fruitsInJSON + `,"more":1}`:                                           "body.more",
		`{"name":"x","arms":[{"id":"a","x":1},{"id":"a","x":2}]}`:                                     "body.arms",
		`{"name":"x","arms":[{"id":"a","x":1,"x":2},{"id":"b","x":2}]}`:                               "body.arms[0].x",
		`{"name":"x","arms":[{"id":"a","x":"\u0000"},{"id":"b","x":2}]}`:                              "body.arms[0].x",
		`{"name":"x","arms":` + fruitsInJSON + `,"settings":{"strategy":"mine"}}`:                     "body.settings.strategy",
		`{"name":"x","arms":` + fruitsInJSON + `,"settings":{"strategy":"mine","assume":"majority"}}`: "body.settings.strategy",
	} {
		reply := s.postJSON("/studies", body)
		var problem wire.Problem
		s.must(reply.read(&problem))
		if reply.status != 422 && reply.status != 400 || len(problem.Errors) == 0 || problem.Errors[0].Location != location {
			t.Errorf("%s: %d %s, want a problem at %s", body, reply.status, reply.text, location)
		}
	}
	large := s.postJSON("/studies", `{"name":"x","arms":[{"id":"`+strings.Repeat("a", 8<<20)+`"}]}`)
	if large.status != 413 {
		t.Errorf("more than 8 MB: %d %.200s", large.status, large.text)
	}
}

// TestIdempotencyKey: a repeated request returns the study of the first one, and a key belongs to one
// request and one token.
func TestIdempotencyKey(t *testing.T) {
	s := begin(t, setting{idle: true})
	create := func(token, key, name string) (status int, study wire.Study, text string) {
		reply := s.send(sent{
			token: token, method: http.MethodPost, path: "/studies", kind: "application/json", headers: []string{"Idempotency-Key", key},
			body: `{"name":"` + name + `","arms":` + fruitsInJSON + `}`,
		})
		var created wire.Created
		if reply.status == 201 {
			s.must(reply.read(&created))
		}
		return reply.status, created.Study, reply.text
	}
	_, first, _ := create(s.owner.Token, "k1", "Fruits")
	status, again, text := create(s.owner.Token, "k1", "Fruits")
	if status != 201 || again.ID != first.ID || again.Settings.Seed != first.Settings.Seed {
		t.Errorf("%d %s, first %+v", status, text, first)
	}
	if status, _, text := create(s.owner.Token, "k1", "Vegetables"); status != 422 || !strings.Contains(text, "header.Idempotency-Key") {
		t.Errorf("another body: %d %s", status, text)
	}
	second, err := s.owner.CreateToken(t.Context(), "second", "owner")
	s.must(err)
	s.secrets.add(second.Secret)
	for _, other := range []struct{ token, key string }{{s.owner.Token, "k2"}, {s.owner.Token, ""}, {second.Secret, "k1"}} {
		if status, study, text := create(other.token, other.key, "Fruits"); status != 201 || study.ID == first.ID {
			t.Errorf("%+v: %d %s", other, status, text)
		}
	}
	opened, err := s.owner.Open(t.Context(), first.ID)
	s.must(err)
	if status, again, text := create(s.owner.Token, "k1", "Fruits"); status != 201 || again.State != opened.State {
		t.Errorf("after a change: %d %s", status, text)
	}
	page, err := s.owner.Studies(t.Context(), "")
	s.must(err)
	if len(page.Studies) != 4 {
		t.Errorf("there are %d studies", len(page.Studies))
	}
}

// TestImportJSON: recorded answers in JSON are imported like a file, once per batch.
func TestImportJSON(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	const body = `{"batch":"b","answers":[{"shown":["apple","pear","plum"],"picks":["pear"],"respondent":"anna"},{"shown":["apple","lemon"],"picks":["apple"],"at":"2026-01-02T03:04:05Z"}]}`
	reply := s.postJSON("/studies/"+study.ID+"/import", body)
	var imported wire.Imported
	s.must(reply.read(&imported))
	if reply.status != 200 || imported.Answers != 2 || imported.Batch != "b" {
		t.Errorf("%d %s", reply.status, reply.text)
	}
	if again := s.postJSON("/studies/"+study.ID+"/import", body); again.status != 409 {
		t.Errorf("again: %d %s", again.status, again.text)
	}
	for bad, location := range map[string]string{
		`{"answers":[]}`: "body.answers",
		`{"answers":[{"shown":["apple","pear"]}]}`:                              "body.answers[0]",
		`{"answers":[{"shown":["apple","pear"],"picks":["pear"],"x":1}]}`:       "body.answers[0].x",
		`{"answers":[{"shown":["apple","kiwi"],"picks":["apple"]}]}`:            "body.answers",
		`{"answers":[{"shown":["apple","pear"],"picks":["pear"],"at":"soon"}]}`: "body.answers[0].at",
	} {
		reply := s.postJSON("/studies/"+study.ID+"/import", bad)
		var problem wire.Problem
		s.must(reply.read(&problem))
		if reply.status != 422 || len(problem.Errors) == 0 || problem.Errors[0].Location != location {
			t.Errorf("%s: %d %s, want %s", bad, reply.status, reply.text, location)
		}
	}
}

// TestIfNoneMatch: a reply that the caller has is 304 without a body.
func TestIfNoneMatch(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	for _, path := range []string{"", "/verdict", "/contenders"} {
		get := func(tag string) raw {
			return s.send(sent{token: s.viewer.Token, method: http.MethodGet, path: "/studies/" + study.ID + path, headers: []string{"If-None-Match", tag}})
		}
		first := get("")
		tag := first.header.Get("ETag")
		if first.status != 200 || tag == "" {
			t.Fatalf("%s: %d %v", path, first.status, first.header)
		}
		for list, status := range map[string]int{tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, "*": 304, `"x"`: 200, "nonsense": 200} {
			if reply := get(list); reply.status != status || (status == 304) != (reply.text == "") || reply.header.Get("ETag") != tag {
				t.Errorf("%s with %s: %d %v %s", path, list, reply.status, reply.header, reply.text)
			}
		}
	}
}
