package read

import (
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// readLists reads the lists of a column as vectors.
func (d *draft) readLists(c *catalogue.Column, column *parquet.Column, rows int) error {
	c.Kind = catalogue.Embedding
	convert := converterOf(column.Type())
	row, width := -1, 0
	err := d.eachValues(column, func(values []parquet.Value) error {
		for _, value := range values {
			if value.RepetitionLevel() == 0 {
				d.endList(c, row, width)
				row, width = row+1, 0
			}
			if row < 0 || row >= rows {
				return d.damaged()
			}
			if !value.IsNull() {
				c.Vectors = append(c.Vectors, d.listed(row, memberName(c.Name, width), convert.number(value)))
				width++
			} else if value.DefinitionLevel() == column.MaxDefinitionLevel()-1 && column.Optional() {
				d.problem(row, memberName(c.Name, width), table.NoValue(""))
				c.Vectors = append(c.Vectors, 0)
				width++
			}
		}
		return nil
	})
	if err == nil && row != rows-1 {
		err = d.damaged()
	}
	d.endList(c, row, width)
	c.Width = max(c.Width, 1) // of lists that are all wrong
	return err
}

// listed returns a number of a list as vectors hold it.
func (d *draft) listed(row int, name string, x float64) float32 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		d.problem(row, name, table.NoNumber(fmt.Sprint(x)))
		return 0
	}
	return d.single(row, name, x)
}

// endList checks the length of the list of a row, and makes it that of the others. The first list says how
// many numbers there are.
func (d *draft) endList(c *catalogue.Column, row, width int) {
	if row < 0 {
		return
	}
	if c.Width == 0 {
		c.Width = width
	}
	switch {
	case width == 0:
		d.problem(row, c.Name, table.NoValue(""))
	case width != c.Width:
		d.problem(row, c.Name, table.Problemf("list-length", "the list has %d numbers, others have %d", width, c.Width))
	}
	length := len(c.Vectors) - width + c.Width
	for len(c.Vectors) < length {
		c.Vectors = append(c.Vectors, 0)
	}
	c.Vectors = c.Vectors[:length]
}
