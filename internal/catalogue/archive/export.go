package archive

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// A Format is a file format for arms.
type Format int

const (
	// CSV has one arm per row.
	CSV Format = iota
	// JSONLines has one object per line.
	JSONLines
	// Parquet has typed columns.
	Parquet
)

// formats returns the names of the formats.
func formats() []string { return []string{"csv", "jsonl", "parquet"} }

// String returns the name of the format, which is also the extension of its files.
func (f Format) String() string { return formats()[f] }

// ParseFormat returns the format with the given name.
func ParseFormat(word string) (Format, error) {
	f := slices.Index(formats(), word)
	if f < 0 {
		return 0, fmt.Errorf("%q is no format of arms; there are %s", word, strings.Join(formats(), ", "))
	}
	return Format(f), nil
}

// An ExtraColumn is a further column of an export.
type ExtraColumn struct {
	Name  string
	Value func(arm int) string
}

// MaxListed is the largest number of profiles of a product that an export lists.
const MaxListed = 1_000_000

// WriteArms writes arms one by one, as the owner wrote them: id, label, description, image, the
// attributes, and the extra columns. It omits embeddings and ignored columns. In CSV every value is
// unchanged, except that texts that a spreadsheet would take for formulas have an apostrophe in
// front, which [read.CSV] removes. In JSON Lines and Parquet, numbers are numbers. WriteArms lists
// the profiles of a product, up to [MaxListed].
//
// Reading the file again restores the arms: a column keeps its name, and its kind if that was
// recognised. An attribute with the name of another column has "attribute:" before it.
func WriteArms(w io.Writer, s *Catalogue, format Format, extra ...ExtraColumn) error {
	if n := s.Arms.Len(); s.Profiles != nil && n > MaxListed {
		return fmt.Errorf("there are %s profiles, and at most %s can be listed", table.Grouped(n), table.Grouped(MaxListed))
	}
	columns := s.fileColumns(extra)
	out := bufio.NewWriterSize(w, 1<<16)
	rows := newArmWriter(out, s.Arms.Len(), columns, format)
	row := make([]string, len(columns))
	for arm := range s.Arms.Len() {
		for k, column := range columns {
			row[k] = column.value(arm)
		}
		if err := rows.write(row); err != nil {
			return err
		}
	}
	if err := rows.close(); err != nil {
		return err
	}
	return out.Flush()
}

// An armWriter writes a file of arms.
type armWriter interface {
	write(row []string) error
	close() error
}

func newArmWriter(out *bufio.Writer, arms int, columns []attribute, format Format) armWriter {
	switch format {
	case CSV:
		return newCSVWriter(out, columns)
	case JSONLines:
		return newJSONWriter(out, columns)
	case Parquet:
		return newParquetWriter(out, arms, columns)
	default:
		panic("archive: there is no such format")
	}
}

// fileColumns returns the columns of a file of arms.
func (s *Catalogue) fileColumns(extra []ExtraColumn) []attribute {
	attributes := s.attributes()
	var others []attribute
	for _, e := range extra {
		others = append(others, attribute{e.Name, catalogue.Unknown, e.Value})
	}
	columns := s.roleColumns(slices.Concat(attributes, others))
	taken := map[string]bool{}
	for _, column := range slices.Concat(columns, others) {
		taken[column.name] = true
	}
	for _, a := range attributes {
		for taken[a.name] {
			a.name = attributeMark + a.name
		}
		taken[a.name] = true
		columns = append(columns, a)
	}
	return append(columns, others...)
}

// roleColumns returns the columns of ids, labels, descriptions and images. Of labels, say, that
// no arm has there is an empty column where another would be taken for it by its name.
func (s *Catalogue) roleColumns(others []attribute) []attribute {
	names := make([]string, len(others))
	for i, other := range others {
		names[i] = other.name
	}
	columns := []attribute{{catalogue.ID.String(), catalogue.ID, s.Arms.ID}}
	_, texts := s.texts()
	for k, role := range catalogue.NamedRoles()[1:] {
		value := func(int) string { return "" }
		if texts := *texts[k]; texts != nil {
			value = func(arm int) string { return texts[arm] }
		} else if role.FirstNamed(names) < 0 {
			continue
		}
		columns = append(columns, attribute{role.Names[0], role.Kind, value})
	}
	return columns
}

// A csvWriter writes arms as comma-separated text. Unlike encoding/csv, it quotes fields that
// contain other delimiters, and puts an apostrophe before texts that a spreadsheet would take for
// formulas, unless they are numbers.
type csvWriter struct{ out *bufio.Writer }

func newCSVWriter(out *bufio.Writer, columns []attribute) csvWriter {
	w := csvWriter{out}
	header := make([]string, len(columns))
	for k, column := range columns {
		header[k] = column.name
	}
	_ = w.write(header) // an error stays, and the next write returns it
	return w
}

func (w csvWriter) write(row []string) error {
	for k, field := range row {
		if k > 0 {
			_ = w.out.WriteByte(',') // as above
		}
		if !table.LooksNumeric(field) {
			field = table.Protect(field)
		}
		if strings.ContainsAny(field, ",;\t\"\r\n") {
			field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
		}
		_, _ = w.out.WriteString(field) // as above
	}
	return w.out.WriteByte('\n')
}

func (csvWriter) close() error { return nil }
