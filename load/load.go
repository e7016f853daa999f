// Package load measures what a server can take: clients that ask, think and answer, one question after
// the other, as fast as it lets them.
package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"bestpick/api/wire"
	"bestpick/client"
)

// Options say how a server is loaded.
type Options struct {
	// Server returns what a client talks to the server with: one for each, if each is to have a connection.
	Server func() *client.Client

	// Study is the id of one that is open.
	Study string

	// Clients is how many there are at a time. Default 64.
	Clients int

	// Each is how many questions one respondent answers before the client becomes another one.
	// Default 20.
	Each int

	// People is how many respondents there are, who come again and again. Default they are always new.
	People int

	// Think is how long a client thinks, on average, before it answers. So long it also takes until all
	// have come, or a second. Default not at all.
	Think time.Duration

	// Answers ends it after so many. Default never.
	Answers int

	// Inside returns what the server has taken of its machine so far. Default that is not looked at.
	Inside func(ctx context.Context) (Inside, error)
}

// A Report is what was measured.
type Report struct {
	Clients int            `json:"clients"`
	Seconds float64        `json:"seconds"`
	Answers int            `json:"answers"` // acknowledged
	Rate    float64        `json:"answers_per_second"`
	Errors  int            `json:"errors"`
	Share   float64        `json:"error_share"` // of requests
	Kinds   map[string]int `json:"errors_by_kind,omitempty"`
	Ask     Latency        `json:"ask"`
	Answer  Latency        `json:"answer"`
	Memory  *Memory        `json:"memory,omitempty"`

	// Processor is how long the server was at work for each answer, over all processors, in milliseconds.
	Processor float64 `json:"processor_ms_per_answer,omitempty"`
}

// A run is one call of Run.
type run struct {
	Options

	begin       time.Time
	visits      atomic.Int64
	answers     atomic.Int64
	ask, answer histogram
	inside      inside
	mutex       sync.Mutex
	errors      map[string]int
}

// Run loads a server until the context ends, or until there are enough answers. The clients come when the first
// questions are planned.
func Run(ctx context.Context, o Options) Report {
	if o.Clients == 0 {
		o.Clients = 64
	}
	if o.Each == 0 {
		o.Each = 20
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run{Options: o, errors: map[string]int{}}
	r.prepare(ctx, o.Server())
	r.begin = time.Now()
	r.inside.look(ctx, o.Inside)
	var watching, clients sync.WaitGroup
	watching.Go(func() { r.inside.watch(ctx, o.Inside) })
	for n := range o.Clients {
		clients.Go(func() { r.client(ctx, cancel, n) })
	}
	clients.Wait()
	took := time.Since(r.begin)
	cancel()
	watching.Wait()
	r.inside.look(context.WithoutCancel(ctx), o.Inside)
	return r.report(took)
}

// prepare waits until there is a question.
func (r *run) prepare(ctx context.Context, server *client.Client) {
	const most = 100
	for range most {
		question, err := server.Ask(ctx, r.Study, wire.Ask{})
		if err == nil {
			_ = server.Skip(ctx, r.Study, question.Token) // otherwise it is asked again later
			return
		}
		if !pause(ctx, 100*time.Millisecond) {
			return
		}
	}
}

// client asks and answers. What it has sent it waits for, also when the context ends. Like people, clients neither
// come nor leave all at once: for its first respondent, a client comes later, and in the middle of the questions.
func (r *run) client(ctx context.Context, enough func(), number int) {
	rng := rand.New(rand.NewPCG(uint64(number), 1))
	if !pause(ctx, time.Duration(rng.Float64()*float64(max(r.Think, time.Second)))) {
		return
	}
	server := r.Server()
	if server.HTTP != nil {
		defer server.HTTP.CloseIdleConnections()
	}
	var question *wire.Question
	for n := rng.IntN(r.Each); ctx.Err() == nil; n++ {
		if question == nil {
			if question = r.first(ctx, server, r.somebody()); question == nil {
				continue
			}
		}
		if !pause(ctx, time.Duration(rng.ExpFloat64()*float64(r.Think))) {
			return
		}
		next, ok := r.pick(ctx, server, rng, question, (n+1)%r.Each > 0)
		if question = next; ok && r.answers.Add(1) == int64(r.Answers) {
			enough()
		}
	}
}

// pick answers a question and asks for another one, unless it was the respondent's last.
func (r *run) pick(ctx context.Context, server *client.Client, rng *rand.Rand, question *wire.Question, more bool) (next *wire.Question, ok bool) {
	picks := make([]string, question.Picks)
	for i, slot := range rng.Perm(len(question.Arms))[:question.Picks] {
		picks[i] = question.Arms[slot].ID
	}
	begin := time.Now()
	ctx = context.WithoutCancel(ctx)
	var err error
	if more {
		next, err = server.AnswerAndAsk(ctx, r.Study, question.Token, picks...)
	} else {
		err = server.Answer(ctx, r.Study, question.Token, picks...)
	}
	return next, r.took(&r.answer, begin, err)
}

// somebody is the name of a respondent who comes now.
func (r *run) somebody() string {
	visit := r.visits.Add(1)
	if r.People > 0 {
		visit %= int64(r.People)
	}
	return fmt.Sprintf("load-%d-%d", r.begin.UnixNano(), visit)
}

// first asks for the first question of a respondent, or for one after there was none.
func (r *run) first(ctx context.Context, server *client.Client, respondent string) *wire.Question {
	begin := time.Now()
	question, err := server.Ask(context.WithoutCancel(ctx), r.Study, wire.Ask{Respondent: respondent})
	if !r.took(&r.ask, begin, err) {
		return nil
	}
	return &question
}

// pause waits, and reports whether to go on.
func pause(ctx context.Context, d time.Duration) bool {
	if d == 0 {
		return true
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// took notes how long a request took, or what went wrong. It reports whether it went well.
func (r *run) took(h *histogram, begin time.Time, err error) bool {
	if err == nil {
		h.add(time.Since(begin))
		return true
	}
	kind := "no reply"
	if problem, ok := errors.AsType[*client.Error](err); ok {
		kind = problem.Title
		if problem.Type != "" {
			kind = problem.Type
		}
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.errors[kind]++
	return false
}

func (r *run) report(took time.Duration) Report {
	report := Report{
		Clients: r.Clients, Seconds: took.Seconds(), Answers: r.answer.total, Rate: float64(r.answer.total) / took.Seconds(),
		Kinds: r.errors, Ask: r.ask.latency(), Answer: r.answer.latency(), Memory: r.inside.memory(),
		Processor: r.inside.processor(r.answer.total),
	}
	for _, n := range r.errors {
		report.Errors += n
	}
	if requests := r.ask.total + r.answer.total + report.Errors; requests > 0 {
		report.Share = float64(report.Errors) / float64(requests)
	}
	return report
}
