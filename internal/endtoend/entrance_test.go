package endtoend

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// An entrance forwards requests to a server that can be restarted, at an address that stays the same. While
// there is no server it closes connections. It refuses every tenth request to the API with 429.
type entrance struct {
	*httptest.Server

	server   atomic.Pointer[url.URL]
	requests atomic.Int64
	limited  atomic.Int64 // requests refused
	Pages    http.Handler // serves all paths but those of the API, if set
}

func newEntrance(t *testing.T, p *process) *entrance {
	t.Helper()
	e := &entrance{}
	e.leadTo(t, p)
	forward := &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(e.server.Load()); r.Out.Host = r.In.Host },
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !strings.HasPrefix(r.URL.Path, "/api/") && e.Pages != nil:
			e.Pages.ServeHTTP(w, r)
		case e.server.Load() == nil:
			panic(http.ErrAbortHandler)
		case e.requests.Add(1)%10 == 0:
			e.limited.Add(1)
			w.Header().Set("Retry-After", "0")
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"type": "` + wire.TooMany + `", "status": 429}`)) // the client may be gone
		default:
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(e.Close)
	return e
}

// leadTo forwards requests to a process from now on; to none if it is nil.
func (e *entrance) leadTo(t *testing.T, p *process) {
	t.Helper()
	if p == nil {
		e.server.Store(nil)
		return
	}
	address := testsupport.Value(url.Parse(p.URL)).OrFail(t)
	e.server.Store(address)
}

// restartsUnder kills and restarts a server while a client answers through rate limits. The program prints
// respondent, arms shown and pick of each answer that was acknowledged, as JSON. These must be the answers of the
// log, each once.
func restartsUnder(t *testing.T, answer func(address, study string) string) {
	t.Helper()
	const answers = 4 * 25
	at := sqliteFile(t)
	p := start(t, at, "")
	id := someArms(t, 6, 0.01, 1).newStudy(t, p.Client, wire.Settings{K: 3, Delta: 1e-12, Grace: -1})
	door := newEntrance(t, p)
	var answering sync.WaitGroup
	var out string
	answering.Go(func() { out = answer(door.URL, id) })
	for restart := range 3 {
		eventually(t, "there are more answers", 30*time.Second, func() bool { return len(logged(t, p, id)) >= 20*(restart+1) })
		door.leadTo(t, nil)
		p.kill()
		p = start(t, at, p.Token)
		door.leadTo(t, p)
	}
	testsupport.Wait(t, "answering", answering.Wait)
	var acknowledged []string
	for line := range strings.Lines(out) {
		acknowledged = append(acknowledged, strings.Join(strings.Fields(line), ""))
	}
	slices.Sort(acknowledged)
	if got := logged(t, p, id); len(acknowledged) != answers || !slices.Equal(got, acknowledged) {
		t.Errorf("%d answers were acknowledged, want %d; %d are in the log:\n%v\n%v", len(acknowledged), answers, len(got),
			acknowledged, got)
	}
	if door.limited.Load() == 0 {
		t.Error("no request was refused")
	}
	p.stop(t)
}

// logged returns the answers in the log of a study, sorted.
func logged(t *testing.T, p *process, id string) (answers []string) {
	t.Helper()
	var export bytes.Buffer
	testsupport.NoError(t, p.Export(t.Context(), id, "answers", "jsonl", &export))
	for lines := bufio.NewScanner(&export); lines.Scan(); {
		var row struct {
			Respondent string   `json:"respondent"`
			Shown      []string `json:"shown"`
			Picks      []string `json:"picks"`
		}
		testsupport.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		if len(row.Picks) == 0 { // skipped
			continue
		}
		text := testsupport.Value(json.Marshal([]any{row.Respondent, row.Shown, row.Picks[0]})).OrFail(t)
		answers = append(answers, strings.Join(strings.Fields(string(text)), ""))
	}
	slices.Sort(answers)
	return answers
}
