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
	if err := s.owner.Export(t.Context(), study.ID, "log", "", &text); !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		t.Errorf("got %v and %d bytes", err, text.Len())
	}
	// The server logs the error before it aborts the connection, without the ID, which lets anyone
	// answer.
	if log := s.log.String(); !strings.Contains(log, "an export failed") || !strings.Contains(log, "study="+access.Pseudonym(study.ID)) || strings.Contains(log, study.ID) {
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
	if !strings.Contains(s.log.String(), inside) || !strings.Contains(s.log.String(), "failures_test.go") || !strings.Contains(s.log.String(), "operation=list-studies") {
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
