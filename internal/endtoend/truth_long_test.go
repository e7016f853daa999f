//go:build long

package endtoend

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/crowd"
	"bestpick/internal/testsupport"
	"bestpick/simulate"
	"bestpick/wire"
)

// TestLongTruth runs 20 studies of similar options, which split votes where people pick one of three, and 20
// in which fans of the rival take twice as long, at δ = 0.1 with default settings and no grace period.
// Forty people at a time answer each study over HTTP, at 0.2 s per answer. At most 4 verdicts may be about
// an option over which more than 55 in 100 people choose another one of these two alone.
func TestLongTruth(t *testing.T) {
	const studies, atATime = 20, 5
	p := start(t, sqliteFile(t), "")
	wrong := 0
	for _, trouble := range []simulate.Trouble{{Kind: "clones", Share: 0.6}, {Kind: "pace", Share: 0.6, Strength: 2}} {
		var all sync.WaitGroup
		var mutex sync.Mutex
		certified, mistakes, answers, places := 0, 0, 0, make(chan struct{}, atATime)
		for i := range studies {
			places <- struct{}{}
			all.Go(func() {
				defer func() { <-places }()
				verdict, beaten := troubled(t, p.Client, trouble, uint64(i))
				mutex.Lock()
				defer mutex.Unlock()
				answers += verdict.Answers
				if verdict.Reason == "certified" {
					certified++
				}
				if verdict.Reason == "certified" && beaten > 0.55 {
					mistakes++
				}
			})
		}
		all.Wait() // each study has a limit
		t.Logf("%s: %d of %d certified, %d wrong; %d answers", trouble.Kind, certified, studies, mistakes, answers)
		wrong += mistakes
	}
	if wrong > 4 {
		t.Errorf("%d verdicts are wrong", wrong)
	}
	p.stop(t)
}

// troubled lets people answer a study of six options until it is decided, or has many answers. It returns
// the verdict, and the largest share of people who choose another option over the leader of these two alone.
func troubled(t *testing.T, c *client.Client, trouble simulate.Trouble, seed uint64) (wire.Verdict, float64) {
	t.Helper()
	const options, atOnce, maxAnswers = 6, 40, 8000
	instance, respondents, err := trouble.Of(options)
	testsupport.NoError(t, err)
	ids := []string{"id"}
	for arm := range options {
		ids = append(ids, instance.Catalogue.ID(arm))
	}
	file := strings.Join(ids, "\n")
	created, err := c.Create(t.Context(), client.NewStudy{
		Name: trouble.Kind, Settings: wire.Settings{Delta: 0.1, Grace: -1, Seed: seed + 1},
		Catalogue: client.File{Name: "options.csv", Contents: strings.NewReader(file)},
	})
	testsupport.NoError(t, err)
	id := created.Study.ID
	testsupport.Value(c.Open(t.Context(), id)).OrFail(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	people, _ := respondents(rand.New(rand.NewPCG(seed, 12))).(*crowd.People)
	var mutex sync.Mutex // of people
	answers := 0
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for ctx.Err() == nil {
				mutex.Lock()
				v := visitor{who: people.Arrive(), name: people.Name(), mutex: &mutex}
				enough := answers >= maxAnswers
				answers += people.Each
				mutex.Unlock()
				if enough || !v.answer(ctx, t, c, id, instance, people.Each) {
					return
				}
			}
		})
	}
	all.Wait()
	verdict := testsupport.Value(c.Verdict(t.Context(), id)).OrFail(t)
	if verdict.Leader == nil {
		return verdict, 0
	}
	leader, _ := instance.Catalogue.Index(verdict.Leader.ID)
	return verdict, instance.Beaten(leader)
}

// A visitor is a person of a crowd.
type visitor struct {
	who   crowd.Respondent
	name  string
	mutex *sync.Mutex // of the crowd
}

// answer answers questions of a study, and reports whether it is still open.
func (v visitor) answer(
	ctx context.Context, t *testing.T, c *client.Client, id string, instance simulate.Instance, questions int,
) (open bool) {
	t.Helper()
	pace := 1.0
	if habits, ok := v.who.(crowd.Habitual); ok && habits.Pace > 0 {
		pace = habits.Pace
	}
	question, err := v.ask(ctx, c, id)
	for n := 1; err == nil; n++ {
		shown := make([]int, len(question.Arms))
		for slot, arm := range question.Arms {
			shown[slot], _ = instance.Catalogue.Index(arm.ID)
		}
		v.mutex.Lock()
		var picks []string
		for _, slot := range v.who.Pick(shown, question.Picks) {
			picks = append(picks, question.Arms[slot].ID)
		}
		wait := time.Duration(pace * rand.ExpFloat64() * 0.2 * float64(time.Second))
		v.mutex.Unlock()
		select {
		case <-ctx.Done():
			return false
		case <-time.After(wait):
		}
		if err = c.Answer(ctx, id, question.Token, picks...); err == nil && n == questions {
			return true
		}
		if err == nil {
			question, err = v.ask(ctx, c, id)
		}
	}
	if !client.Is(err, wire.StudyDone) && ctx.Err() == nil {
		t.Error(fmt.Errorf("%s: %w", v.name, err))
	}
	return false
}

// ask asks for a question, and again if none is available, which can happen briefly under load.
func (v visitor) ask(ctx context.Context, c *client.Client, id string) (wire.Question, error) {
	for {
		question, err := c.Ask(ctx, id, wire.Ask{Respondent: v.name})
		if !client.Is(err, wire.NoQuestion) || ctx.Err() != nil {
			return question, err
		}
		time.Sleep(200 * time.Millisecond)
	}
}
