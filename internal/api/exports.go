package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/internal/answers"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/table"
	"bestpick/strategy/racing"
	"bestpick/wire"
)

// A formatInput names a study and a file format.
type formatInput struct {
	StudyPath

	Format string `query:"format" enum:"csv,jsonl,parquet" default:"csv"`
}

func (a *api) registerFiles() {
	csv, lines := overview.ContentType(table.CSV), overview.ContentType(table.JSONLines)
	parquet := overview.ContentType(table.Parquet)
	register(a, download(
		"log", access.Owner, "Export the log of a study", "JSON Lines with all outcomes and plans, from which `bestpick verify` "+
			"recomputes the verdict. The last line is a signature.", lines,
	), func(ctx context.Context, in *StudyPath) (*huma.StreamResponse, error) {
		file, err := a.studies.Overview.ExportLog(ctx, in.Study)
		return a.stream(ctx, in.Study, file, err)
	})
	register(a, operation(
		"public-key", "GET /public-key", tagFiles, "", "Read the public key of the server",
		"`bestpick verify --public-key` checks the signature of exported logs with it. All studies of a server "+
			"share one key.",
	), func(context.Context, *struct{}) (*reply[wire.PublicKey], error) {
		return &reply[wire.PublicKey]{wire.PublicKey{PublicKey: replay.PublicKeyOf(a.studies.Secret).String()}}, nil
	})
	register(a, download(
		"answers", access.Owner, "Export the outcome of every question",
		"A row for each question: who was asked, what was shown and picked, and when. `bestpick fit` reads it.", csv, lines, parquet,
	), func(ctx context.Context, in *formatInput) (*huma.StreamResponse, error) {
		file, err := a.studies.Overview.ExportAnswers(ctx, in.Study, table.Format(in.Format))
		return a.stream(ctx, in.Study, file, err)
	})
	register(a, download(
		"arms", access.Viewer, "Export the arms, with the owner's columns",
		"A row for each option, as in the file that the study was made of.", csv, lines, parquet,
	), func(ctx context.Context, in *formatInput) (*huma.StreamResponse, error) {
		file, err := a.studies.Overview.ExportArms(ctx, in.Study, table.Format(in.Format))
		return a.stream(ctx, in.Study, file, err)
	})
	register(a, download(
		"leaderboard", access.Viewer, "Export the leaderboard as CSV",
		"A row for each option, with its range of ranks. It is empty before there is a leader.", csv,
	), func(ctx context.Context, in *StudyPath) (*huma.StreamResponse, error) {
		file, err := a.studies.Overview.ExportLeaderboard(ctx, in.Study)
		return a.stream(ctx, in.Study, file, err)
	})
	registerWithRows(a, operation(
		"import-answers", "POST "+oneStudy+"/import", tagFiles, access.Owner, "Import recorded answers",
		"The import is atomic, and each batch is imported once. Imported answers count like others, so whether an "+
			"answer is in the file must not depend on its picks. The answers are a file, or objects in JSON of at most 8 MB.",
	), func(ctx context.Context, in *formInput[answersForm]) (*reply[wire.Imported], error) {
		return a.importAnswers(ctx, in.Study, *in.RawBody.Data())
	}, func(ctx context.Context, in *bodyInput[wire.NewAnswers]) (*reply[wire.Imported], error) {
		return a.importAnswers(ctx, in.Study, answersForm{rowsFile("answers.jsonl", in.Body.Answers), in.Body.Batch})
	})
}

// download returns the operation that exports a file of one of the types.
func download(what string, role access.Role, summary, description string, types ...string) huma.Operation {
	o := operation("export-"+what, "GET "+oneStudy+"/export/"+what, tagFiles, role, summary, description)
	content := map[string]*huma.MediaType{}
	for _, kind := range types {
		content[kind] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	o.Responses = map[string]*huma.Response{"200": {Description: "The file.", Content: content}}
	return o
}

// stream replies with a file of a study while it is generated. An error aborts the connection, so
// that the client notices that the file is incomplete.
func (a *api) stream(ctx context.Context, id string, file overview.File, err error) (*huma.StreamResponse, error) {
	if many, ok := errors.AsType[*overview.TooManyError](err); ok {
		return nil, problem(http.StatusConflict, wire.Invalid, many.Error())
	}
	if err != nil {
		return nil, err
	}
	note(ctx, strings.TrimPrefix(path.Ext(file.Name), "."))
	return &huma.StreamResponse{Body: func(reply huma.Context) {
		reply.SetHeader("Content-Type", file.Type)
		reply.SetHeader("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
		reply.SetStatus(http.StatusOK)
		if reply.Method() == http.MethodHead {
			return
		}
		if err := file.Write(reply.BodyWriter()); err != nil {
			if ctx.Err() == nil {
				a.Log.Error("an export failed", "study", access.Pseudonym(id), "type", file.Type, "error", err)
			}
			panic(http.ErrAbortHandler)
		}
	}}, nil
}

// An answersForm has a file of recorded answers.
type answersForm struct {
	Answers huma.FormFile `form:"answers" required:"true" doc:"CSV or JSON Lines, with the arms shown and picked as in an export. At most 1,000,000 rows."`
	Batch   string        `form:"batch" required:"false" maxLength:"200" doc:"The name of the batch. Defaults to the SHA-256 of the file."`
}

func (a *api) importAnswers(ctx context.Context, id string, form answersForm) (*reply[wire.Imported], error) {
	s, arms, err := a.studies.Live.StudyWithArms(ctx, id)
	if err != nil {
		return nil, err
	}
	file := form.Answers
	if err := table.CheckPacked(io.NewSectionReader(file, 0, file.Size), file.Filename, a.MaxUpload); err != nil {
		return nil, uploadProblem(inFile(err), inField(answersField))
	}
	batch := form.Batch
	if batch == "" {
		if batch, err = hash(file); err != nil {
			return nil, err
		}
	}
	uploaded := &answersFile{file: file, limits: table.AnswersLimits(a.MaxUpload), arms: arms, model: s.Settings.Strategy.Model}
	if err := a.studies.Owner.Import(ctx, id, batch, uploaded.answers); err != nil {
		return nil, uploadProblem(err, inField(answersField))
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
