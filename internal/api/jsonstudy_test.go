package api_test

import (
	"fmt"
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
	return s.send(sent{
		token: s.owner.Token, method: http.MethodPost, path: path, kind: "application/json", body: body,
		headers: headers,
	})
}

// TestCreateFromJSON: objects in JSON make the same study as the same rows in a file.
func TestCreateFromJSON(t *testing.T) {
	s := begin(t, setting{idle: true})
	reply := s.postJSON("/studies", `{"name":"Fruits","prompt":"Which?","arms":`+fruitsInJSON+
		`,"settings":{"k":2,"delta":0.01,"seed":7},"columns":{"kinds":{"sour":"number"}}}`)
	var made wire.Created
	s.must(reply.read(&made))
	form := s.send(s.formed(sent{token: s.owner.Token, method: http.MethodPost, path: "/studies"},
		part{"name", "", "Fruits"}, part{"prompt", "", "Which?"}, part{"settings", "", `{"k":2,"delta":0.01,"seed":7}`},
		part{"columns", "", `{"kinds":{"sour":"number"}}`},
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
	made.Study.ID, made.Study.Link, made.Study.Created, made.Study.Changed = uploaded.Study.ID, uploaded.Study.Link,
		uploaded.Study.Created, uploaded.Study.Changed
	if a, b := asJSON(t, made), asJSON(t, uploaded); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}

// TestJSONLists: answers, contexts and the prior may come in JSON instead of a file, and a batch once.
func TestJSONLists(t *testing.T) {
	s := begin(t, setting{idle: true})
	const answers = `"answers":[{"shown":["apple","pear","plum"],"picks":["pear"],"respondent":"anna"},` +
		`{"shown":["apple","lemon"],"picks":["apple"],"at":"2026-01-02T03:04:05Z"}]`
	id := s.draft(quick()).ID
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{http.MethodPost, id + "/import", `{"batch":"b",` + answers + `}`, 200, `{"batch":"b","answers":2}`},
		{http.MethodPost, id + "/import", `{"batch":"b",` + answers + `}`, 409, wire.Known},
		{
			http.MethodPut, s.draft(quick()).ID + "/contexts", `{"texts":[` + textsInJSON() + `]}`, 200,
			`{"contexts":3,"texts":18,"format":"plain"}`,
		},
		{http.MethodPut, s.draft(quick()).ID + "/prior", `{` + answers + `}`, 200, `{"choices":2}`},
	} {
		reply := s.send(sent{
			token: s.owner.Token, method: c.method, path: "/studies/" + c.path, kind: "application/json",
			body: c.body,
		})
		if reply.status != c.status || !strings.Contains(reply.text, c.want) {
			t.Errorf("%s: %d %s, want %d %s", c.path, reply.status, reply.text, c.status, c.want)
		}
	}
}

// textsInJSON are the texts of contextTexts as objects.
func textsInJSON() string {
	var rows []string
	for line := range strings.Lines(contextTexts()) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		rows = append(rows, fmt.Sprintf(`{"arm":%q,"context":%q,"text":%q}`, fields[0], fields[1], fields[2]))
	}
	return strings.Join(rows[1:], ",")
}

// TestBadJSONLists: problems of lists in JSON name the place in the JSON.
func TestBadJSONLists(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := "/studies/" + s.draft(quick()).ID
	start := `{"name":"x","arms":` + fruitsInJSON
	for path, bodies := range map[string]map[string]string{
		"POST /studies": {
			`[]`:                      "body",
			`{"name":"x"}`:            "body",
			`{"name":"x","arms":[]}`:  "body.arms",
			`{"name":"x","arms":{}}`:  "body.arms",
			`{"name":"x","arms":[1]}`: "body.arms[0]",
			`{"name":"","arms":` + fruitsInJSON + `}`:                        "body.name",
			`{"arms":` + fruitsInJSON + `}`:                                  "body",
			start + `,"settings":{"k":1}}`:                                   "body.settings.k",
			start + `,"settings":{"k":9}}`:                                   "body.settings.k",
			start + `,"more":1}`:                                             "body.more",
			`{"name":"x","arms":[{"id":"a","x":1},{"id":"a","x":2}]}`:        "body.arms",
			`{"name":"x","arms":[{"id":"a","x":1,"x":2},{"id":"b","x":2}]}`:  "body",
			`{"name":"x","arms":[{"id":"a","x":"\u0000"},{"id":"b","x":2}]}`: "body",
			start + `,"settings":{"strategy":"mine"}}`:                       "body.settings.strategy",
			start + `,"settings":{"strategy":"mine","assume":"majority"}}`:   "body.settings.strategy",
		},
		"POST " + study + "/import": {
			`{"answers":[]}`: "body.answers",
			`{"answers":[{"shown":["apple","pear"]}]}`:                              "body.answers[0]",
			`{"answers":[{"shown":["apple","pear"],"picks":["pear"],"x":1}]}`:       "body.answers[0].x",
			`{"answers":[{"shown":["apple","kiwi"],"picks":["apple"]}]}`:            "body.answers",
			`{"answers":[{"shown":["apple","pear"],"picks":["pear"],"at":"soon"}]}`: "body.answers[0].at",
		},
		"PUT " + study + "/contexts": {
			`{"texts":[` + textsInJSON() + `,{"arm":"kiwi","context":"pie","text":""}]}`: "body.texts",
			`{"texts":[` + textsInJSON() + `],"format":"html"}`:                          "body.format",
			`{"texts":[]}`: "body.texts",
		},
		"PUT " + study + "/prior": {
			`{"answers":[{"shown":["apple","kiwi"],"picks":["kiwi"]}]}`: "body.answers",
			`{"answers":[]}`: "body.answers",
		},
	} {
		method, path, _ := strings.Cut(path, " ")
		for body, location := range bodies {
			reply := s.send(sent{token: s.owner.Token, method: method, path: path, kind: "application/json", body: body})
			var problem wire.Problem
			s.must(reply.read(&problem))
			if reply.status != 422 && reply.status != 400 || len(problem.Errors) == 0 || problem.Errors[0].Location != location {
				t.Errorf("%s %.100s: %d %s, want a problem at %s", path, body, reply.status, reply.text, location)
			}
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
	if status, _, text := create(s.owner.Token, "k1", "Vegetables"); status != 422 ||
		!strings.Contains(text, "header.Idempotency-Key") {
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

// TestIfNoneMatch: a reply that the caller has is 304 without a body.
func TestIfNoneMatch(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	for _, path := range []string{"", "/verdict", "/contenders"} {
		get := func(tag string) raw {
			return s.send(sent{
				token: s.viewer.Token, method: http.MethodGet, path: "/studies/" + study.ID + path,
				headers: []string{"If-None-Match", tag},
			})
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
