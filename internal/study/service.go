package study

import (
	"context"
	"crypto/rand"
	"time"
)

// A Service is the parts that run the studies of a store, in one of perhaps several processes.
type Service struct {
	Store    Store
	Secret   []byte // that all processes on the store share
	Live     *LiveStudies
	Dispatch *Dispatcher
	Planning *Supervisor
	Overview *OverviewReader
	Owner    *Owner
}

// Options are what a service needs from outside.
type Options struct {
	// Name is that of this process, different from all others'. Default a random one.
	Name string

	// Clock tells the time. Default time.Now.
	Clock func() time.Time

	// Patience is how long a respondent waits for a question when the deck is empty. Default not
	// at all.
	Patience time.Duration

	// Slice is how many outcomes one plan counts at most. Defaults to [MaxSlice].
	Slice int

	// Observer is told what happens. Default nobody is.
	Observer Observer

	// Trace is told when a study is to be planned. It returns the context in which that is done, and what is told what became
	// of it. Default nobody is.
	Trace func(ctx context.Context, id string) (context.Context, func(Activity, error))

	// Report is told what goes wrong while planning, which is tried again. It is called from many
	// goroutines. The id is that of a study, or empty. Default nobody is.
	Report func(id string, err error)
}

// NewService returns a service on a store.
func NewService(ctx context.Context, store Store, o Options) (*Service, error) {
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
		o.Slice = MaxSlice
	}
	if o.Observer == nil {
		o.Observer = Unobserved{}
	}
	if o.Trace == nil {
		o.Trace = func(ctx context.Context, _ string) (context.Context, func(Activity, error)) {
			return ctx, func(Activity, error) {}
		}
	}
	if o.Report == nil {
		o.Report = func(string, error) {}
	}
	live, cores := NewLiveStudies(store, o.Clock), NewCores()
	dispatcher := &Dispatcher{Store: store, Live: live, Clock: o.Clock, Patience: o.Patience, Observer: o.Observer, MAC: NewMAC(secret)}
	overview := &OverviewReader{Store: store, Live: live, Clock: o.Clock, Slice: o.Slice}
	return &Service{
		Store: store, Secret: secret, Live: live, Dispatch: dispatcher, Overview: overview,
		Planning: &Supervisor{
			Store: store, Live: live, Clock: o.Clock, Name: o.Name, Cores: cores, Slice: o.Slice, Observer: o.Observer, Report: o.Report,
			Trace: o.Trace, Left: dispatcher.Close,
		},
		Owner: &Owner{
			Store: store, Live: live, Clock: o.Clock, Reader: overview, Cores: cores, Slice: o.Slice, Observer: o.Observer, Report: o.Report,
			Forget: dispatcher.Forget,
		},
	}, nil
}
