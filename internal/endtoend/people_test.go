package endtoend

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bestpick/choice"
	"bestpick/client"
	"bestpick/crowd"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/study"
	"bestpick/internal/study/replay"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// A truth is a file of arms with the utilities of a simulated crowd.
type truth struct {
	file  string // CSV
	arms  *choice.Catalogue
	theta []float64
	best  string
}

// someArms returns n arms with two features. The best one is better than the next by gap to 1.5
// times gap.
func someArms(t *testing.T, n int, gap float64, seed uint64) truth {
	t.Helper()
	for rng := rand.New(rand.NewPCG(seed, 11)); ; {
		var file strings.Builder
		file.WriteString("id,x,y\n")
		for i := range n {
			fmt.Fprintf(&file, "a%d,%.3f,%.3f\n", i, rng.NormFloat64(), rng.NormFloat64())
		}
		text := strings.NewReader(file.String())
		encoded, err := archive.OpenUpload(read.Upload{Name: "arms.csv", Contents: text, Size: text.Size()}, catalogue.Options{}, 0)
		testsupport.NoError(t, err)
		theta := []float64{3 * rng.NormFloat64(), 3 * rng.NormFloat64()}
		utilities := make([]float64, n)
		encoded.Arms.Multiply(utilities, theta)
		sorted := slices.Sorted(slices.Values(utilities))
		if lead := sorted[n-1] - sorted[n-2]; lead >= gap && lead <= 1.5*gap {
			best := encoded.Arms.ID(slices.Index(utilities, sorted[n-1]))
			return truth{file.String(), encoded.Arms, theta, best}
		}
	}
}

// newStudy creates and opens a study of the arms.
func (w truth) newStudy(t *testing.T, c *client.Client, settings wire.Settings) string {
	t.Helper()
	id := w.draft(t, c, settings)
	testsupport.Value(c.Open(t.Context(), id)).OrFail(t)
	return id
}

// draft creates a study, and returns its id.
func (w truth) draft(t *testing.T, c *client.Client, settings wire.Settings) string {
	t.Helper()
	if settings.Assume == "" { // each answer counts at once
		settings.Assume, settings.Fallback, settings.Verify = "linear", new(0.0), cmp.Or(settings.Verify, new(0.0))
	}
	settings.People = cmp.Or(settings.People, new(0))
	created, err := c.Create(t.Context(), client.NewStudy{
		Name: "Arms", Settings: settings, Catalogue: client.File{Name: "arms.csv", Contents: strings.NewReader(w.file)},
	})
	testsupport.NoError(t, err)
	return created.Study.ID
}

// People answer studies over HTTP, through any of the running processes, and record the
// acknowledged answers. They retry answers that were not acknowledged, perhaps with another
// process.
type people struct {
	reach   func(try int) *client.Client
	studies map[string]truth

	// Behaviour besides answering.
	delay     time.Duration // mean time before an answer
	abandon   float64       // the share of abandoned questions
	duplicate float64       // the share of answers that are sent twice

	mutex        sync.Mutex
	acknowledged map[string]said // by respondent; each answers one question
	refused      []error         // unexpected rejections
	told         map[int]int     // numbers of replies without success by status
	broken       []error         // requests without a complete reply
	took         []time.Duration // durations of all requests
}

// said is an acknowledged answer.
type said struct{ study, pick string }

// answer has the given number of people answer concurrently, each question as a new respondent,
// until the context ends or no study is open.
func (p *people) answer(ctx context.Context, at int, name string) {
	var all sync.WaitGroup
	for person := range at {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(person), 5))
			ids := []string{}
			for id := range p.studies {
				ids = append(ids, id)
			}
			slices.Sort(ids)
			for n := 0; ctx.Err() == nil && len(ids) > 0; n++ {
				i := rng.IntN(len(ids))
				if !p.one(ctx, ids[i], fmt.Sprintf("%s-%d-%d", name, person, n), rng) {
					ids = slices.Delete(ids, i, i+1)
				}
			}
		})
	}
	stopped := make(chan struct{})
	go func() {
		all.Wait()
		close(stopped)
	}()
	select {
	case <-stopped:
		return
	case <-ctx.Done():
	}
	const limit = 2 * time.Minute // much longer than a request takes
	select {
	case <-stopped:
	case <-time.After(limit):
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.refused = append(p.refused, fmt.Errorf("people still answer %v after they were stopped", limit))
	}
}

// during has people answer while do runs.
func (p *people) during(t *testing.T, at int, name string, do func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var answering sync.WaitGroup
	defer testsupport.Wait(t, "answering", answering.Wait)
	defer cancel()
	answering.Go(func() { p.answer(ctx, at, name) })
	do()
}

// thinking is the mean time before an answer of people who are many enough without haste.
const thinking = 30 * time.Millisecond

// more waits until the given number of further answers are acknowledged.
func (p *people) more(t *testing.T, answers int) {
	t.Helper()
	enough := p.answers() + answers
	eventually(t, "people can answer", 20*time.Second, func() bool { return p.answers() >= enough })
}

