package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/answers"
	"bestpick/api/wire"
	"bestpick/catalogue"
	"bestpick/strategy/racing"
	"bestpick/study"
	"bestpick/table"
)

// mostImported is how many answers can be imported at a time.
const mostImported = 1_000_000

// An answersForm is answers that were recorded elsewhere.
type answersForm struct {
	Answers huma.FormFile `form:"answers" required:"true" doc:"CSV, JSON Lines or Parquet, with the arms shown and picked as in an export."`
	Batch   string        `form:"batch" required:"false" maxLength:"200" doc:"What to call them. Default the SHA-256 of the file."`
}

type importInput struct {
	StudyPath

	RawBody huma.MultipartFormFiles[answersForm]
}

func (a *api) importAnswers(ctx context.Context, in *importInput) (*reply[wire.Imported], error) {
	s, err := a.studies.Study(ctx, in.Study)
	if err != nil {
		return nil, a.problem(err)
	}
	arms, err := a.studies.Arms(ctx, s)
	if err != nil {
		return nil, a.problem(err)
	}
	form := in.RawBody.Data()
	file := form.Answers
	if err := table.CheckPacked(io.NewSectionReader(file, 0, file.Size), file.Filename, a.MaxUpload); err != nil {
		return nil, a.inFiles(err, func(string) string { return answersField })
	}
	rows, err := readAnswers(file, arms, s.Settings.Strategy.Model)
	if err != nil {
		return nil, a.inFiles(err, func(string) string { return answersField })
	}
	batch := form.Batch
	if batch == "" {
		if batch, err = hash(file); err != nil {
			return nil, a.problem(err)
		}
	}
	err = a.studies.Import(ctx, in.Study, batch, rows)
	if errors.Is(err, study.ErrTaken) {
		return nil, problem(http.StatusConflict, wire.Known, "a batch of this name was imported before")
	}
	if err != nil {
		return nil, a.problem(err)
	}
	note(ctx, fmt.Sprintf("batch %q, %d answers", batch, len(rows)))
	return &reply[wire.Imported]{wire.Imported{Batch: batch, Answers: len(rows)}}, nil
}

func hash(file huma.FormFile) (string, error) {
	sum := sha256.New()
	_, err := io.Copy(sum, io.NewSectionReader(file, 0, file.Size))
	return hex.EncodeToString(sum.Sum(nil)), err
}

// readAnswers reads answers about the arms of a study. What is wrong is told with the place in the file.
func readAnswers(file huma.FormFile, arms *catalogue.Saved, model racing.Model) ([]study.Foreign, error) {
	reader, err := answers.NewReader(io.NewSectionReader(file, 0, file.Size), file.Filename, mostImported)
	if err != nil {
		return nil, err
	}
	var rows []study.Foreign
	for row, err := range reader.Rows() {
		if err != nil {
			return nil, err
		}
		for slot, arm := range row.Shown {
			if _, known := arms.Arms.Index(arm); !known {
				return nil, reader.Errorf(slot, "there is no arm %q", arm)
			}
		}
		if err := model.CheckSegment(row.Segment); err != nil {
			return nil, reader.SegmentErrorf("%s", strings.TrimPrefix(err.Error(), "strategy: "))
		}
		rows = append(rows, study.Foreign{
			Shown: row.Shown, Picks: row.Picks, Respondent: row.Respondent, Segment: row.Segment, Asked: row.Asked, At: row.At,
		})
	}
	if len(rows) == 0 {
		return nil, &table.Error{File: file.Filename, Problem: "there are no answers in the file"}
	}
	return rows, nil
}
