package sqlite

import (
	"context"
	"encoding/json"

	"bestpick/study"
)

// Respondent returns what one respondent has done.
func (s *Store) Respondent(ctx context.Context, id, respondent string) (study.History, error) {
	k, err := key(ctx, s.readers, id)
	if err != nil {
		return study.History{}, err
	}
	var h study.History
	var shown []byte
	err = s.readers.QueryRowContext(ctx, `
		WITH theirs AS (
			SELECT number, position, shown FROM outcomes
			WHERE study = ?1 AND respondent = ?2 AND kind IN ('answered', 'skipped', 'undone')
		)
		SELECT
			(SELECT count(*) FROM theirs JOIN questions USING (position, number) WHERE study = ?1 AND stands = 1),
			(SELECT shown FROM theirs ORDER BY number DESC LIMIT 1)`, k, respondent).Scan(&h.Questions, &shown)
	if err != nil || shown == nil {
		return h, err
	}
	err = json.Unmarshal(shown, &h.Last)
	return h, err
}
