package study

import (
	"context"
	"crypto/rand"
	"sync"
	"time"
)

// A Service runs the studies of a store, in one of perhaps several processes. [Service.Run] plans;
// everything else is for respondents and owners, and does no mathematics but for [Service.Erase].
type Service struct {
	store     Store
	name      string // of this process, as a planner
	clock     func() time.Time
	patience  time.Duration
	report    func(id string, err error)
	observer  Observer
	trace     func(ctx context.Context, id string) (context.Context, func(Activity, error))
	secret    []byte
	cores     cores
	slice     int   // outcomes that one plan tells at most
	work      bells // something for a planner to do
	news      bells // something for people to see
	arms      armsCache
	studies   studyCache
	panels    panelCache
	overlooks overlooks
	mutex     sync.Mutex
	desks     map[string]*desk // by study
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
	s := &Service{
		store: store, name: o.Name, clock: o.Clock, patience: o.Patience, report: o.Report, observer: o.Observer, trace: o.Trace, secret: secret,
		cores: newCores(), slice: sliceMost, desks: map[string]*desk{},
	}
	if s.name == "" {
		s.name = rand.Text()
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.observer == nil {
		s.observer = nobody{}
	}
	if s.trace == nil {
		s.trace = func(ctx context.Context, _ string) (context.Context, func(Activity, error)) {
			return ctx, func(Activity, error) {}
		}
	}
	if s.report == nil {
		s.report = func(string, error) {}
	}
	return s, nil
}

// desk returns where the questions of a study are dealt here.
func (s *Service) desk(id string) *desk {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	d := s.desks[id]
	if d == nil {
		d = &desk{}
		s.desks[id] = d
	}
	return d
}

// atDesk calls f with the desk of a study, if it has one in this process.
func (s *Service) atDesk(id string, f func(*desk)) {
	s.mutex.Lock()
	d := s.desks[id]
	s.mutex.Unlock()
	if d != nil {
		f(d)
	}
}

// forget removes what this process remembers of a respondent.
func (s *Service) forget(id, respondent string) {
	s.atDesk(id, func(d *desk) {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		d.recent.forget(respondent)
	})
}

// clearDesk forgets the desk of a study that is over.
func (s *Service) clearDesk(id string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.desks, id)
}
