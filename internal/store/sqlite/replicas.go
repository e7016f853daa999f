package sqlite

import (
	"context"

	"bestpick/internal/study"
)

// Beat registers a replica and returns all replicas. The only replica does not prolong its registration, so that
// nothing is written while nothing happens.
func (s *Store) Beat(ctx context.Context, r study.Replica) ([]study.Replica, error) {
	replicas, err := s.Replicas(ctx)
	if err != nil || len(replicas) == 1 && replicas[0].Name == r.Name {
		return replicas, err
	}
	return s.Store.Beat(ctx, r)
}

// Wake does nothing: processes on one file poll it.
func (s *Store) Wake(ctx context.Context, _ []string) error { return ctx.Err() }

// Listen returns nil: there are no notifications.
func (s *Store) Listen(context.Context, func(id string, shard int)) error { return nil }
