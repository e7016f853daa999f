package overview

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"bestpick/internal/answers"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/replay"
	"bestpick/internal/table"
)

// A File is a download that is generated while it is written.
type File struct {
	Name  string // with its extension
	Type  string // such as text/csv
	Write func(w io.Writer) error
}

// ContentType returns the content type of a format.
func ContentType(format table.Format) string {
	switch format {
	case table.CSV:
		return "text/csv; charset=utf-8"
	case table.JSONLines:
		return "application/jsonl"
	case table.Parquet:
		return "application/vnd.apache.parquet"
	}
	panic("overview: there is no format " + string(format))
}

func file(name string, format table.Format, write func(w io.Writer) error) File {
	return File{name + "." + string(format), ContentType(format), write}
}

// ExportLog returns the whole study, from which its verdict can be recomputed.
func (s *Reader) ExportLog(ctx context.Context, id string) (File, error) {
	st, err := s.Store.Study(ctx, id)
	if err != nil {
		return File{}, err
	}
	return file(st.ID, table.JSONLines, func(w io.Writer) error { return replay.Export(ctx, s.Store, st.ID, w) }), nil
}

// ExportAnswers returns the outcomes of all questions. It determines the end of the log before it reads the
// arms, so that it knows all arms of the log.
func (s *Reader) ExportAnswers(ctx context.Context, id string, format table.Format) (File, error) {
	extent, err := ReadExtent(ctx, s.Store, id)
	if err != nil {
		return File{}, err
	}
	st, arms, err := s.Live.StudyWithArms(ctx, id)
	if err != nil {
		return File{}, err
	}
	return file(st.ID+"-answers", format, func(w io.Writer) error {
		return writeAnswers(ctx, w, format, s.Store, st, arms, extent)
	}), nil
}

func writeAnswers(ctx context.Context, w io.Writer, format table.Format, log study.Outcomes, st study.Study,
	arms *archive.Catalogue,
	extent Extent,
) error {
	out := answers.NewWriter(w, format, answers.Layout{
		Shown: extent.Shown, Picks: extent.Picks, Labels: arms.Labels != nil, Notes: extent.Notes || arms.Contexts != nil,
	})
	for o, err := range Standing(ctx, log, st.ID, extent) {
		if err != nil {
			return err
		}
		if err := out.Write(row(st, o, arms)); err != nil {
			return err
		}
	}
	return out.Close()
}

// FromLog writes the answers and the arms of an exported log as JSON Lines, and holds the log in memory.
func FromLog(ctx context.Context, source io.Reader, given, options io.Writer) error {
	st, arms, outcomes, err := replay.ReadLog(source)
	if err != nil {
		return err
	}
	log := readLog{outcomes: outcomes}
	extent, err := ReadExtent(ctx, log, st.ID)
	if err != nil {
		return err
	}
	if err := writeAnswers(ctx, given, table.JSONLines, log, st, arms, extent); err != nil {
		return err
	}
	return archive.WriteArms(options, arms, table.JSONLines)
}

// readLog is the outcomes of an exported log.
type readLog struct {
	study.Outcomes

	outcomes []study.Outcome // numbered from 1
}

// Log returns outcomes.
func (l readLog) Log(_ context.Context, _ string, after int64, limit int) ([]study.Outcome, error) {
	rest := l.outcomes[min(after, int64(len(l.outcomes))):]
	return rest[:min(limit, len(rest))], nil
}

