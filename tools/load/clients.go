package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"bestpick/client"
	"bestpick/wire"
)

// Options configure a measurement.
type Options struct {
	// Server returns the API client of one load client. Return different ones for separate connections.
	Server func() *client.Client

	// Studies are the ids of open studies. Each respondent answers one of them, in turn.
	Studies []string

	// Clients is the number of concurrent clients. Defaults to 64.
	Clients int

	// Each is the number of questions per respondent; then the client continues as another respondent.
	Each int

	// Think is the mean think time before an answer. Clients start over that interval, or over one second. Defaults to 0.
	Think time.Duration

	// Answers ends the measurement after this many answers. Defaults to no limit.
	Answers int

	// Every is the time between two readings of the usage. Defaults to one second.
	Every time.Duration

	// Usage reads what the server has used so far. Optional.
	Usage func(ctx context.Context) (Usage, error)
}

// A Report is the result of a measurement.
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

	// Processor is the CPU time of the server per answer, over all cores, in milliseconds.
	Processor float64 `json:"processor_ms_per_answer,omitempty"`

	// Transactions is the number of transactions of the database per answer, where it counts them.
	Transactions float64 `json:"transactions_per_answer,omitempty"`
}

// A run is the state of one call of Run.
type run struct {
	Options

	begin       time.Time
	visits      atomic.Int64
	answers     atomic.Int64
	ask, answer latencies
	usage       samples
	mutex       sync.Mutex
	errors      map[string]int
}

// Run loads a server until the context ends, or until it has o.Answers answers. Clients start when all
// studies have their first questions.
func Run(ctx context.Context, o Options) Report {
	if o.Clients == 0 {
		o.Clients = 64
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run{Options: o, errors: map[string]int{}}
	server := o.Server()
	for _, study := range o.Studies {
		prepare(ctx, server, study)
	}
	r.begin = time.Now()
	r.usage.add(ctx, o.Usage)
	var watching, clients sync.WaitGroup
	watching.Go(func() { r.usage.watch(ctx, o.Every, o.Usage) })
	for n := range o.Clients {
		clients.Go(func() { r.client(ctx, cancel, n) })
	}
	clients.Wait()
	took := time.Since(r.begin)
	cancel()
	watching.Wait()
	r.usage.add(context.WithoutCancel(ctx), o.Usage)
	return r.report(took)
}

// prepare waits, up to 10 s, until a study has a question.
func prepare(ctx context.Context, server *client.Client, study string) {
	const maxTries = 100
	for range maxTries {
		question, err := server.Ask(ctx, study, wire.Ask{})
		if err == nil {
			_ = server.Skip(ctx, study, question.Token) // an unanswered question would be asked again later
			return
		}
		if !pause(ctx, 100*time.Millisecond) {
			return
		}
	}
}

// client asks and answers. It waits for the replies to its requests even after the context ends. Clients start at random times,
// in the middle of their first respondent's questions, so that they do not run in step.
func (r *run) client(ctx context.Context, enough func(), number int) {
	rng := rand.New(rand.NewPCG(uint64(number), 1))
	if !pause(ctx, time.Duration(rng.Float64()*float64(max(r.Think, time.Second)))) {
		return
	}
	server := r.Server()
	if server.HTTP != nil {
		defer server.HTTP.CloseIdleConnections()
	}
	var study string
	var question *wire.Question
	for n := rng.IntN(r.Each); ctx.Err() == nil; n++ {
		if question == nil {
			study = r.Studies[r.visits.Add(1)%int64(len(r.Studies))]
			if question = r.first(ctx, server, study); question == nil {
				continue
			}
		}
		if !pause(ctx, time.Duration(rng.ExpFloat64()*float64(r.Think))) {
			return
		}
		next, ok := r.pick(ctx, server, rng, study, question, (n+1)%r.Each > 0)
		if question = next; ok && r.answers.Add(1) == int64(r.Answers) {
			enough()
		}
	}
}

// pick answers a question and asks for another one, unless it was the respondent's last.
func (r *run) pick(ctx context.Context, server *client.Client, rng *rand.Rand, study string, question *wire.Question,
	more bool,
) (next *wire.Question, ok bool) {
	picks := make([]string, question.Picks)
	for i, slot := range rng.Perm(len(question.Arms))[:question.Picks] {
		picks[i] = question.Arms[slot].ID
	}
	begin := time.Now()
	ctx = context.WithoutCancel(ctx)
	var err error
	if more {
		next, err = server.AnswerAndAsk(ctx, study, question.Token, picks...)
	} else {
		err = server.Answer(ctx, study, question.Token, picks...)
	}
	return next, r.took(&r.answer, begin, err)
}

// first asks for the first question of a new respondent, whom the server names.
func (r *run) first(ctx context.Context, server *client.Client, study string) *wire.Question {
	ctx = context.WithoutCancel(ctx)
	welcome, err := server.Welcome(ctx, study)
	begin := time.Now()
	var question wire.Question
	if err == nil {
		question, err = server.Ask(ctx, study, wire.Ask{Respondent: welcome.Respondent})
	}
	if !r.took(&r.ask, begin, err) {
		return nil
	}
	return &question
}

// pause waits, and reports whether the context is still valid.
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

// took records the latency of a request, or its error. It reports whether the request succeeded.
func (r *run) took(l *latencies, begin time.Time, err error) bool {
	if err == nil {
		l.add(time.Since(begin))
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
		Clients: r.Clients, Seconds: took.Seconds(), Answers: len(r.answer.all), Rate: float64(len(r.answer.all)) / took.Seconds(),
		Kinds: r.errors, Ask: r.ask.summary(), Answer: r.answer.summary(), Memory: r.usage.memory(),
		Processor:    1000 * r.usage.perAnswer(func(u Usage) float64 { return u.Processor }, len(r.answer.all)),
		Transactions: r.usage.perAnswer(func(u Usage) float64 { return u.Transactions }, len(r.answer.all)),
	}
	for _, n := range r.errors {
		report.Errors += n
	}
	if requests := len(r.ask.all) + len(r.answer.all) + report.Errors; requests > 0 {
		report.Share = float64(report.Errors) / float64(requests)
	}
	return report
}
