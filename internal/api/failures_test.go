package api_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/api"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/wire"
)

// A broken store fails to read the log after its first outcome.
type broken struct{ *sqlite.Store }

const inside = "the disk at /secret/place is on fire"

func (b broken) Log(ctx context.Context, id string, after int64, limit int) ([]study.Outcome, error) {
	if after > 0 {
		return nil, errors.New(inside)
	}
	return b.Store.Log(ctx, id, after, limit)
}

// A failing store fails to read the last plan.
type failing struct {
	*sqlite.Store

	err error
}

func (f failing) LastPlan(context.Context, string) (study.Plan, error) { return study.Plan{}, f.err }

// TestFailures: internal errors are reported without their cause, which is logged. Temporary ones have
// a type and Retry-After, and are not logged here: the server logs them once for all requests.
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		status int
		kind   string
	}{
		"unexpected":  {errors.New(inside), 500, ""},
		"unavailable": {fmt.Errorf("%w (%s)", study.ErrUnavailable, inside), 503, wire.Unavailable},
		"busy":        {fmt.Errorf("%w (%s)", study.ErrBusy, inside), 503, wire.Busy},
		"timeout":     {fmt.Errorf("%s: %w", inside, context.DeadlineExceeded), 503, wire.Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, setting{idle: true, store: func(whole *sqlite.Store) study.Store { return failing{whole, c.err} }})
			draft := s.draft(quick())
			_, err := s.owner.Verdict(t.Context(), draft.ID)
			problem := s.refused(err, c.status, c.kind, "")
			if strings.Contains(problem.Detail, "fire") || strings.Contains(s.log.String(), inside) != (c.status == 500) {
				t.Errorf("the problem is %+v, the log %s", problem, s.log)
			}
			reply := s.send(sent{token: s.owner.Token, method: http.MethodGet, path: "/studies/" + draft.ID + "/verdict"})
			if retry := reply.header.Get("Retry-After"); (retry == "1") != (c.status == 503) {
				t.Errorf("Retry-After is %q", retry)
			}
			for _, err := range s.owner.Events(t.Context(), draft.ID) {
				s.refused(err, c.status, c.kind, "")
			}
		})
	}
}

// TestExportFails: an export that fails midway aborts the connection, so that the client notices.
func TestExportFails(t *testing.T) {
	s := begin(t, setting{idle: true, store: func(whole *sqlite.Store) study.Store { return broken{whole} }})
	study := s.draft(quick())
	_, err := s.owner.Import(t.Context(), study.ID, "", file("a.csv", "shown_1,shown_2,pick_1\napple,pear,pear\n"))
	s.must(err)
	var text bytes.Buffer
	if err := s.owner.Export(t.Context(), study.ID, "log", "", &text); !errors.Is(err, io.ErrUnexpectedEOF) &&
		!errors.Is(err, io.EOF) {
		t.Errorf("got %v and %d bytes", err, text.Len())
	}
	// The server logs the error before it aborts the connection, without the ID, which lets anyone
	// answer.
	if log := s.log.String(); !strings.Contains(log, "an export failed") ||
		!strings.Contains(log, "study="+access.Pseudonym(study.ID)) || strings.Contains(log, study.ID) {
		t.Errorf("the log is %s", log)
	}
	s.refused(s.owner.Export(t.Context(), study.ID, "answers", "", &text), 500, "", "")
}

// A panicking store panics when a token is looked up.
type panicking struct{ *sqlite.Store }

func (panicking) Token(context.Context, string) (access.Token, error) { panic(inside) }

// TestPanics: a panic is reported without its stack trace, which is logged.
func TestPanics(t *testing.T) {
	s := begin(t, setting{idle: true, api: api.Options{Tokens: panicking{}}})
	_, err := s.owner.Studies(t.Context(), "")
	problem := s.refused(err, 500, "", "")
	if strings.Contains(problem.Detail, "fire") {
		t.Errorf("the problem is %+v", problem)
	}
	if !strings.Contains(s.log.String(), inside) || !strings.Contains(s.log.String(), "failures_test.go") ||
		!strings.Contains(s.log.String(), "operation=list-studies") {
		t.Errorf("the log is %s", s.log)
	}
}

