package sqlite

import (
	"context"
	"encoding/json"

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

// Log returns outcomes in order.
func (s *Store) Log(ctx context.Context, id string, after int64, limit int) ([]study.Outcome, error) {
	k, err := key(ctx, s.readers, id)
	if err != nil {
		return nil, err
	}
	rows, err := s.readers.QueryContext(ctx, `
		SELECT `+outcomeColumns+` FROM outcomes WHERE study = ? AND number > ? ORDER BY number LIMIT ?`, k, after, max(limit, 0))
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
