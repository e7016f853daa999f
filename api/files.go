package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/answers"
	"bestpick/api/wire"
	"bestpick/catalogue"
	"bestpick/study"
)

// mostImported is how many answers can be imported at a time.
const mostImported = 1_000_000

// contentType is that of an export.
func contentType(format string) string {
	switch answers.Format(format) {
	case answers.CSV:
		return "text/csv; charset=utf-8"
	case answers.JSONLines:
		return "application/jsonl"
	case answers.Parquet:
		return "application/vnd.apache.parquet"
	}
	panic("api: there is no format " + format)
}

// A formatInput asks for a file.
type formatInput struct {
	StudyPath

	Format string `query:"format" enum:"csv,jsonl,parquet" default:"csv"`
}

func (a *api) registerFiles() {
	huma.Register(a.huma, download(huma.Operation{
		OperationID: "export-log", Path: "/studies/{study}/export/log", Summary: "The whole study, to verify",
		Description: "JSON Lines with all outcomes and plans, from which `bestpick verify` recomputes the verdict.",
	}, contentType("jsonl")), a.exportLog)
	all := []string{contentType("csv"), contentType("jsonl"), contentType("parquet")}
	huma.Register(a.huma, download(huma.Operation{
		OperationID: "export-answers", Path: "/studies/{study}/export/answers", Summary: "What became of every question that was asked",
	}, all...), a.exportAnswers)
	huma.Register(a.huma, download(huma.Operation{
		OperationID: "export-arms", Path: "/studies/{study}/export/arms", Summary: "The arms, in the owner's columns",
	}, all...), a.exportArms)
	huma.Register(a.huma, a.upload(huma.Operation{
		OperationID: "import-answers", Method: http.MethodPost, Path: "/studies/{study}/import", Tags: []string{tagFiles}, Security: owners(),
		Summary:     "Import answers that were recorded elsewhere",
		Description: "All or none. They count like others, so whether an answer is in the file must not depend on what was picked. A batch is imported once.",
	}), a.importAnswers)
}

// download makes an operation one that replies with a file.
func download(operation huma.Operation, types ...string) huma.Operation {
	operation.Method, operation.Tags, operation.Security = http.MethodGet, []string{tagFiles}, owners()
	content := map[string]*huma.MediaType{}
	for _, kind := range types {
		content[kind] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	operation.Responses = map[string]*huma.Response{"200": {Description: "The file.", Content: content}}
	return operation
}

// stream replies with a file that is written as it is read. If something fails on the way the connection is
// cut, so that nobody takes a part for the whole.
func (a *api) stream(name, kind string, write func(ctx context.Context, w io.Writer) error) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		ctx.SetHeader("Content-Type", kind)
		ctx.SetHeader("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
		ctx.SetStatus(http.StatusOK)
		if err := write(ctx.Context(), ctx.BodyWriter()); err != nil {
			if ctx.Context().Err() == nil {
				a.Log.Error("an export failed", "file", name, "error", err)
			}
			panic(http.ErrAbortHandler)
		}
	}}
}

func (a *api) exportLog(ctx context.Context, in *StudyPath) (*huma.StreamResponse, error) {
	s, err := a.studies.Study(ctx, in.Study)
	if err != nil {
		return nil, a.problem(err)
	}
	return a.stream(s.ID+".jsonl", contentType("jsonl"), func(ctx context.Context, w io.Writer) error {
		return a.studies.Export(ctx, s.ID, w)
	}), nil
}

func (a *api) exportAnswers(ctx context.Context, in *formatInput) (*huma.StreamResponse, error) {
	s, err := a.studies.Study(ctx, in.Study)
	if err != nil {
		return nil, a.problem(err)
	}
	arms, err := a.studies.Arms(ctx, s)
	if err != nil {
		return nil, a.problem(err)
	}
	extent, err := a.studies.Extent(ctx, s.ID)
	if err != nil {
		return nil, a.problem(err)
	}
	return a.stream(s.ID+"-answers."+in.Format, contentType(in.Format), func(ctx context.Context, w io.Writer) error {
		out := answers.NewWriter(w, answers.Format(in.Format), extent.Shown, extent.Picks)
		for o, err := range a.studies.Standing(ctx, s.ID, extent) {
			if err != nil {
				return err
			}
			if err := out.Write(writeAnswer(o, arms)); err != nil {
				return err
			}
		}
		return out.Close()
	}), nil
}

