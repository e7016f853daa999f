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
	hands   map[string]*hand  // questions claimed here, by study
	last    map[string]string // what somebody was asked last, by study and respondent
	changed chan string       // studies in which something happened
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
		hands: map[string]*hand{}, last: map[string]string{}, changed: make(chan string, 1024),
	}, nil
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
