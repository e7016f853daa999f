package wiring_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/api"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
	"bestpick/internal/web"
)

// A lookups store counts the reads of a study.
type lookups struct {
	study.Store

	studies atomic.Int64
}

func (l *lookups) Study(ctx context.Context, id string) (study.Study, error) {
	l.studies.Add(1)
	return l.Store.Study(ctx, id)
}

// A oneWay body counts how often it is read to its end.
type oneWay struct {
	io.Reader

	ends int
}

func (b *oneWay) Read(to []byte) (int, error) {
	n, err := b.Reader.Read(to)
	if err == io.EOF {
		b.ends++
	}
	return n, err
}

// countDecoding counts how often the library of the API decodes JSON in handlers made from now on.
func countDecoding(t *testing.T) *atomic.Int64 {
	t.Helper()
	const kind = "application/json"
	var count atomic.Int64
	before := huma.DefaultFormats[kind]
	t.Cleanup(func() { huma.DefaultFormats[kind] = before })
	counting := before
	counting.Unmarshal = func(data []byte, v any) error {
		count.Add(1)
		return before.Unmarshal(data, v)
	}
	huma.DefaultFormats[kind] = counting
	return &count
}

// TestPathOfAnswer tests that an answer and the question after it take one MAC check, one lookup of
// the study and one parse of the request body, through the API and through the page.
func TestPathOfAnswer(t *testing.T) {
	paths := map[string]struct {
		handler func(*wiring.Service) http.Handler
		request func(lease dispatch.Lease, pick string) (path, kind, body string)
		next    string // what a reply with another question contains
	}{
		"interface": {
			func(s *wiring.Service) http.Handler { return api.Handler(s, api.Options{}) },
			func(lease dispatch.Lease, pick string) (path, kind, body string) {
				return api.Prefix + "/studies/" + id + "/answers", "application/json", fmt.Sprintf(`{"token":%q,"picks":[%q],"next":true}`, lease.Token, pick)
			},
			`"next":{"token":`,
		},
		"page": {
			func(s *wiring.Service) http.Handler { return web.Handler(s, web.Options{}) },
			func(lease dispatch.Lease, _ string) (path, kind, body string) {
				form := url.Values{"token": {lease.Token}, "number": {"1"}, "pick": {"0"}, "respondent": {lease.Respondent}}
				return "/s/" + id + "/answer", "application/x-www-form-urlencoded", form.Encode()
			},
			`name="token"`,
		},
	}
	for name, path := range paths {
		t.Run(name, func(t *testing.T) {
			s := studytest.Begin(t, studytest.Three())
			store := &lookups{Store: s.Store}
			service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: func() time.Time {
				s.Pass(time.Second / 4) // so that no cached study is fresh
				return s.Clock()
			}})
			s.Step(s.Service("planner").Planner(id))
			decoded := countDecoding(t)
			handler := path.handler(service.Parts)
			lease := s.Ask(service, study.NewName())
			_, err := service.Live.Arms(t.Context(), s.Study()) // cached from now on
			s.Must(err)
			address, kind, text := path.request(lease, s.Arms.ID(lease.Shown[0]))
			macs := countMACs(service)
			store.studies.Store(0)
			body := &oneWay{Reader: strings.NewReader(text)}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
			r.Header.Set("Content-Type", kind)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), path.next) {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			if got := s.Outcomes(); len(got) != 1 || got[0].Kind != study.Answered {
				t.Errorf("the log is %+v", got)
			}
			const checked, signed = 1, 1
			if got := macs.Load(); got != checked+signed {
				t.Errorf("%d MACs, want %d to check the token and %d to sign the next", got, checked, signed)
			}
			if got := store.studies.Load(); got != 1 {
				t.Errorf("the study is looked up %d times", got)
			}
			if body.ends != 1 {
				t.Errorf("the body is read %d times", body.ends)
			}
			if got := decoded.Load(); got != 0 {
				t.Errorf("the body is decoded %d times after it was read", got)
			}
		})
	}
}

// countMACs counts the message authentication codes that are computed from now on, to open or sign
// tokens.
func countMACs(p *studytest.Service) *atomic.Int64 {
	var n atomic.Int64
	sum := p.MAC
	p.MAC = func(text []byte) []byte {
		n.Add(1)
		return sum(text)
	}
	return &n
}
