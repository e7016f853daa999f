//go:build long

package planning_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/metrics"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
	"bestpick/strategy/racing"
)

// TestLongImport: a million imported answers, nearly all to different questions, are counted while
// respondents of this study and of another one answer. Questions are always available, and memory
// stays bounded.
func TestLongImport(t *testing.T) {
	const batches, rows = 20, 50_000
	s := studytest.Empty(t)
	s.SetClock(time.Now())
	rng := rand.New(rand.NewPCG(1, 1))
	var text bytes.Buffer
	text.WriteString("id,a,b,c,d,e,f\n")
	for i := range 100 {
		fmt.Fprintf(&text, "a%d", i)
		for range 6 {
			fmt.Fprintf(&text, ",%.4f", rng.NormFloat64())
		}
		text.WriteString("\n")
	}
	table, err := read.Table(&text, "arms.csv", catalogue.Options{})
	s.Must(err)
	encoded, err := archive.Encode(table, 0)
	s.Must(err)
	s.Saved, s.Arms = &encoded.Catalogue, encoded.Arms
	settings := study.Settings{Strategy: racing.Settings{K: 4, Seed: 1}, Lease: time.Hour, Grace: -1}
	s.Create(id, settings, study.Open)
	s.Create("other", settings, study.Open)

	before := used()
	p := start(s, "one", s.Store)
	s.Ask(p.Service, "first")
	impatient := s.ServiceOn(s.Store, wiring.Options{Name: "desk"})
	var asking sync.WaitGroup
	ended, peak := make(chan struct{}), &memory{}
	var other, same answering
	asking.Go(func() { peak.watch(ended) })
	asking.Go(func() { other.keep(t.Context(), impatient, "other", ended) })
	asking.Go(func() { same.keep(t.Context(), impatient, id, ended) })
	for batch := range batches {
		answers := make([]owner.ImportedAnswer, rows)
		for i := range answers {
			question := rng.Perm(100)[:4]
			for _, arm := range question {
				answers[i].Shown = append(answers[i].Shown, s.Arms.ID(arm))
			}
			answers[i].Picks = answers[i].Shown[:1]
			answers[i].Respondent = fmt.Sprint("f", i%1000)
		}
		s.Must(p.Import(t.Context(), id, strconv.Itoa(batch), studytest.Yielding(answers...)))
	}
	imported := used()
	t.Logf("imported with %v of CPU", imported-before)
	peak.reset()
	other.reset()
	same.reset()
	counting, said := time.Now(), 0
	for {
		progress, err := p.Progress(t.Context(), id)
		s.Must(err)
		if progress.Uncounted > 0 {
			said++
		}
		if progress.Verdict.Answered >= batches*rows {
			break
		}
		if time.Since(counting) > 40*time.Minute {
			t.Error("the import is never counted")
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Logf("counted after %v more, with %v of CPU in all; %d plans", time.Since(counting), used()-before, planCount(s))
	close(ended)
	asking.Wait()
	p.stop()
	t.Logf("heap: %d MB live at most, %d MB including garbage", peak.live>>20, peak.most>>20)
	t.Logf("the same study: %v; another one: %v", &same, &other)
	if peak.live > 300<<20 {
		t.Errorf("the heap had %d MB", peak.live>>20)
	}
	if same.none > 0 || other.none > 0 || said == 0 {
		t.Errorf("no question was available %d and %d times", same.none, other.none)
	}
	if late := other.percentile(0.99); late > 2*time.Second {
		t.Errorf("answers to another study took %v", late)
	}
	if said := p.reported(); said != nil {
		t.Errorf("reported: %q", said)
	}
	sliced(s, 5000)
	if progress, err := p.Progress(t.Context(), id); err != nil || progress.Uncounted > 0 {
		t.Errorf("%d outcomes are not counted: %v", progress.Uncounted, err)
	}
}

// used returns the CPU time of this process.
func used() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// memory is the peak memory use.
type memory struct {
	mutex      sync.Mutex
	most, live uint64
}

func (m *memory) watch(ended <-chan struct{}) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	for {
		select {
		case <-ended:
			return
		case <-time.After(20 * time.Millisecond):
		}
		metrics.Read(samples)
		m.mutex.Lock()
		m.most, m.live = max(m.most, samples[0].Value.Uint64()), max(m.live, samples[1].Value.Uint64())
		m.mutex.Unlock()
	}
}

func (m *memory) reset() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.most, m.live = 0, 0
}

// An answering is a respondent who answers five questions a second.
type answering struct {
	none  int // times without a question
	mutex sync.Mutex
	took  []time.Duration
}

// reset discards the measured times: imports, which block the database for some time, are not
// measured.
func (a *answering) reset() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.took = nil
}

func (a *answering) keep(ctx context.Context, service *studytest.Service, of string, ended <-chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-ended:
			return
		case <-time.After(200 * time.Millisecond):
		}
		began := time.Now()
		lease, err := service.Ask(ctx, of, fmt.Sprint("r", i), "")
		if errors.Is(err, study.ErrNoQuestion) {
			a.none++
			continue
		}
		if err == nil {
			err = service.Answer(ctx, of, lease.Token, []int{i % 4})
		}
		if err != nil {
			panic(err)
		}
		a.mutex.Lock()
		a.took = append(a.took, time.Since(began))
		a.mutex.Unlock()
	}
}

// percentile returns the time within which a share of the answers was recorded.
func (a *answering) percentile(share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(a.took))
	return sorted[int(share*float64(len(sorted)-1))]
}

func (a *answering) String() string {
	return fmt.Sprintf("%d answers, p50 %v, p99 %v, at most %v; %d times no question", len(a.took), a.percentile(0.5),
		a.percentile(0.99), a.percentile(1), a.none)
}