// one answers one question, and reports whether the study is still open.
func (p *people) one(ctx context.Context, id, respondent string, rng *rand.Rand) bool {
	var question wire.Question
	over := false
	p.insist(ctx, func(c *client.Client) error {
		q, err := c.Ask(ctx, id, wire.Ask{Respondent: respondent})
		question = q
		if client.Is(err, wire.StudyDone) {
			over = true
			return nil
		}
		return err
	})
	if over || ctx.Err() != nil {
		return !over
	}
	if p.delay > 0 {
		select {
		case <-ctx.Done():
			return true
		case <-time.After(time.Duration(rng.ExpFloat64() * float64(p.delay))):
		}
	}
	if rng.Float64() < p.abandon {
		return true
	}
	world := p.studies[id]
	shown := make([]int, len(question.Arms))
	for slot, arm := range question.Arms {
		shown[slot], _ = world.arms.Index(arm.ID)
	}
	pick := question.Arms[crowd.NewMNL(world.arms, world.theta, rng).Pick(shown, 1)[0]].ID
	sends := 1
	if rng.Float64() < p.duplicate {
		sends = 2
	}
	for range sends {
		p.insist(ctx, func(c *client.Client) error {
			err := c.Answer(ctx, id, question.Token, pick)
			switch {
			case err == nil:
				p.mutex.Lock()
				p.acknowledged[respondent] = said{id, pick}
				p.mutex.Unlock()
			case client.Is(err, wire.StudyDone) || client.Is(err, wire.Replaced):
				return nil // too late, which is allowed
			}
			return err
		})
	}
	return true
}

// insist retries until a request succeeds. It records permanent rejections.
func (p *people) insist(ctx context.Context, do func(*client.Client) error) {
	for try := 0; ctx.Err() == nil; try++ {
		began := time.Now()
		err := do(p.reach(try))
		if ctx.Err() != nil {
			return
		}
		p.timed(time.Since(began))
		if err == nil {
			return
		}
		p.note(err)
		if isRefusal(err) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// timed records the duration of a request.
func (p *people) timed(took time.Duration) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.took = append(p.took, took)
}

// note records a failed request.
func (p *people) note(err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if problem, ok := errors.AsType[*client.Error](err); ok {
		if p.told == nil {
			p.told = map[int]int{}
		}
		p.told[problem.Status]++
	} else {
		p.broken = append(p.broken, err)
	}
	if isRefusal(err) {
		p.refused = append(p.refused, err)
	}
}

// answers returns the number of acknowledged answers.
func (p *people) answers() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return len(p.acknowledged)
}

// refusals returns the number of replies that asked to retry later.
func (p *people) refusals() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.told[http.StatusServiceUnavailable]
}

// isRefusal reports whether an error is a permanent rejection, not a temporary one.
func isRefusal(err error) bool {
	for _, kind := range []string{wire.Conflict, wire.TooLate, wire.BadToken, wire.Invalid, wire.NotFound, wire.Unauthorized} {
		if client.Is(err, kind) {
			return true
		}
	}
	return false
}

// checked checks that every acknowledged answer is in the log exactly once and unchanged, that no
// question has two answers, and that replaying the log gives its verdict.
func (p *people) checked(t *testing.T, at place) (answers int) {
	t.Helper()
	store := testsupport.Value(at.open(t.Context())).OrFail(t)
	defer store.Close()
	answers = p.logged(t, store)
	for id := range p.studies {
		replayed(t, store, id)
	}
	return answers
}

// logged compares the acknowledged answers with the log in the store.
func (p *people) logged(t *testing.T, store study.Store) (answers int) {
	t.Helper()
	return p.compared(t, func(id string) (all []study.Outcome) {
		const page = 1000
		for after := int64(0); ; after = all[len(all)-1].Number {
			log := testsupport.Value(store.Log(t.Context(), id, after, page)).OrFail(t)
			if len(log) == 0 {
				return all
			}
			all = append(all, log...)
		}
	})
}

// exported compares the acknowledged answers with the exported logs, which bestpick verify must accept.
func (p *people) exported(t *testing.T, c *client.Client) (answers int) {
	t.Helper()
	return p.compared(t, func(id string) (all []study.Outcome) {
		for line := range bytes.Lines(verified(t, c, id)) {
			var has struct {
				Outcome *study.Outcome `json:"outcome"`
			}
			testsupport.NoError(t, json.Unmarshal(line, &has))
			if has.Outcome != nil {
				all = append(all, *has.Outcome)
			}
		}
		return all
	})
}

// compared checks that every acknowledged answer is in the log of its study exactly once and
// unchanged, and that no question has two answers.
func (p *people) compared(t *testing.T, log func(id string) []study.Outcome) (answers int) {
	t.Helper()
	for _, err := range p.refused {
		t.Errorf("refused: %v", err)
	}
	found := map[string]said{}
	for id, world := range p.studies {
		questions := map[study.Position]bool{}
		for _, o := range log(id) {
			if o.Kind != study.Answered {
				continue
			}
			answers++
			if questions[o.Position] {
				t.Errorf("question %d has two answers", o.Position)
			}
			questions[o.Position] = true
			if before, twice := found[o.Respondent]; twice {
				t.Errorf("%s has answered %v and %v", o.Respondent, before, o)
			}
			found[o.Respondent] = said{id, world.arms.ID(o.Shown[o.Picks[0]])}
		}
	}
	for respondent, answer := range p.acknowledged {
		if found[respondent] != answer {
			t.Errorf("answer %v of %s was acknowledged, the log has %v", answer, respondent, found[respondent])
		}
	}
	return answers
}

// replayed compares the verdict of the last plan with that of a replay.
func replayed(t *testing.T, store study.Store, id string) {
	t.Helper()
	last := testsupport.Value(store.LastPlan(t.Context(), id)).OrFail(t)
	verdict := testsupport.Value(replay.Replay(t.Context(), store, id)).OrFail(t)
	if got := verdict.Text(); got != string(last.Verdict) {
		t.Errorf("study %s: replaying the log gives %s, the last plan has %s", id, got, last.Verdict)
	}
}
