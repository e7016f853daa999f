// Package exports makes the files that people take home from a study: the log, the answers and the arms. Who may
// have them, and over which wire, is the caller's business.
package exports

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"bestpick/answers"
	"bestpick/catalogue/archive"
	"bestpick/study"
)

// A File is one that is written as it is read.
type File struct {
	Name  string // with its ending
	Type  string // such as text/csv
	Write func(w io.Writer) error
}

// ContentType is that of files of a format.
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

// Log is the whole study, from which its verdict can be recomputed.
func Log(ctx context.Context, studies *study.Service, id string) (File, error) {
	s, err := studies.Study(ctx, id)
	if err != nil {
		return File{}, err
	}
	return file(s.ID, answers.JSONLines, func(w io.Writer) error { return studies.Export(ctx, s.ID, w) }), nil
}

// Answers is what became of every question that was asked. It looks how far the log goes before it reads the
// arms, so that it knows all that are in it.
func Answers(ctx context.Context, studies *study.Service, id string, format answers.Format) (File, error) {
	extent, err := studies.Extent(ctx, id)
	if err != nil {
		return File{}, err
	}
	s, arms, err := read(ctx, studies, id)
	if err != nil {
		return File{}, err
	}
	return file(s.ID+"-answers", format, func(w io.Writer) error {
		out := answers.NewWriter(w, format, extent.Shown, extent.Picks)
		for o, err := range studies.Standing(ctx, s.ID, extent) {
			if err != nil {
				return err
			}
			if err := out.Write(row(o, arms)); err != nil {
				return err
			}
		}
		return out.Close()
	}), nil
}

// read reads a study and its arms.
func read(ctx context.Context, studies *study.Service, id string) (study.Study, *archive.Catalogue, error) {
	s, err := studies.Study(ctx, id)
	if err != nil {
		return s, nil, err
	}
	arms, err := studies.Arms(ctx, s)
	return s, arms, err
}

func row(o study.Outcome, arms *archive.Catalogue) answers.Row {
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

// A TooManyError says that there are more profiles than can be listed.
type TooManyError struct{ Profiles int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("there are %d profiles, and at most %d can be listed", e.Profiles, archive.MaxListed)
}

// Arms is the arms in the owner's columns, and which are withdrawn.
func Arms(ctx context.Context, studies *study.Service, id string, format answers.Format) (File, error) {
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
