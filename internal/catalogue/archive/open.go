package archive

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/product"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
)

// An Encoded is a catalogue that was read from a file and encoded, with its table and the warnings. A
// saved catalogue has neither a table nor warnings.
type Encoded struct {
	Catalogue

	Table    *catalogue.Table // nil for a product
	Added    int              // the number of added arms: the last ones, which are those of the table
	Warnings []encode.Warning
}

// Open reads arms of any format from a file and encodes them: a table of them ([read.OpenFile]), the
// attributes of a product (.yaml, see [product.Read]), or a saved catalogue ([Save]), which is
// already encoded. Embeddings are reduced to the given number of dimensions; 0 means the default.
func Open(path string, options catalogue.Options, dimensions int) (*Encoded, error) {
	u, options, closeFile, err := read.OpenFile(path, options)
	if err != nil {
		return nil, err
	}
	defer closeFile()
	return encoded(u, options, dimensions)
}

// Encode learns an encoding from a table and encodes it.
func Encode(t *catalogue.Table, dimensions int) (*Encoded, error) {
	return encodeWithin(t, dimensions, table.Limits{})
}

// encodeWithin is [Encode] within limits.
func encodeWithin(t *catalogue.Table, dimensions int, limits table.Limits) (*Encoded, error) {
	encoding, err := encode.NewEncoding(t, dimensions)
	if err != nil {
		return nil, err
	}
	if err := encoding.CheckSize(t.Source, t.Len(), limits); err != nil {
		return nil, err
	}
	arms, err := encoding.Encode(t)
	if err != nil {
		return nil, err
	}
	return newEncoded(encoding, arms, t), nil
}

func newEncoded(encoding *encode.Encoding, arms *choice.Catalogue, t *catalogue.Table) *Encoded {
	e := &Encoded{
		Catalogue: Catalogue{Encoding: encoding, Arms: arms}, Table: t,
		Warnings: slices.Concat(encodingWarnings(t), encoding.Warnings(t, arms)),
	}
	for kind, texts := range map[catalogue.Kind]*[]string{
		catalogue.Label: &e.Labels, catalogue.Description: &e.Descriptions,
		catalogue.Image: &e.Images,
	} {
		if column := t.First(kind); column != nil {
			*texts = column.Texts
		}
	}
	for _, column := range t.Columns {
		if column.Kind.Feature() && column.Kind != catalogue.Embedding || column.Kind == catalogue.Shown {
			e.Attributes = append(e.Attributes, column)
		}
	}
	e.Warnings = append(e.Warnings, encode.CopyWarnings(arms, e.name)...)
	return e
}

// name returns the label of an arm, or its ID.
func (s *Catalogue) name(arm int) string {
	if arm < len(s.Labels) && s.Labels[arm] != "" {
		return s.Labels[arm]
	}
	return s.Arms.ID(arm)
}

// encodingWarnings says which encoding the text of a file was taken to have, unless it is UTF-8.
func encodingWarnings(t *catalogue.Table) []encode.Warning {
	if t.Encoding == "" {
		return nil
	}
	return []encode.Warning{encode.NewWarning("", "encoding",
		"the text was read as %s, not UTF-8: check that special characters are right", t.Encoding)}
}

func openProfiles(source io.Reader, name string, options catalogue.Options) (*Encoded, error) {
	profiles, err := product.Read(source, name, options)
	if err != nil {
		return nil, err
	}
	encoding, err := product.NewEncoding(profiles)
	if err != nil {
		return nil, err
	}
	arms, err := profiles.Encode(encoding)
	if err != nil {
		return nil, err
	}
	return &Encoded{
		Catalogue: Catalogue{Encoding: encoding, Arms: arms, Profiles: profiles},
		Warnings:  encoding.NearlyWarnings(),
	}, nil
}

// OpenSaved reads a saved catalogue from a file.
func OpenSaved(path string) (*Catalogue, error) {
	u, _, closeFile, err := read.OpenFile(path, catalogue.Options{})
	if err != nil {
		return nil, err
	}
	defer closeFile()
	return Load(u.Contents, u.Size, u.Name)
}

