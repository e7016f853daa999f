package study

import (
	"context"
	"sync"
	"time"
)

// A Service runs the studies of a store, in one of perhaps several processes. [Service.Plan]
// plans; everything else is for respondents and owners, and never waits for that.
type Service struct {
	store   Store
	name    string // of this process, as a planner
	clock   func() time.Time
	secret  []byte
	mutex   sync.Mutex
	desks   map[string]*desk // by study
	changed chan string      // studies in which something happened
}

// Options are what a service needs from outside.
type Options struct {
	Name  string           // of this process, different from all others'
	Clock func() time.Time // time.Now
}

// NewService returns a service on a store.
func NewService(ctx context.Context, store Store, o Options) (*Service, error) {
	secret, err := store.Secret(ctx)
	if err != nil {
		return nil, err
	}
	return &Service{
		store: store, name: o.Name, clock: o.Clock, secret: secret,
		desks: map[string]*desk{}, changed: make(chan string, 1024),
	}, nil
}

// desk returns where the questions of a study are dealt here.
func (s *Service) desk(id string) *desk {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	d := s.desks[id]
	if d == nil {
		d = &desk{last: map[string]string{}}
		s.desks[id] = d
	}
	return d
}

// Changed returns where the ids of studies come in which something happened that a planner may
// want to know. It may forget some when nobody listens.
func (s *Service) Changed() <-chan string { return s.changed }

// happened tells planners.
func (s *Service) happened(id string) {
	select {
	case s.changed <- id:
	default:
	}
}
