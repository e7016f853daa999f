package archive

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// An ExtraColumn is a further column of an export.
type ExtraColumn struct {
	Name  string
	Value func(arm int) string
}

// Withdrawn returns the column that says which arms of a study were withdrawn.
func Withdrawn(arms []int) ExtraColumn {
	return ExtraColumn{catalogue.WithdrawnColumn, func(arm int) string { return strconv.FormatBool(slices.Contains(arms, arm)) }}
}

// MaxListed is the largest number of profiles of a product that an export lists.
const MaxListed = 1_000_000

// WriteArms writes arms one by one, as the owner wrote them: id, label, description, image, the
// attributes, and the extra columns. It omits embeddings and ignored columns. In CSV every value is
// unchanged, except that texts that a spreadsheet would take for formulas have an apostrophe in
// front, which [read.Table] removes. In JSON Lines and Parquet, numbers are numbers. WriteArms lists
// the profiles of a product, up to [MaxListed].
//
// Reading the file again restores the arms: a column keeps its name, and its kind if that was
// recognised. An attribute with the name of another column has "attribute:" before it.
func WriteArms(w io.Writer, s *Catalogue, format table.Format, extra ...ExtraColumn) error {
	if n := s.Arms.Len(); s.Profiles != nil && n > MaxListed {
		return fmt.Errorf("there are %s profiles, and at most %s can be listed", table.Grouped(n), table.Grouped(MaxListed))
	}
	columns := s.fileColumns(extra)
	var written []table.WrittenColumn
	for _, column := range columns {
		written = append(written, table.WrittenColumn{
			Name: column.name, Type: column.valueType(s.Arms.Len(), format), Optional: column.kind.Feature(),
		})
	}
	rows := table.NewRowWriter(w, format, written)
	row := make([]any, len(columns))
	for arm := range s.Arms.Len() {
		for k, column := range columns {
			row[k] = column.value(arm)
		}
		if err := rows.Write(row); err != nil {
			return err
		}
	}
	return rows.Close()
}

// valueType returns how the values of this many arms are written. In Parquet, a column with another value
// than numbers or booleans is a column of texts. In CSV, every text that looks like a number is one.
func (a attribute) valueType(arms int, format table.Format) table.ValueType {
	all := func(is func(text string) bool) bool {
		for arm := range arms {
			if text := a.value(arm); format == table.Parquet && text != "" && !is(text) {
				return false
			}
		}
		return true
	}
	isNumber := func(text string) bool { _, ok := table.ParseNumber(text); return ok }
	switch {
	case format == table.CSV, a.kind == catalogue.Number && all(isNumber):
		return table.NumberValue
	case a.kind == catalogue.Boolean && all(table.IsPlainTruth):
		return table.BooleanValue
	}
	return table.TextValue
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