// TestCutOff: an incomplete body is a bad request, and the server keeps running.
func TestCutOff(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(quick())
	dialer := net.Dialer{Timeout: 5 * time.Second}
	connection, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	s.must(err)
	_, err = fmt.Fprintf(connection, "POST /api/v1/studies/%s/questions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", study.ID)
	s.must(err)
	half, ok := connection.(interface{ CloseWrite() error })
	if !ok {
		t.Fatal("the connection cannot be half-closed")
	}
	s.must(half.CloseWrite())
	reply, err := http.ReadResponse(bufio.NewReader(connection), nil)
	s.must(err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	s.must(err)
	if reply.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), wire.Invalid) {
		t.Errorf("%d %s", reply.StatusCode, text)
	}
	s.must(connection.Close())
	s.answer(study.ID, "anna")
	if s.log.String() != "" {
		t.Errorf("the log is %s", s.log)
	}
}

// A bad is an invalid request with the expected reply.
type bad struct {
	name     string
	sent     sent
	parts    []part // of a form
	status   int
	kind     string
	location string
}

// TestBadRequests: invalid requests are rejected with the location of the problem, and nothing
// changes.
func TestBadRequests(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(slow())
	q := s.ask(study.ID, "anna")
	other := s.ask(s.open(slow()).ID, "anna")
	var before, after bytes.Buffer
	s.must(s.owner.Export(t.Context(), study.ID, "log", "", &before))
	for _, c := range badRequests(study.ID, q, other) {
		c.sent.token = s.owner.Token
		if c.parts != nil {
			c.sent.kind, c.sent.body = s.form(c.parts...)
		}
		reply := s.send(c.sent)
		var problem wire.Problem
		s.must(reply.read(&problem))
		at := ""
		if len(problem.Errors) > 0 {
			at = problem.Errors[0].Location
		}
		if reply.status != c.status || problem.Type != c.kind || at != c.location {
			t.Errorf("%s: got %d %s at %q, want %d %s at %q: %s", c.name, reply.status, problem.Type, at, c.status, c.kind,
				c.location, reply.text)
		}
		if strings.Contains(reply.text, "multipart: ") || strings.Contains(reply.text, "EOF") {
			t.Errorf("%s: the problem contains an error of a library: %s", c.name, reply.text)
		}
		if len(reply.text) > 2000 {
			t.Errorf("%s: the problem has %d bytes", c.name, len(reply.text))
		}
	}
	s.must(s.owner.Export(t.Context(), study.ID, "log", "", &after))
	if outcomes(before.String()) != outcomes(after.String()) {
		t.Errorf("something changed from\n%s\nto\n%s", before.String(), after.String())
	}
	s.must(s.respondent.Answer(t.Context(), study.ID, q.Token, q.Arms[0].ID))
	page, err := s.owner.Studies(t.Context(), "")
	if err != nil || len(page.Studies) != 2 {
		t.Errorf("got %d studies, %v", len(page.Studies), err)
	}
}

