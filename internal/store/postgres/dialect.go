package postgres

import (
	"context"
	"time"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// dialect is the SQL of PostgreSQL.
var dialect = sqlstore.Dialect{ //nolint:gochecknoglobals // a constant
	ForUpdate:      `FOR UPDATE`,
	ForNoKeyUpdate: `FOR NO KEY UPDATE`,
	ForKeyShare:    `FOR KEY SHARE`,
	LockTable:      `LOCK TABLE`,
	LockMode:       `IN SHARE ROW EXCLUSIVE MODE`,
	Open:           `NOT stands`,
	Names:          `SELECT json_array_elements_text($2::json)`,
	AmongNumbers:   ` = ANY (ARRAY(SELECT json_array_elements_text($2::json)::bigint))`,
	Claims: `
		INSERT INTO questions (study, position, claimed) SELECT $1, position, $4
			FROM generate_series($2::bigint, $3::bigint - 1) AS position
		ON CONFLICT (study, position) DO UPDATE SET claimed = excluded.claimed`,
	// The limit keeps PostgreSQL from reading a whole import to find a few rows.
	Log: `
		SELECT ` + sqlstore.OutcomeColumns + ` FROM outcomes WHERE study = $1 AND number > $2 AND number <= $3
		UNION ALL
		SELECT after + place, -1, kind, shown, picks, respondent, segment, 0, asked, at, note
		FROM imports, LATERAL (
			SELECT place, kind, shown, picks, respondent, segment, asked, at, note FROM imported WHERE import = key
				AND place > $2 - after AND place <= $3 - after ORDER BY place LIMIT $3 - $2
		) AS staged
		WHERE study = $1 AND after < $3 AND after + rows > $2
		ORDER BY number`,
	Arrival: `
		SELECT ` + sqlstore.OutcomeColumns + ` FROM outcomes
		WHERE study = $1 AND hashtextextended(respondent, 0) = hashtextextended($2, 0) AND respondent = $2 AND kind = 'arrived'
		LIMIT 1`,
	Arrive: `
		INSERT INTO outcomes (study, respondent, number, position, kind, shown, picks, segment, plan, asked, at, note)
		VALUES ($1, $2, $3, -1, 'arrived', $4::json, 'null', $5, $7, $6, $6, '')`,
	History: `
		WITH theirs AS (
			SELECT number, kind, shown FROM outcomes
			WHERE study = $1 AND hashtextextended(respondent, 0) = hashtextextended($2, 0) AND respondent = $2
			AND kind IN ('answered', 'skipped', 'undone')
		)
		SELECT
			(SELECT count(*) FROM theirs WHERE kind <> 'undone'
				AND NOT EXISTS (SELECT 1 FROM outcomes WHERE study = $1 AND undoes = theirs.number)),
			(SELECT shown FROM theirs ORDER BY number DESC LIMIT 1)`,
	PutMembers: putMembers,
}

// standingQuestions counts the questions in which respondents $2 of studies $1 have the standing
// outcome.
const standingQuestions = `
	SELECT study, respondent, (
		SELECT count(*) FROM outcomes
		WHERE study = asked.study AND hashtextextended(respondent, 0) = hashtextextended(asked.respondent, 0)
		AND respondent = asked.respondent AND kind IN ('answered', 'skipped')
		AND NOT EXISTS (SELECT 1 FROM outcomes AS later WHERE later.study = asked.study AND later.undoes = outcomes.number)
	)
	FROM unnest($1::bigint[], $2::text[]) AS asked (study, respondent)`

// putMembers adds or replaces members.
func putMembers(ctx context.Context, tx sqlstore.Querier, k int64, members []study.Member, numbered bool) error {
	var numbers []int64
	var names, segments, keys, hashes []string
	var added []time.Time
	for _, m := range members {
		numbers, added = append(numbers, m.Number), append(added, m.Added)
		names, segments = append(names, m.Name), append(segments, m.Segment)
		keys, hashes = append(keys, m.Key), append(hashes, study.HashKey(m.Key))
	}
	number := `(SELECT coalesce(max(number), 0) FROM members WHERE study = $1) + place`
	if numbered {
		number = `number`
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO members (study, number, name, segment, key, hash, added)
		SELECT $1, `+number+`, name, segment, key, hash, added
		FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
			WITH ORDINALITY AS new (number, name, segment, key, hash, added, place)
		ON CONFLICT (study, name) DO UPDATE SET segment = excluded.segment, key = excluded.key, hash = excluded.hash,
			added = excluded.added`,
		k, numbers, names, segments, keys, hashes, added)
	return err
}
