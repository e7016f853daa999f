// Package wiring assembles the parts of a service that runs the studies of a store.
package wiring

import (
	"context"
	"crypto/rand"
	"time"

	"bestpick/internal/middleware"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/live"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/replay"
)

// A Service has the parts that run the studies of a store, in one of perhaps several processes.
type Service struct {
	Store        study.Store
	Secret       []byte   // shared by all processes on the store
	OtherSecrets [][]byte // see [Options]
	Clock        func() time.Time
	Live         *live.Studies
	Dispatch     *dispatch.Dispatcher
	Planning     *planning.Supervisor
	Overview     *overview.Reader
	Owner        *owner.Owner
}

// Options configure a service.
type Options struct {
	// Name identifies this process among all on the store. Defaults to a random name.
	Name string

	// Clock returns the time. Defaults to time.Now.
	Clock func() time.Time

	// Patience is how long a respondent waits for a question when the deck is empty. Defaults to 0.
	Patience time.Duration

	// Limiter limits the rate of questions per respondent. Defaults to no limit.
	Limiter *middleware.Limiter

	// Slice is the maximum number of outcomes that one plan counts. Defaults to [replay.MaxSlice].
	Slice int

	// Jobs stores erasures until they are completed. Defaults to none: a process that is killed does not complete them.
	Jobs owner.Jobs

	// OtherSecrets are earlier secrets. Their sessions and tickets are still accepted. Defaults to none.
	OtherSecrets [][]byte

	// Observer receives events, to count them. Defaults to none.
	Observer study.Observer

	// Trace starts a span around a planning step. It returns the span's context and a function that ends
	// it. Defaults to no tracing.
	Trace func(ctx context.Context, id string) (context.Context, func(planning.Activity, error))

	// Report receives errors of planning, which is retried. The id is that of a study, or empty. It must
	// be safe for concurrent use. Defaults to no report.
	Report func(id string, err error)
}

// New returns a service on a store.
func New(ctx context.Context, store study.Store, o Options) (*Service, error) {
	secret, err := store.Secret(ctx)
	if err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = rand.Text()
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Slice == 0 {
		o.Slice = replay.MaxSlice
	}
	if o.Observer == nil {
		o.Observer = study.Unobserved{}
	}
	if o.Trace == nil {
		o.Trace = func(ctx context.Context, _ string) (context.Context, func(planning.Activity, error)) {
			return ctx, func(planning.Activity, error) {}
		}
	}
	if o.Report == nil {
		o.Report = func(string, error) {}
	}
	if o.Jobs == nil {
		o.Jobs = owner.NoJobs{}
	}
	macs := []dispatch.MAC{dispatch.NewMAC(secret)}
	for _, other := range o.OtherSecrets {
		macs = append(macs, dispatch.NewMAC(other))
	}
	memory, cores := live.New(store, o.Clock), replay.NewCores()
	dispatcher := &dispatch.Dispatcher{
		Store: store, Live: memory, Clock: o.Clock, Patience: o.Patience, Observer: o.Observer, MAC: macs[0], OtherMACs: macs[1:],
		Limiter: o.Limiter,
	}
	reader := &overview.Reader{Store: store, Live: memory, Clock: o.Clock, Slice: o.Slice, Cores: cores}
	return &Service{
		Store: store, Secret: secret, OtherSecrets: o.OtherSecrets, Clock: o.Clock, Live: memory, Dispatch: dispatcher,
		Overview: reader,
		Planning: &planning.Supervisor{Environment: planning.Environment{
			Store: store, Live: memory, Clock: o.Clock, Name: o.Name, Cores: cores, Slice: o.Slice, Observer: o.Observer, Report: o.Report,
			Trace: o.Trace,
		}, Left: dispatcher.Close},
		Owner: &owner.Owner{
			Store: store, Live: memory, Clock: o.Clock, Reader: reader, Cores: cores, Slice: o.Slice, Observer: o.Observer,
			Report: o.Report,
			Forget: dispatcher.Forget, Jobs: o.Jobs,
		},
	}, nil
}