func row(st study.Study, o study.Outcome, arms *archive.Catalogue) answers.Row {
	row := answers.Row{
		Number: o.Number, Kind: string(o.Kind), Question: int64(o.Position), Plan: o.Plan,
		Respondent: o.Respondent, Segment: o.Segment, Asked: o.Asked, At: o.At,
		Rationale: o.Note.Rationale, Metadata: o.Note.Metadata,
	}
	if o.Kind == study.Answered || o.Kind == study.Imported {
		row.Judge = o.Note.Judge.String()
	}
	if arms.Contexts != nil && o.Position != study.OutsideDeck {
		row.Context = arms.Contexts.Names[arms.Contexts.At(st.Settings.Strategy.Seed, int64(o.Position))]
	}
	for _, arm := range o.Shown {
		row.Shown = append(row.Shown, arms.Arms.ID(arm))
		if arms.Labels != nil {
			row.Labels = append(row.Labels, arms.Labels[arm])
		}
	}
	for _, slot := range o.Picks {
		switch slot {
		case study.None:
			row.Kind = answers.None
		case study.Tie:
			row.Kind = answers.Tie
		default:
			row.Picks = append(row.Picks, row.Shown[slot])
		}
	}
	return row
}

// A TooManyError says that a study has more profiles than an export can list.
type TooManyError struct{ Profiles int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("at most %d profiles can be listed, the study has %d", archive.MaxListed, e.Profiles)
}

// ExportArms returns the arms with the owner'st columns, and whether each is withdrawn.
func (s *Reader) ExportArms(ctx context.Context, id string, format table.Format) (File, error) {
	st, arms, err := s.Live.StudyWithArms(ctx, id)
	if err != nil {
		return File{}, err
	}
	if arms.Profiles != nil && arms.Arms.Len() > archive.MaxListed {
		return File{}, &TooManyError{arms.Arms.Len()}
	}
	return file(st.ID+"-arms", format, func(w io.Writer) error {
		return archive.WriteArms(w, arms, format, archive.Withdrawn(st.Withdrawn))
	}), nil
}

// ExportLeaderboard returns the leaderboard of the last verdict as CSV, with a header only where there is none.
func (s *Reader) ExportLeaderboard(ctx context.Context, id string) (File, error) {
	progress, err := s.Progress(ctx, id)
	if err != nil {
		return File{}, err
	}
	board := progress.Verdict.Leaderboard
	if board == nil {
		board = &study.Leaderboard{}
	}
	arms, err := s.Live.ArmsWith(ctx, progress.Study, progress.Verdict.Arms()...)
	if err != nil {
		return File{}, err
	}
	return file(progress.Study.ID+"-leaderboard", table.CSV, func(w io.Writer) error { return writeRanks(w, board, arms) }), nil
}

// writeRanks writes one row for each rank.
func writeRanks(w io.Writer, board *study.Leaderboard, arms *archive.Catalogue) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"id", "label", "utility", "low", "high", "share", "share_low", "share_high", "first", "last"}}
	card := arms.Cards()
	for _, r := range board.Ranks {
		row := []string{table.Protect(card(r.Arm).ID), table.Protect(card(r.Arm).Label)}
		share := r.Share()
		for _, x := range []float64{r.Utility, r.Low, r.High, share.Estimate, share.Low, share.High} {
			row = append(row, strconv.FormatFloat(x, 'g', -1, 64))
		}
		rows = append(rows, append(row, strconv.Itoa(r.First), strconv.Itoa(r.Last)))
	}
	return out.WriteAll(rows)
}

// ExportProfiles returns the answers of respondents to the profile questions as CSV, with a column for each question.
func (s *Reader) ExportProfiles(ctx context.Context, id string) (File, error) {
	st, err := s.Store.Study(ctx, id)
	if err != nil {
		return File{}, err
	}
	return file(st.ID+"-profiles", table.CSV, func(w io.Writer) error {
		out := csv.NewWriter(w)
		header := []string{"respondent", "agreed", "consent"}
		for _, q := range st.Profile {
			header = append(header, table.Protect(q.Name))
		}
		if err := out.Write(header); err != nil {
			return err
		}
		for p, err := range study.AllProfiles(ctx, s.Store, st.ID) {
			if err != nil {
				return err
			}
			row := []string{table.Protect(p.Respondent), "", table.Protect(p.Consent)}
			if p.Consent != "" {
				row[1] = p.Agreed.Format(time.RFC3339)
			}
			for _, q := range st.Profile {
				row = append(row, table.Protect(p.Answers[q.Name]))
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	}), nil
}
