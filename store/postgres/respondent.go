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

// standingQuestions counts, for respondents $2 of studies $1, the questions of which an outcome of
// theirs stands.
const standingQuestions = `
	SELECT study, respondent, (
		SELECT count(*) FROM outcomes
		WHERE study = asked.study AND hashtextextended(respondent, 0) = hashtextextended(asked.respondent, 0)
		AND respondent = asked.respondent AND kind IN ('answered', 'skipped', 'undone')
		AND number = (SELECT number FROM questions WHERE study = outcomes.study AND position = outcomes.position AND stands)
	)
	FROM unnest($1::bigint[], $2::text[]) AS asked (study, respondent)`

// Respondent returns what one respondent has done.
func (s *Store) Respondent(ctx context.Context, id, respondent string) (h study.History, err error) {
	k, err := s.key(ctx, id)
	if err != nil || !isText(respondent) {
		return h, err
	}
	err = s.pool.QueryRow(ctx, history, k, respondent).Scan(&h.Questions, &h.Last)
	return h, err
}
