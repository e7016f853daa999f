package exports

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"

	"bestpick/internal/answers"
	"bestpick/internal/study"
	"bestpick/internal/study/wiring"
	"bestpick/internal/table"
)

// Profiles returns the answers of respondents to the profile questions as CSV, with a column for each question.
func Profiles(ctx context.Context, studies *wiring.Service, id string) (File, error) {
	s, err := studies.Store.Study(ctx, id)
	if err != nil {
		return File{}, err
	}
	return file(s.ID+"-profiles", answers.CSV, func(w io.Writer) error {
		out := csv.NewWriter(w)
		header := []string{"respondent", "refused"}
		for _, q := range s.Profile {
			header = append(header, table.Protect(q.Name))
		}
		if err := out.Write(header); err != nil {
			return err
		}
		for p, err := range study.AllProfiles(ctx, studies.Store, s.ID) {
			if err != nil {
				return err
			}
			row := []string{table.Protect(p.Respondent), strconv.FormatBool(p.Refused)}
			for _, q := range s.Profile {
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
