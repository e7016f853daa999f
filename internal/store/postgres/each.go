package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// counts reads how many standing questions the respondents of requests with a limit have. The
// studies must be locked, which keeps the counts valid until the transaction ends.
func counts(ctx context.Context, tx pgx.Tx, logs map[string]*ledger, requests []*sqlstore.Request) error {
	var studies []int64
	var respondents []string
	of := map[int64]*ledger{}
	for _, r := range requests {
		l := logs[r.Study]
		if l == nil || r.PerRespondent == study.NoLimit {
			continue
		}
		of[l.study] = l
		for _, e := range r.Entries {
			if _, known := l.done[e.Respondent]; known || !limited(e.Kind) {
				continue
			}
			if l.done == nil {
				l.done = map[string]int{}
			}
			l.done[e.Respondent] = 0
			studies, respondents = append(studies, l.study), append(respondents, e.Respondent)
		}
	}
	if len(studies) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, standingQuestions, studies, respondents)
	if err != nil {
		return err
	}
	var key int64
	var respondent string
	var questions int
	_, err = pgx.ForEachRow(rows, []any{&key, &respondent, &questions}, func() error {
		of[key].done[respondent] = questions
		return nil
	})
	return err
}

// limited reports whether outcomes of a kind count toward each.
func limited(kind study.Kind) bool { return kind == study.Answered || kind == study.Skipped }

// full reports whether an outcome would exceed a limit of each questions per respondent.
func (l *ledger) full(each int, e sqlstore.Entry) bool {
	return each != study.NoLimit && limited(e.Kind) && l.done[e.Respondent] >= each
}

// note updates the counts with an outcome that replaces the previous one of the same question.
func (l *ledger) note(was standing, e sqlstore.Entry) {
	if l.done == nil {
		return
	}
	if limited(e.Kind) {
		l.done[e.Respondent]++
	} else if e.Kind == study.Undone {
		l.done[was.respondent]--
	}
}
