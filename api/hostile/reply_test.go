package hostile_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"bestpick/api/hostile"
	"bestpick/api/wire"
)

// A reply is what the interface writes.
type reply struct {
	header          http.Header
	method, address string
	status          int
	body            bytes.Buffer
	enough          func() // ends what would not end by itself, after the first event
	read            int64  // bytes of the request
}

func (r *reply) Header() http.Header { return r.header }

func (r *reply) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

func (r *reply) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}

// FlushError is called after every event.
func (r *reply) FlushError() error {
	r.enough()
	return nil
}

func (r *reply) SetReadDeadline(time.Time) error  { return nil }
func (r *reply) SetWriteDeadline(time.Time) error { return nil }

// packages are some that errors or types may be named after.
const packages = `(access|answers|api|bufio|catalogue|choice|csv|flate|fs|gzip|http|huma|io|json|mime|multipart|net|os|parquet|parquets|sql|sqlite|strategy|strconv|study|table|textproto|thrift|time|url|utf8|webhook|wire|yaml|zip)`

// inside is what tells of the inside: stack traces, types, and errors with the names of packages before them.
var inside = regexp.MustCompile(`goroutine \d|\.go:\d|runtime error|0x[0-9a-f]{8}|interface \{\}|map\[string\]|\[\]string|("|: )` + packages + `: |[^\w.]` + packages + `\.[A-Z]\w+`)

// check checks what must be true of every reply, and that nothing changed unless it says so.
func (s *stage) check(t testing.TB, r hostile.Request, w *reply) {
	t.Helper()
	if w.status >= 500 && !(w.status == http.StatusServiceUnavailable && bytes.Contains(w.body.Bytes(), []byte(wire.NoQuestion))) {
		t.Errorf("the status is %d: %s", w.status, w.body.String())
	}
	if w.status >= 400 {
		checkProblem(t, w)
	}
	if s.log.Len() > 0 {
		t.Errorf("the log has %s", s.log.String())
	}
	if w.read > largest+1<<20 {
		t.Errorf("%d bytes were read", w.read)
	}
	// Whoever asks may find that questions which nobody can be asked any more are lost, whether or not there is another.
	// That something was exported is written down.
	exported := strings.HasPrefix(r.Operation, "export-")
	changing := w.status < 300 && (exported || w.method != http.MethodGet && w.method != http.MethodHead)
	if s.look.changed(t) && !changing && w.status != http.StatusServiceUnavailable {
		t.Errorf("something was written, and the reply was %d %s", w.status, w.body.String())
	}
	if changing {
		s.learn(t, r, w)
		s.look.changed(t)
	}
}

// checkProblem checks that a problem is one, and says nothing of what is inside.
func checkProblem(t testing.TB, w *reply) {
	t.Helper()
	var problem wire.Problem
	strict := json.NewDecoder(bytes.NewReader(w.body.Bytes()))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&problem); err != nil || problem.Status != w.status || problem.Title == "" || w.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%d %v with %.2000s: %v", w.status, w.header, w.body.String(), err)
	}
	if found := inside.FindString(w.body.String()); found != "" {
		t.Errorf("the problem tells of %q: %s", found, w.body.String())
	}
	if w.body.Len() > 50_000 {
		t.Errorf("the problem has %d bytes: %.2000s", w.body.Len(), w.body.String())
	}
}
