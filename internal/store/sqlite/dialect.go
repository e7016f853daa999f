package sqlite

import (
	"context"
	"errors"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// dialect is the SQL of SQLite. It has no lock clauses: a transaction that writes locks the whole
// file.
var dialect = sqlstore.Dialect{ //nolint:gochecknoglobals // a constant
	Open:         `stands = 0`,
	Names:        `SELECT value FROM json_each($2)`,
	AmongNumbers: ` IN (SELECT value FROM json_each($2))`,
	Claims: `
		WITH RECURSIVE claims (position) AS (SELECT $2 WHERE $2 < $3 UNION ALL SELECT position + 1 FROM claims WHERE position + 1 < $3)
		INSERT INTO questions (study, position, claimed) SELECT $1, position, $4 FROM claims WHERE true
		ON CONFLICT (study, position) DO UPDATE SET claimed = excluded.claimed`,
	Log: `
		SELECT ` + sqlstore.OutcomeColumns + ` FROM outcomes WHERE study = $1 AND number > $2 AND number <= $3
		UNION ALL
		SELECT after + place, -1, kind, shown, picks, respondent, segment, 0, asked, at, note
		FROM imports CROSS JOIN imported ON import = key
		WHERE study = $1 AND after < $3 AND after + rows > $2 AND place > $2 - after AND place <= $3 - after
		ORDER BY number`,
	Arrival: `
		SELECT ` + sqlstore.OutcomeColumns + ` FROM outcomes WHERE study = $1 AND number = coalesce(
			(SELECT number ` + firstOutcome + ` AND kind = 'arrived'),
			(SELECT number FROM outcomes INDEXED BY outcomes_later
				WHERE study = $1 AND began = (SELECT number ` + firstOutcome + `) AND began < number AND kind = 'arrived'))`,
	Arrive: `
		INSERT INTO outcomes (study, respondent, number, position, kind, shown, picks, segment, plan, asked, at, note, began)
		VALUES ($1, $2, $3, -1, 'arrived', $4, 'null', $5, $7, $6, $6, '', coalesce((SELECT number ` + firstOutcome + `), $3))`,
	History:    theirs + `SELECT (` + standingQuestions + `), (SELECT shown FROM theirs WHERE kind <> 'arrived' ORDER BY number DESC LIMIT 1)`,
	PutMembers: putMembers,
}

// firstOutcome finds the first outcome of the respondent $2 in the study $1. Later ones have its
// number, which finds them. INDEXED BY keeps SQLite, which has no statistics of these indexes, from
// reading the whole log.
const firstOutcome = `FROM outcomes INDEXED BY outcomes_first WHERE study = $1 AND respondent = $2 AND began = number`

// theirs selects the outcomes of the respondent $2 in the study $1, and standingQuestions counts
// the questions of which one of these is the standing outcome.
const (
	theirs = `
		WITH first AS (SELECT number, kind, shown ` + firstOutcome + `),
		theirs AS (
			SELECT number, kind, shown FROM first UNION ALL
			SELECT number, kind, shown FROM outcomes INDEXED BY outcomes_later
			WHERE study = $1 AND began = (SELECT number FROM first) AND began < number
		)`
	standingQuestions = `
		SELECT count(*) FROM theirs WHERE kind IN ('answered', 'skipped')
		AND NOT EXISTS (SELECT 1 FROM outcomes INDEXED BY outcomes_undoes WHERE study = $1 AND undoes = theirs.number)`
)

// putMembers adds or replaces members.
func putMembers(ctx context.Context, tx sqlstore.Querier, k int64, members []study.Member, numbered bool) (err error) {
	number := `(SELECT coalesce(max(number), 0) + 1 FROM members WHERE study = $1)`
	if numbered {
		number = `$2`
	}
	//nolint:forcetypeassert // it comes from this package
	insert, err := tx.(querier).PrepareContext(ctx, `
		INSERT INTO members (study, number, name, segment, key, hash, added) VALUES ($1, `+number+`, $3, $4, $5, $6, $7)
		ON CONFLICT (study, name) DO UPDATE SET segment = $4, key = $5, hash = $6, added = $7`)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	for _, m := range members {
		if _, err := insert.ExecContext(ctx, k, m.Number, m.Name, m.Segment, m.Key, study.HashKey(m.Key), moment(m.Added)); err != nil {
			return err
		}
	}
	return nil
}
