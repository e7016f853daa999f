// Package exports writes the downloads of a study: the log, the answers and the arms. Its callers
// check access and transfer the files.
package exports

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"bestpick/internal/answers"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/wiring"
)

// A File is a download that is generated while it is written.
type File struct {
	Name  string // with its extension
	Type  string // such as text/csv
	Write func(w io.Writer) error
}

// ContentType returns the content type of a format.
func ContentType(format answers.Format) string {
	switch format {
	case answers.CSV:
		return "text/csv; charset=utf-8"
	case answers.JSONLines:
		return "application/jsonl"
	case answers.Parquet:
		return "application/vnd.apache.parquet"
	}
	panic("exports: there is no format " + string(format))
}

func file(name string, format answers.Format, write func(w io.Writer) error) File {
	return File{name + "." + string(format), ContentType(format), write}
}

// Log returns the whole study, from which its verdict can be recomputed.
func Log(ctx context.Context, studies *wiring.Service, id string) (File, error) {
	s, err := studies.Store.Study(ctx, id)
	if err != nil {
		return File{}, err
	}
	return file(s.ID, answers.JSONLines, func(w io.Writer) error { return replay.Export(ctx, studies.Store, s.ID, w) }), nil
}

// Answers returns the outcomes of all questions. It determines the end of the log before it reads the arms, so
// that it knows all arms of the log.
func Answers(ctx context.Context, studies *wiring.Service, id string, format answers.Format) (File, error) {
	extent, err := ReadExtent(ctx, studies.Store, id)
	if err != nil {
		return File{}, err
	}
	s, arms, err := read(ctx, studies, id)
	if err != nil {
		return File{}, err
	}
	return file(s.ID+"-answers", format, func(w io.Writer) error {
		out := answers.NewWriter(w, format, extent.Shown, extent.Picks)
		if arms.Labels != nil {
			out.Labelled()
		}
		if extent.Notes || arms.Contexts != nil {
			out.Annotated()
		}
		for o, err := range Standing(ctx, studies.Store, s.ID, extent) {
			if err != nil {
				return err
			}
			if err := out.Write(row(s, o, arms)); err != nil {
				return err
			}
		}
		return out.Close()
	}), nil
}

// read reads a study and its arms.
func read(ctx context.Context, studies *wiring.Service, id string) (study.Study, *archive.Catalogue, error) {
	s, err := studies.Store.Study(ctx, id)
	if err != nil {
		return s, nil, err
	}
	arms, err := studies.Live.Arms(ctx, s)
	return s, arms, err
}

func row(s study.Study, o study.Outcome, arms *archive.Catalogue) answers.Row {
	row := answers.Row{
		Number: o.Number, Kind: string(o.Kind), Question: int64(o.Position), Plan: o.Plan,
		Respondent: o.Respondent, Segment: o.Segment, Asked: o.Asked, At: o.At,
		Rationale: o.Note.Rationale, Metadata: o.Note.Metadata,
	}
	if o.Kind == study.Answered || o.Kind == study.Imported {
		row.Judge = o.Note.Judge.String()
	}
	if arms.Contexts != nil && o.Position != study.Elsewhere {
		row.Context = arms.Contexts.Names[arms.Contexts.At(s.Settings.Strategy.Seed, int64(o.Position))]
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

// Arms returns the arms with the owner's columns, and whether each is withdrawn.
func Arms(ctx context.Context, studies *wiring.Service, id string, format answers.Format) (File, error) {
	s, arms, err := read(ctx, studies, id)
	if err != nil {
		return File{}, err
	}
	if arms.Profiles != nil && arms.Arms.Len() > archive.MaxListed {
		return File{}, &TooManyError{arms.Arms.Len()}
	}
	written, err := archive.ParseFormat(string(format))
	if err != nil {
		return File{}, err
	}
	withdrawn := archive.ExtraColumn{Name: "withdrawn", Value: func(arm int) string { return strconv.FormatBool(slices.Contains(s.Withdrawn, arm)) }}
	return file(s.ID+"-arms", format, func(w io.Writer) error { return archive.WriteArms(w, arms, written, withdrawn) }), nil
}
