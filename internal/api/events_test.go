package api_test

import (
	"bufio"
	"context"
	"iter"
	"net/http"
	"testing"
	"time"

	"bestpick/internal/api"
	"bestpick/wire"
)

// TestEventsOfChanges: changes of the study are events, and its deletion ends the stream with a
// problem.
func TestEventsOfChanges(t *testing.T) {
	s := begin(t, setting{})
	study := s.draft(quick())
	next, stop := iter.Pull2(s.owner.Events(t.Context(), study.ID))
	defer stop()
	_, err, _ := next()
	s.must(err)
	_, err = s.owner.Open(t.Context(), study.ID)
	s.must(err)
	for state := ""; state != "open"; {
		verdict, err, _ := next()
		s.must(err)
		state = verdict.State
	}
	s.must(s.owner.Delete(t.Context(), study.ID))
	for {
		_, err, more := next()
		if err != nil {
			s.refused(err, 404, wire.NotFound, "")
			break
		}
		if !more {
			t.Fatal("the events end without a problem")
		}
	}
	if _, err, more := next(); more {
		t.Errorf("an event follows the problem: %v", err)
	}
	_, err, _ = pull(s.owner.Events(t.Context(), study.ID))
	s.refused(err, 404, wire.NotFound, "")
}

// pull returns the first event of a stream.
func pull(events iter.Seq2[wire.Verdict, error]) (verdict wire.Verdict, err error, more bool) {
	next, stop := iter.Pull2(events)
	defer stop()
	return next()
}

// TestEventsEndOnClosing: when the server stops, streams end without an error.
func TestEventsEndOnClosing(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(quick())
	next, stop := iter.Pull2(s.owner.Events(t.Context(), study.ID))
	defer stop()
	_, err, _ := next()
	s.must(err)
	time.AfterFunc(20*time.Millisecond, func() { close(s.closing) })
	for more := true; more; {
		_, err, more = next()
		s.must(err)
	}
}

// TestEventsOfTheRevoked: a stream ends when its token is revoked.
func TestEventsOfTheRevoked(t *testing.T) {
	s := begin(t, setting{api: api.Options{Heartbeat: 10 * time.Millisecond}})
	study := s.open(quick())
	next, stop := iter.Pull2(s.viewer.Events(t.Context(), study.ID))
	defer stop()
	_, err, _ := next()
	s.must(err)
	time.Sleep(50 * time.Millisecond) // some heartbeats, which must not end the stream
	s.must(s.owner.RevokeToken(t.Context(), "viewer"))
	for err == nil {
		var more bool
		if _, err, more = next(); !more {
			t.Fatal("the events end without a problem")
		}
	}
	s.refused(err, 401, wire.Unauthorized, "")
}

// TestEventsAsText: the stream has the format and headers that browsers need, and ends when the
// client disconnects.
func TestEventsAsText(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(quick())
	s.answer(study.ID, "anna")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/v1/studies/"+study.ID+"/events", nil)
	s.must(err)
	request.Header.Set("Authorization", "Bearer "+s.viewer.Token)
	reply, err := s.owner.HTTP.Do(request)
	s.must(err)
	defer reply.Body.Close()
	if kind := reply.Header.Get("Content-Type"); kind != "text/event-stream" || reply.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the headers are %v", reply.Header)
	}
	lines := bufio.NewScanner(reply.Body)
	for _, want := range []string{"id: ", "event: verdict", `data: {"state":"open",`, ""} {
		if !lines.Scan() || len(lines.Text()) < len(want) || lines.Text()[:len(want)] != want {
			t.Errorf("got line %.50q, want %q", lines.Text(), want)
		}
	}
	head := s.send(sent{token: s.owner.Token, method: http.MethodHead, path: "/studies/" + study.ID + "/events"})
	if head.status != 200 || head.header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("HEAD: %d %v", head.status, head.header)
	}
}
