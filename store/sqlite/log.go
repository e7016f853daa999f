package sqlite

import (
	"context"
	"encoding/json"
	"math"

	"bestpick/study"
)

const outcomeColumns = `number, outcomes.position, kind, shown, picks, respondent, segment, plan, asked, at`

// At returns the last outcome of a question.
func (s *Store) At(ctx context.Context, id string, position study.Position) (study.Outcome, error) {
	return scanOutcome(s.readers.QueryRowContext(ctx, `
		SELECT `+outcomeColumns+` FROM studies
		JOIN questions ON questions.study = key JOIN outcomes USING (study, number)
		WHERE id = ? AND questions.position = ?`, id, position))
}

// logged asks for the outcomes of the study ?1 with numbers from after ?2 to ?3. Numbers come without gaps, so there
// are no more of them.
const logged = `
	SELECT ` + outcomeColumns + ` FROM outcomes WHERE study = ?1 AND number > ?2 AND number <= ?3
	UNION ALL
	SELECT after + place, -1, kind, shown, picks, respondent, segment, 0, asked, at
	FROM imports CROSS JOIN imported ON import = key
	WHERE study = ?1 AND after < ?3 AND after + rows > ?2 AND place > ?2 - after AND place <= ?3 - after
	ORDER BY number`

// Log returns outcomes in order.
func (s *Store) Log(ctx context.Context, id string, after int64, limit int) ([]study.Outcome, error) {
	k, err := key(ctx, s.readers, id)
	if err != nil {
		return nil, err
	}
	after = max(after, 0)
	upto := after + min(int64(max(limit, 0)), math.MaxInt64-after)
	rows, err := s.readers.QueryContext(ctx, logged, k, after, upto)
	return collect(rows, err, scanOutcome)
}

func scanOutcome(row scanner) (o study.Outcome, err error) {
	var shown, picks []byte
	var asked, at int64
	err = row.Scan(&o.Number, &o.Position, &o.Kind, &shown, &picks, &o.Respondent, &o.Segment, &o.Plan, &asked, &at)
	if err != nil {
		return study.Outcome{}, found(err)
	}
	o.Asked, o.At = fromMoment(asked), fromMoment(at)
	if err := json.Unmarshal(shown, &o.Shown); err != nil {
		return study.Outcome{}, err
	}
	err = json.Unmarshal(picks, &o.Picks)
	return o, err
}
