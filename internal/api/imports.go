package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/internal/answers"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/table"
	"bestpick/strategy/racing"
	"bestpick/wire"
)

// An answersForm has a file of recorded answers.
type answersForm struct {
	Answers huma.FormFile `form:"answers" required:"true" doc:"CSV or JSON Lines, with the arms shown and picked as in an export. At most 1,000,000 rows."`
	Batch   string        `form:"batch" required:"false" maxLength:"200" doc:"The name of the batch. Defaults to the SHA-256 of the file."`
}

func (a *api) importAnswers(ctx context.Context, id string, form answersForm) (*reply[wire.Imported], error) {
	s, arms, err := a.studyWithArms(ctx, id)
	if err != nil {
		return nil, a.problem(err)
	}
	file := form.Answers
	if err := table.CheckPacked(io.NewSectionReader(file, 0, file.Size), file.Filename, a.MaxUpload); err != nil {
		return nil, a.uploadProblem(inFile(err), inField(answersField))
	}
	batch := form.Batch
	if batch == "" {
		if batch, err = hash(file); err != nil {
			return nil, a.problem(err)
		}
	}
	uploaded := &answersFile{file: file, limits: table.AnswersLimits(a.MaxUpload), arms: arms, model: s.Settings.Strategy.Model}
	if err := a.studies.Owner.Import(ctx, id, batch, uploaded.answers); err != nil {
		return nil, a.uploadProblem(err, inField(answersField))
	}
	note(ctx, fmt.Sprintf("batch %q, %s", batch, access.Counted(uploaded.rows, "answer")))
	return &reply[wire.Imported]{wire.Imported{Batch: batch, Answers: uploaded.rows}}, nil
}

func hash(file huma.FormFile) (string, error) {
	sum := sha256.New()
	_, err := io.Copy(sum, io.NewSectionReader(file, 0, file.Size))
	return hex.EncodeToString(sum.Sum(nil)), err
}

// An answersFile is an uploaded file of answers about the arms of a study.
type answersFile struct {
	file   huma.FormFile
	limits table.Limits
	arms   *archive.Catalogue
	model  racing.Model

	rows int // answers yielded by the last iteration
}

// answers reads the file row by row, from the start. It ends with an error if the file is invalid.
func (f *answersFile) answers(yield func(owner.ImportedAnswer, error) bool) {
	f.rows = 0
	reader, err := answers.NewReader(io.NewSectionReader(f.file, 0, f.file.Size), f.file.Filename, f.limits)
	if err != nil {
		yield(owner.ImportedAnswer{}, inFile(err))
		return
	}
	for row, err := range reader.Rows() {
		if err == nil {
			err = f.check(reader, row)
		}
		if err != nil {
			yield(owner.ImportedAnswer{}, inFile(err))
			return
		}
		f.rows++
		if !yield(owner.ImportedAnswer{
			Shown: row.Shown, Picks: row.Picks, Respondent: row.Respondent, Segment: row.Segment, Asked: row.Asked, At: row.At,
			Note: noteOf(wire.Note{Rationale: row.Rationale, Metadata: row.Metadata, Judge: row.Judge}),
		}, nil) {
			return
		}
	}
	if f.rows == 0 {
		empty := table.Problemf("no-answers", "the file has no answers")
		yield(owner.ImportedAnswer{}, inFile(&table.Error{File: f.file.Filename, Problem: empty}))
	}
}

// check returns an error with its location in the file unless a row fits the study.
func (f *answersFile) check(reader *answers.Reader, row answers.Row) error {
	for slot, arm := range row.Shown {
		if _, known := f.arms.Arms.Index(arm); !known {
			return reader.ArmProblem(slot, table.Problemf("no-arm", "unknown arm %q", arm))
		}
	}
	if err := f.model.CheckSegment(row.Segment); err != nil {
		return reader.ColumnProblem("segment", table.Problemf("", "%v", err))
	}
	err := noteOf(wire.Note{Rationale: row.Rationale, Metadata: row.Metadata, Judge: row.Judge}).Check()
	if problem, invalid := errors.AsType[*study.Error](err); invalid {
		return reader.ColumnProblem(problem.Field, table.Problemf("", "%s", problem.Message))
	}
	return err
}
