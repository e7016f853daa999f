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

// A Format is one in which arms are written.
type Format int

const (
	// CSV has one arm a row.
	CSV Format = iota
	// JSONLines has one object a line.
	JSONLines
	// Parquet has typed columns.
	Parquet
)

// formats are what users call them.
func formats() []string { return []string{"csv", "jsonl", "parquet"} }

// String returns the format in a word, which is how the names of its files end.
func (f Format) String() string { return formats()[f] }

// ParseFormat returns the format with the given word.
func ParseFormat(word string) (Format, error) {
	f := slices.Index(formats(), word)
	if f < 0 {
		return 0, fmt.Errorf("%q is no format of arms; there are %s", word, strings.Join(formats(), ", "))
	}
	return Format(f), nil
}

// An ExtraColumn is what else there is to say of every arm.
type ExtraColumn struct {
	Name  string
	Value func(arm int) string
}

// MaxListed is how many profiles of a product are written one by one.
const MaxListed = 1_000_000

// WriteArms writes arms one by one, in the owner's words: id, label, description, image, the
// attributes, and what else is wanted. Embeddings are left out, and so are columns that were
// ignored. In CSV every value is as it was written, with an apostrophe before
// texts that a spreadsheet would take for formulas, which is not read; in JSON Lines and Parquet, numbers are
// numbers. The profiles of a product are listed, if they are at most a million.
//
// What is written is read as it was: a column keeps its name, and its kind if that was
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