func writeAnswer(o study.Outcome, arms *catalogue.Saved) answers.Row {
	row := answers.Row{
		Number: o.Number, Kind: string(o.Kind), Question: int64(o.Position), Plan: o.Plan,
		Respondent: o.Respondent, Segment: o.Segment, Asked: o.Asked, At: o.At,
	}
	for _, arm := range o.Shown {
		row.Shown = append(row.Shown, arms.Arms.ID(arm))
	}
	for _, slot := range o.Picks {
		row.Picks = append(row.Picks, row.Shown[slot])
	}
	return row
}

func (a *api) exportArms(ctx context.Context, in *formatInput) (*huma.StreamResponse, error) {
	s, err := a.studies.Study(ctx, in.Study)
	if err != nil {
		return nil, a.problem(err)
	}
	arms, err := a.studies.Arms(ctx, s)
	if err != nil {
		return nil, a.problem(err)
	}
	if arms.Profiles != nil && arms.Arms.Len() > catalogue.MostListed {
		return nil, problem(http.StatusConflict, wire.Invalid, fmt.Sprintf("there are %d profiles, and at most %d can be listed", arms.Arms.Len(), catalogue.MostListed))
	}
	format, err := catalogue.ParseFormat(in.Format)
	if err != nil {
		return nil, invalid("query.format", err.Error())
	}
	withdrawn := catalogue.ExtraColumn{Name: "withdrawn", Value: func(arm int) string { return strconv.FormatBool(slices.Contains(s.Withdrawn, arm)) }}
	return a.stream(s.ID+"-arms."+in.Format, contentType(in.Format), func(_ context.Context, w io.Writer) error {
		return catalogue.WriteArms(w, arms, format, withdrawn)
	}), nil
}

// An answersForm is answers that were recorded elsewhere.
type answersForm struct {
	Answers huma.FormFile `form:"answers" required:"true" doc:"CSV, JSON Lines or Parquet, with the arms shown and picked as in an export."`
	Batch   string        `form:"batch" required:"false" maxLength:"200" doc:"What to call them. Default the SHA-256 of the file."`
}

func (a *api) importAnswers(ctx context.Context, in *struct {
	StudyPath

	RawBody huma.MultipartFormFiles[answersForm]
}) (*struct{ Body wire.Imported }, error) {
	if err := knownFields(in.RawBody.Form, "answers", "batch"); err != nil {
		return nil, err
	}
	form := in.RawBody.Data()
	rows, err := readAnswers(form.Answers)
	if err != nil {
		return nil, a.inFile("body.answers", err)
	}
	batch := form.Batch
	if batch == "" {
		hash := sha256.New()
		if _, err := io.Copy(hash, io.NewSectionReader(form.Answers, 0, form.Answers.Size)); err != nil {
			return nil, a.problem(err)
		}
		batch = hex.EncodeToString(hash.Sum(nil))
	}
	if err := a.studies.Import(ctx, in.Study, batch, rows); err != nil {
		return nil, a.problem(err)
	}
	return &struct{ Body wire.Imported }{wire.Imported{Batch: batch, Answers: len(rows)}}, nil
}

func readAnswers(file huma.FormFile) ([]study.Foreign, error) {
	reader, err := answers.NewReader(io.NewSectionReader(file, 0, file.Size), file.Filename, mostImported)
	if err != nil {
		return nil, err
	}
	var rows []study.Foreign
	for row, err := range reader.Rows() {
		if err != nil {
			return nil, err
		}
		rows = append(rows, study.Foreign{
			Shown: row.Shown, Picks: row.Picks, Respondent: row.Respondent, Segment: row.Segment, Asked: row.Asked, At: row.At,
		})
	}
	if len(rows) == 0 {
		return nil, &study.FieldError{Field: "answers", Problem: fmt.Sprintf("%s has no answers", file.Filename)}
	}
	return rows, nil
}
