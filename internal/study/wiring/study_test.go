package wiring_test

import (
	"context"
	"errors"
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
	"go.uber.org/goleak"

	"bestpick/checks"
	"bestpick/internal/api"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
	"bestpick/internal/web"
	"bestpick/strategy"
)

// TestStudyIsCertified: a study ends certified with the best arm, and its log leads to the same
// verdict, replayed from the beginning or from a snapshot.
func TestStudyIsCertified(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	for round := 0; s.Step(planner); round++ {
		if round > 800 {
			t.Fatal("the study does not end")
		}
		for i := range 10 {
			s.Answer(service, fmt.Sprint("r", i%5))
		}
		s.Pass(11 * time.Second)
		if round%10 == 9 { // another process takes over after a crash
			s.Crash()
			service = s.Service(fmt.Sprint("process ", round))
			planner = service.Planner(id)
		}
	}
	if ended := s.Study(); ended.State != study.Done || ended.Reason != study.Certified {
		t.Fatalf("%+v", ended)
	}
	if verdict, best := s.Agreed(), s.Best(0, 1, 2, 3, 4, 5, 6, 7); verdict.Leader != best || verdict.Status != "certified" {
		t.Errorf("%+v, the best arm is %d", verdict, best)
	}
	if _, err := service.Ask(t.Context(), id, "late", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("a done study asks: %v", err)
	}
}

// TestBudget: the budget ends a study, and can be changed until then. Imported answers count as
// well.
func TestBudget(t *testing.T) {
	settings := studytest.Three()
	settings.Budget = 100
	s := studytest.Begin(t, settings)
	service := s.Service("one")
	planner := service.Planner(id)
	s.Work(service, planner, 1, 4)
	s.Must(service.Import(t.Context(), id, "survey", s.Foreign(5)))
	s.Step(planner)
	_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error {
		st.Settings.Budget = 10
		return nil
	})
	s.Must(err)
	if !s.Step(planner) {
		t.Fatal("the study ends before the budget is spent")
	}
	leases := []dispatch.Lease{}
	for i := 0; err == nil && i < 20; i++ { // questions that were claimed before the change are dealt
		var lease dispatch.Lease
		lease, err = service.Ask(t.Context(), id, "anna", "")
		leases = append(leases, lease)
	}
	if !errors.Is(err, study.ErrFull) {
		t.Errorf("all places are held, and anna got %v", err)
	}
	s.Must(service.Answer(t.Context(), id, leases[0].Token, []int{0}))
	if err := service.Answer(t.Context(), id, leases[1].Token, []int{0}); !errors.Is(err, study.ErrFull) {
		t.Errorf("an answer beyond the budget: %v", err)
	}
	s.Pass(11 * time.Second)
	for range 2 {
		if s.Step(planner) {
			t.Error("the study continues after the budget is spent")
		}
	}
	if ended := s.Study(); ended.State != study.Done || ended.Reason != study.Spent {
		t.Errorf("%+v", ended)
	}
	if verdict := s.Agreed(); verdict.Answered != 10 || verdict.Status != "asking" {
		t.Errorf("%+v", verdict)
	}
	plans := s.Plans()
	if last := plans[len(plans)-1]; last.Done != study.Spent || last.Questions != nil {
		t.Errorf("the last plan is %q and asks %v", last.Done, last.Questions)
	}
}

// TestBudgetIsAimedAt: questions aim at the budget of a study when it is opened, also after edits, unless
// nothing is certified about it.
func TestBudgetIsAimedAt(t *testing.T) {
	for assumption, want := range map[strategy.Assumption]int{strategy.Majority: 0, strategy.Linear: 60} {
		s := studytest.Empty(t)
		settings := studytest.Three()
		settings.Budget, settings.Strategy.Assume, settings.PerRespondent = 60, assumption, 6
		s.Create(id, settings, study.Draft)
		service := s.Service("one")
		_, err := service.SetState(t.Context(), id, owner.Any, study.Open)
		s.Must(err)
		planner := service.Planner(id)
		s.Work(service, planner, 3, 2)
		_, err = service.Change(t.Context(), id, owner.Any, func(st *study.Study) error {
			st.Settings.Budget, st.Settings.Strategy.Budget = 70, 0 // as settings from outside
			return nil
		})
		s.Must(err)
		opened := s.Study().Settings.Strategy
		if opened.Budget != want {
			t.Errorf("%s: questions aim at a budget of %d, want %d", assumption, opened.Budget, want)
		}
		s.Work(service, planner, 3, 2)
		s.Agreed()
	}
}

// TestRefuted: if the answers contradict the model, the study ends without a certificate, and its ranges are withdrawn.
func TestRefuted(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	answers := s.ForeignList(3000)
	for i := range answers {
		if i%2 == 0 {
			answers[i].Picks = answers[i].Shown[:1] // always the first slot
		}
	}
	s.Must(service.Import(t.Context(), id, "careless", studytest.Yielding(answers...)))
	for i := 0; s.Step(planner); i++ {
		if i > 3 {
			t.Fatalf("the study continues: %+v", s.Agreed())
		}
	}
	if ended := s.Study(); ended.State != study.Done || ended.Reason != study.Refuted {
		t.Errorf("%+v", ended)
	}
	if verdict := s.Agreed(); verdict.Status != "decided" || verdict.Model.Status != checks.Refuted || verdict.Leaderboard != nil {
		t.Errorf("%+v", verdict)
	}
}

// id is the id of the study in most tests.
const id = studytest.ID

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

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
		request func(lease dispatch.Lease, pass, pick string) (path, kind, body string)
		next    string // what a reply with another question contains
	}{
		"interface": {
			func(s *wiring.Service) http.Handler { return api.Handler(s, api.Options{}) },
			func(lease dispatch.Lease, _, pick string) (path, kind, body string) {
				return api.Prefix + "/studies/" + id + "/answers", "application/json",
					fmt.Sprintf(`{"token":%q,"picks":[%q],"next":true}`, lease.Token, pick)
			},
			`"next":{"token":`,
		},
		"page": {
			func(s *wiring.Service) http.Handler { return web.Handler(s, web.Options{}) },
			func(lease dispatch.Lease, pass, _ string) (path, kind, body string) {
				form := url.Values{"token": {lease.Token}, "number": {"1"}, "pick": {"0"}, "respondent": {pass}}
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
			address, kind, text := path.request(lease, service.Parts.Dispatch.Pass(id, lease.Respondent), s.Arms.ID(lease.Shown[0]))
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
			const checked, signed, named = 1, 1, 1
			if got := macs.Load(); got != checked+signed+named {
				t.Errorf("%d MACs, want %d to check the token, %d to sign the next and %d for the name", got, checked, signed, named)
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