// OpenUpload reads arms of any format from an upload and encodes them, as [Open] does. It reads no other files: it ignores
// Options.IDs, and keeps images unchanged. A file that exceeds the limits is rejected before it takes much memory.
func OpenUpload(u read.Upload, options catalogue.Options, dimensions int) (*Encoded, error) {
	if err := u.Check(); err != nil {
		return nil, err
	}
	options.Limits = u.Limits
	return encoded(u, options, dimensions)
}

// encoded reads arms of any format: see [Open].
func encoded(u read.Upload, options catalogue.Options, dimensions int) (*Encoded, error) {
	switch ending := table.Ending(u.Name); {
	case ending == savedEnding:
		saved, err := loadWithin(u.Contents, u.Size, u.Name, options.Limits)
		if err != nil {
			return nil, err
		}
		return &Encoded{Catalogue: *saved}, nil
	case catalogue.IsProfiles(ending):
		return openProfiles(u.Reader(), u.Name, options)
	}
	t, err := u.Table(options)
	if err != nil {
		return nil, err
	}
	return encodeWithin(t, dimensions, options.Limits)
}

// Reopened returns the arms with their warnings, as [Open] does, but without the table that they were
// encoded from. Columns that the catalogue does not have any more have no warnings.
func (s *Catalogue) Reopened() *Encoded {
	e := &Encoded{Catalogue: *s}
	if s.Profiles != nil {
		e.Warnings = s.Encoding.NearlyWarnings()
	} else {
		t := &catalogue.Table{Columns: slices.Clone(s.Attributes)}
		if s.Labels != nil {
			t.Columns = append(t.Columns, catalogue.Column{Name: s.Encoding.LabelColumn, Kind: catalogue.Label, Texts: s.Labels})
		}
		e.Warnings = append(s.Encoding.Warnings(t, s.Arms), encode.CopyWarnings(s.Arms, s.name)...)
	}
	return e
}

// Notes says how the file was understood where that may surprise, and what columns that are not used
// would cost in answers. answers estimates how many a study of arms with independent features takes.
// remedies adds the flags of the command line that decide otherwise.
func (e *Encoded) Notes(answers func(features int) float64, remedies bool) []encode.Warning {
	const mostUnused = 4 // columns that have a note each
	if e.Table == nil {
		return nil
	}
	var notes []encode.Warning
	var unused []string
	for _, n := range e.Table.Notes {
		if n.Features > 0 {
			if unused = append(unused, n.Column); len(unused) > mostUnused {
				continue
			}
		}
		notes = append(notes, encode.Warning{Column: n.Column, Text: e.noteText(n, answers, remedies), Problem: n.Problem})
	}
	if more := len(unused) - mostUnused; more > 0 {
		notes = append(notes, encode.NewWarning("", "more-unused", "%d more columns are not used: %s", more,
			catalogue.Enumerate(unused[mostUnused:], mostUnused)))
	}
	return notes
}

// noteText returns a note as a sentence.
func (e *Encoded) noteText(n catalogue.Note, answers func(features int) float64, remedies bool) string {
	var text strings.Builder
	if n.Column != "" {
		text.WriteString(n.Column + ": ")
	}
	text.WriteString(n.Text)
	if n.Features > 0 {
		now, most := e.Arms.Dim(), e.Arms.Len()-1
		with, without := rounded(answers(min(now+n.Features, most))), rounded(answers(min(now, most)))
		if with != without {
			fmt.Fprintf(&text, "; with it about %s answers would be needed, not %s", with, without)
		}
	}
	if flag := n.Remedy.String(); remedies && flag != "" {
		text.WriteString(" (" + flag + ")")
	}
	return text.String()
}

// rounded returns a number of answers with two digits that matter.
func rounded(answers float64) string {
	const digits = 2
	unit := math.Pow(10, math.Max(0, math.Ceil(math.Log10(math.Max(1, answers)))-digits))
	return table.Grouped(int(math.Round(answers/unit) * unit))
}
