package sqlite

import (
	"context"
	"encoding/json"

	"bestpick/study"
)

// firstOutcome finds the first outcome, in the study ?1, of the respondent ?2. Its number is in all
// later ones, so that they are found by that. SQLite would rather read the whole log than use
// indexes that it knows nothing of.
const firstOutcome = `FROM outcomes INDEXED BY outcomes_first WHERE study = ?1 AND respondent = ?2 AND began = number`

// theirs are the outcomes of the respondent ?2 in the study ?1, and standingQuestions counts the
// questions of which one of these is the standing outcome.
const (
	theirs = `
		WITH first AS (SELECT number, position, shown ` + firstOutcome + `),
		theirs AS (
			SELECT * FROM first UNION ALL
			SELECT number, position, shown FROM outcomes INDEXED BY outcomes_later
			WHERE study = ?1 AND began = (SELECT number FROM first) AND began < number
		)`
	standingQuestions = `SELECT count(*) FROM theirs JOIN questions USING (position, number) WHERE study = ?1 AND stands = 1`
)

// Respondent returns what one respondent has done.
func (s *Store) Respondent(ctx context.Context, id, respondent string) (h study.History, err error) {
	k, err := key(ctx, s.readers, id)
	if err != nil {
		return h, err
	}
	var shown []byte
	err = s.readers.QueryRowContext(ctx, theirs+`
		SELECT (`+standingQuestions+`),
			(SELECT shown FROM theirs ORDER BY number DESC LIMIT 1)`, k, respondent).Scan(&h.Questions, &shown)
	if err != nil || shown == nil {
		return h, err
	}
	err = json.Unmarshal(shown, &h.Last)
	return h, err
}
