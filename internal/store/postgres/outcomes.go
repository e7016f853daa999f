package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/internal/store/recording"
)

// outcomes holds outcomes to insert, by column.
type outcomes struct {
	studies, numbers, positions, plans         []int64
	kinds, shown, picks, respondents, segments []string
	notes                                      []string
	asked, at                                  []time.Time
	undoes                                     []*int64
}

// add adds an outcome.
func (o *outcomes) add(study, number int64, e recording.Entry, undoes *int64) {
	o.studies, o.numbers = append(o.studies, study), append(o.numbers, number)
	o.positions, o.plans = append(o.positions, int64(e.Position)), append(o.plans, int64(e.Plan))
	o.kinds, o.shown, o.picks = append(o.kinds, string(e.Kind)), append(o.shown, e.ShownJSON), append(o.picks, e.PicksJSON)
	o.respondents, o.segments = append(o.respondents, e.Respondent), append(o.segments, e.Segment)
	o.notes = append(o.notes, e.NoteJSON)
	o.asked, o.at = append(o.asked, e.Asked), append(o.at, e.At)
	o.undoes = append(o.undoes, undoes)
}

// queue adds the insert to a batch.
func (o *outcomes) queue(queries *pgx.Batch) {
	queries.Queue(`
		INSERT INTO outcomes (study, number, position, kind, shown, picks, respondent, segment, plan, asked, at, undoes, note)
		SELECT study, number, position, kind, shown::json, picks::json, respondent, segment, plan, asked, at, undoes, note
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
			$9::bigint[], $10::timestamptz[], $11::timestamptz[], $12::bigint[], $13::text[])
		AS new (study, number, position, kind, shown, picks, respondent, segment, plan, asked, at, undoes, note)`,
		o.studies, o.numbers, o.positions, o.kinds, o.shown, o.picks, o.respondents, o.segments, o.plans, o.asked, o.at, o.undoes, o.notes)
}
