package serve

import (
	"context"

	"bestpick/internal/study"
)

// An endingStore reports studies that end.
type endingStore struct {
	study.Store

	ended func(ctx context.Context, id string) // is called after the write that ends a study
}

func (s endingStore) Append(ctx context.Context, id, planner string, p study.Plan) error {
	err := s.Store.Append(ctx, id, planner, p)
	if err == nil && p.Done != "" {
		s.ended(ctx, id)
	}
	return err
}

func (s endingStore) Change(ctx context.Context, st study.Study, version int, catalogue []byte) (study.Study, error) {
	changed, err := s.Store.Change(ctx, st, version, catalogue)
	if err == nil && changed.State == study.Done {
		s.ended(ctx, changed.ID)
	}
	return changed, err
}

func (s endingStore) Erase(ctx context.Context, id, respondent string, p study.Plan) (study.Plan, error) {
	written, err := s.Store.Erase(ctx, id, respondent, p)
	if err == nil && written.Done != "" {
		s.ended(ctx, id)
	}
	return written, err
}
