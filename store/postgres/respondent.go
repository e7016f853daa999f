package postgres

import (
	"context"

	"bestpick/study"
)

// history asks what the respondent $2 has done in the study $1.
const history = `
	WITH theirs AS (
		SELECT number, position, shown FROM outcomes
		WHERE study = $1 AND hashtextextended(respondent, 0) = hashtextextended($2, 0) AND respondent = $2
		AND kind IN ('answered', 'skipped', 'undone')
	)
	SELECT
		(SELECT count(*) FROM theirs WHERE number =
			(SELECT number FROM questions WHERE study = $1 AND position = theirs.position AND stands)),
		(SELECT shown FROM theirs ORDER BY number DESC LIMIT 1)`

// Respondent returns what one respondent has done.
func (s *Store) Respondent(ctx context.Context, id, respondent string) (h study.History, err error) {
	k, err := s.key(ctx, id)
	if err != nil || !isText(respondent) {
		return h, err
	}
	err = s.pool.QueryRow(ctx, history, k, respondent).Scan(&h.Questions, &h.Last)
	return h, err
}
