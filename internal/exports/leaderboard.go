package exports

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"

	"bestpick/internal/answers"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/wiring"
	"bestpick/internal/table"
)

// Leaderboard returns the leaderboard of the last verdict as CSV, with a header only where there is none.
func Leaderboard(ctx context.Context, studies *wiring.Service, id string) (File, error) {
	progress, err := studies.Overview.Progress(ctx, id)
	if err != nil {
		return File{}, err
	}
	board := progress.Verdict.Leaderboard
	if board == nil {
		board = &study.Leaderboard{}
	}
	arms, err := studies.Live.ArmsWith(ctx, progress.Study, progress.Verdict.Arms()...)
	if err != nil {
		return File{}, err
	}
	return file(progress.Study.ID+"-leaderboard", answers.CSV, func(w io.Writer) error { return writeRanks(w, board, arms) }), nil
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