// outcomes returns the lines of an export without plans, which are made concurrently.
func outcomes(export string) string {
	var lines strings.Builder
	for line := range strings.Lines(export) {
		if !strings.HasPrefix(line, `{"plan"`) {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

func badRequests(id string, q, other wire.Question) []bad {
	at := "/studies/" + id
	patch := func(body string) sent {
		return sent{method: http.MethodPatch, path: at, kind: "application/json", body: body, headers: []string{"If-Match", "*"}}
	}
	post := func(path, body string) sent {
		return sent{method: http.MethodPost, path: at + path, kind: "application/json", body: body}
	}
	get := func(path string) sent { return sent{method: http.MethodGet, path: path} }
	create := sent{method: http.MethodPost, path: "/studies"}
	catalogue, name := part{"catalogue", "fruits.csv", fruits}, part{"name", "", "x"}
	settings := func(text string) []part { return []part{catalogue, name, {"settings", "", text}} }
	picks := func(list string) string { return `{"token":"` + q.Token + `","picks":` + list + `}` }
	long := strings.Repeat("x", 201)
	all := badJSON(post, patch, q, picks, long)
	return append(all, []bad{
		{
			"a token of another study", post("/answers", `{"token":"`+other.Token+`","picks":["`+other.Arms[0].ID+`"]}`), nil, 422,
			wire.BadToken, "body.token",
		},
		{"a pick that was not shown", post("/answers", picks(`["mango"]`)), nil, 422, wire.Invalid, "body.picks[0]"},
		{"too many picks", post("/answers", picks(`["`+q.Arms[0].ID+`","`+q.Arms[1].ID+`"]`)), nil, 422, wire.Invalid, "body.picks"},
		{"a study that is not there", sent{
			method: http.MethodPost, path: "/studies/none/questions", kind: "application/json",
			body: "{}",
		}, nil, 404, wire.NotFound, ""},
		{"a study with a zero byte", get("/studies/a%00b"), nil, 404, wire.NotFound, ""},
		{"a study that is not UTF-8", get("/studies/%ff/verdict"), nil, 404, wire.NotFound, ""},
		{"a long name of a study", get("/studies/" + long), nil, 422, wire.Invalid, "path.study"},

		{"two limits", get("/studies?limit=1&limit=2"), nil, 422, wire.Invalid, "query.limit"},
		{"an unknown parameter", get("/studies?page=2"), nil, 422, wire.Invalid, "query.page"},
		{"no cursor", get("/studies?cursor=none"), nil, 422, wire.Invalid, "query.cursor"},
		{"a cursor with a zero byte", get("/studies?cursor=a%00"), nil, 422, wire.Invalid, "query.cursor"},
		{"a cursor that is not UTF-8", get("/studies?cursor=%ff"), nil, 422, wire.Invalid, "query.cursor"},
		{"a query that is none", get("/studies?cursor=%zz"), nil, 422, wire.Invalid, "query"},
		{"no cursor of arms", get(at + "/arms?cursor=-1"), nil, 422, wire.Invalid, "query.cursor"},
		{"a cursor after the last arm", get(at + "/arms?cursor=7"), nil, 422, wire.Invalid, "query.cursor"},
		{"no format", get(at + "/export/answers?format=xlsx"), nil, 422, wire.Invalid, "query.format"},

		{"no form", sent{method: http.MethodPost, path: "/studies", kind: "text/csv", body: "id"}, nil, 415, "", ""},
		{
			"no arms",
			sent{method: http.MethodPost, path: "/studies", kind: "application/json", body: "{}"},
			nil, 422,
			wire.Invalid, "body",
		},
		{
			"a form without a boundary",
			sent{method: http.MethodPost, path: "/studies", kind: "multipart/form-data", body: "x"},
			nil, 400,
			wire.Invalid, "body",
		},
		{"half a form", sent{
			method: http.MethodPost, path: "/studies", kind: "multipart/form-data; boundary=b",
			body: "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nx",
		}, nil, 400, wire.Invalid, "body"},
		{"a form with other line ends", sent{
			method: http.MethodPost, path: "/studies", kind: "multipart/form-data; boundary=b",
			body: "--b\nContent-Disposition: form-data; name=\"name\"\n\nx\n--b--\r\n",
		}, nil, 400, wire.Invalid, "body"},
		{"no catalogue", create, []part{name}, 422, wire.Invalid, "body.catalogue"},
		{"two catalogues", create, []part{catalogue, catalogue, name}, 422, wire.Invalid, "body.catalogue"},
		{"a catalogue that is no file", create, []part{{"catalogue", "", fruits}, name}, 422, wire.Invalid, "body.catalogue"},
		{"a name that is a file", create, []part{catalogue, {"name", "x.txt", "x"}}, 422, wire.Invalid, "body.name"},
		{"no name", create, []part{catalogue}, 422, wire.Invalid, "body.name"},
		{"two names", create, []part{catalogue, name, name}, 422, wire.Invalid, "body.name"},
		{"a name with a zero byte", create, []part{catalogue, {"name", "", "a\x00b"}}, 422, wire.Invalid, "body.name"},
		{"a prompt that is not UTF-8", create, []part{catalogue, name, {"prompt", "", "\xff"}}, 422, wire.Invalid, "body.prompt"},
		{
			"a file whose name is not UTF-8", create,
			[]part{{"catalogue", "\xff.csv", fruits}, name},
			422, wire.Invalid,
			"body.catalogue",
		},
		{
			"a file with a long name", create,
			[]part{{"catalogue", strings.Repeat("x", 256) + ".csv", "id\n"}, name},
			422, wire.Invalid,
			"body.catalogue",
		},
		{
			"a parameter with a long name", get("/studies?" + strings.Repeat("x", 3000) + "=1&" + strings.Repeat("x", 3000) + "=2"), nil,
			422, wire.Invalid, "query." + strings.Repeat("x", 244) + "…" + strings.Repeat("x", 250),
		},
		{"an unknown field", create, []part{catalogue, name, {"colour", "", "red"}}, 422, wire.Invalid, "body.colour"},
		{"an unknown file", create, []part{catalogue, name, {"photo", "x.png", "x"}}, 422, wire.Invalid, "body.photo"},
		{"dimensions in letters", create, []part{catalogue, name, {"dimensions", "", "two"}}, 422, wire.Invalid, "body.dimensions"},
		{"settings that are no JSON", create, settings("{"), 422, wire.Invalid, "body.settings"},
		{"an unknown setting", create, settings(`{"kk":3}`), 422, wire.Invalid, "body.settings.kk"},
		{"a setting twice", create, settings(`{"k":3,"k":4}`), 422, wire.Invalid, "body.settings"},
		{"half an arm", create, settings(`{"k":2.5}`), 422, wire.Invalid, "body.settings.k"},
		{"more arms than there are", create, settings(`{"k":7}`), 422, wire.Invalid, "body.settings.k"},
		{"all arms picked", create, settings(`{"k":3,"picks":3}`), 422, wire.Invalid, "body.settings.picks"},
		{"a number beyond all numbers", create, settings(`{"epsilon":1e400}`), 422, wire.Invalid, "body.settings"},
		{"a seed that is not exact", create, settings(`{"seed":9007199254740993}`), 422, wire.Invalid, "body.settings.seed"},
		{"half a grace", create, settings(`{"grace_seconds":-0.5}`), 422, wire.Invalid, "body.settings.grace_seconds"},
		{
			"a segment with a zero byte", create, settings(`{"model":{"segments":[{"name":"a\u0000","share":1}]}}`), 422, wire.Invalid,
			"body.settings",
		},

		{
			"no answers",
			sent{method: http.MethodPost, path: at + "/import"},
			[]part{{"batch", "", "x"}},
			422, wire.Invalid,
			"body.answers",
		},
	}...)
}

// badJSON returns requests with invalid JSON bodies.
func badJSON(post func(path, body string) sent, patch func(body string) sent, q wire.Question, picks func(string) string,
	long string,
) []bad {
	text := post("/questions", "{}")
	text.kind = "text/plain"
	return []bad{
		{"plain text", text, nil, 415, "", "body"},
		{"nothing", post("/questions", ""), nil, 400, wire.Invalid, ""},
		{"no JSON", post("/questions", "{"), nil, 400, wire.Invalid, "body"},
		{"more than JSON", post("/questions", "{} {}"), nil, 400, wire.Invalid, "body"},
		{"a list", post("/questions", "[]"), nil, 422, wire.Invalid, "body"},
		{"null", post("/questions", "null"), nil, 422, wire.Invalid, "body"},
		{"an unknown field", post("/questions", `{"name":"anna"}`), nil, 422, wire.Invalid, "body.name"},
		{"capitals", post("/questions", `{"Respondent":"anna"}`), nil, 422, wire.Invalid, "body.Respondent"},
		{"a field twice", post("/questions", `{"respondent":"anna","respondent":"bert"}`), nil, 400, wire.Invalid, "body"},
		{"a long respondent", post("/questions", `{"respondent":"`+long+`"}`), nil, 422, wire.Invalid, "body.respondent"},
		{"a respondent with a zero byte", post("/questions", `{"respondent":"a\u0000"}`), nil, 400, wire.Invalid, "body"},
		{"a respondent that is not UTF-8", post("/questions", "{\"respondent\":\"\xff\"}"), nil, 400, wire.Invalid, "body"},
		{"no token", post("/skips", `{}`), nil, 422, wire.Invalid, "body"},
		{"a token that is none", post("/undos", `{"token":"x"}`), nil, 422, wire.BadToken, "body.token"},
		{"no picks", post("/answers", `{"token":"`+q.Token+`"}`), nil, 422, wire.Invalid, "body.picks"},
		{"very many picks", post("/answers", picks("[0"+strings.Repeat(",0", 100_000)+"]")), nil, 400, wire.Invalid, "body"},
		{"a pick that is a slot", post("/answers", picks(`[1]`)), nil, 422, wire.Invalid, "body.picks[0]"},
		{"no such arm", post("/withdrawals", `{"arm":"kiwi"}`), nil, 422, wire.Invalid, "body.arm"},
		{"another id", patch(`{"id":"x"}`), nil, 422, wire.Invalid, "body.id"},
		{"a prompt with a zero byte", patch(`{"prompt":"a\u0000"}`), nil, 400, wire.Invalid, "body"},
	}
}
