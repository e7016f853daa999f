package answers

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"bestpick/internal/parquets"
	"bestpick/table"
)

// A parquetColumn goes through the values of a column, row by row: no more than one page of each
// column is in memory. The library could put rows together, too, but it would gather a row of any
// length.
type parquetColumn struct {
	name string
	leaf *parquet.Column // with the values
	unit time.Duration   // of times that are numbers, 0 where they are texts

	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buffer [64]parquet.Value
	ahead  []parquet.Value // read into buffer, but of no row so far
	row    []parquetValue
	length int // of the texts of the row, in bytes
}

// A parquetValue is a text, or a number where the column has times.
type parquetValue struct {
	text   string
	number int64
	null   bool
}

// newParquetColumn finds the values of a column, or says why they cannot be read.
func newParquetColumn(column *parquet.Column, name string) (c *parquetColumn, problem string) {
	c = &parquetColumn{name: name, leaf: column}
	for !c.leaf.Leaf() {
		inner := c.leaf.Columns()
		if len(inner) != 1 {
			return nil, "the column has several parts"
		}
		c.leaf = inner[0]
	}
	switch levels := c.leaf.MaxRepetitionLevel(); {
	case name == shownColumn || name == picksColumn:
		if levels != 1 {
			return nil, "lists of ids are needed"
		}
	case levels > 0 || c.leaf != column:
		return nil, "the column is nested; it must have one value a row"
	}
	return c, c.typeProblem()
}

// typeProblem says why values cannot be read, nothing if they can: texts, and where there are no
// times, integers; times may be timestamps, too.
func (c *parquetColumn) typeProblem() string {
	t := c.leaf.Type()
	hasTimes := c.name == askedColumn || c.name == atColumn
	switch m := meaning(t).(type) {
	case *format.TimestampType:
		if hasTimes && t.Kind() == parquet.Int64 {
			c.unit = unitOf(&m.Unit)
			if !m.IsAdjustedToUTC {
				return "the times are of no time zone; make them UTC"
			}
			return ""
		}
	case *format.IntType:
		if !hasTimes {
			return ""
		}
	case *format.StringType, *format.EnumType:
		if t.Kind() == parquet.ByteArray {
			return ""
		}
	case nil:
		isInteger := t.Kind() == parquet.Int32 || t.Kind() == parquet.Int64
		if t.Kind() == parquet.ByteArray || isInteger && !hasTimes {
			return ""
		}
	}
	return fmt.Sprintf("values of type %s cannot be read", t)
}

// meaning returns what the file says the values of a type mean, nil where it says nothing.
func meaning(t parquet.Type) any {
	if logical := t.LogicalType(); logical != nil {
		return logical.Value
	}
	return nil
}

// unitOf returns the unit of times.
func unitOf(unit *format.TimeUnit) time.Duration {
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		return time.Millisecond
	case *format.MicroSeconds:
		return time.Microsecond
	default:
		return time.Nanosecond
	}
}

// A rowError is a row that exceeds a limit.
type rowError struct{ problem string }

func (e *rowError) Error() string { return e.problem }

// next returns the values of the next row, one at least. They are good until the next call.
func (c *parquetColumn) next(limits table.Limits) ([]parquetValue, error) {
	c.row, c.length = c.row[:0], 0
	for {
		if err := c.fill(); errors.Is(err, io.EOF) && len(c.row) > 0 {
			return c.row, nil
		} else if err != nil {
			return nil, err
		}
		first := c.ahead[0]
		if starts := first.RepetitionLevel() == 0; starts == (len(c.row) > 0) {
			if starts {
				return c.row, nil
			}
			return nil, parquets.ErrDamaged
		}
		if len(c.row) == mostArms {
			return nil, &rowError{fmt.Sprintf("a row has at most %d arms", mostArms)}
		}
		if first.Kind() == parquet.ByteArray {
			c.length += len(first.ByteArray())
		}
		if problem := limits.RowProblem(c.length); problem != "" {
			return nil, &rowError{problem}
		}
		c.row = append(c.row, c.valueOf(first))
		c.ahead = c.ahead[1:]
	}
}

// end returns an error unless all values were read.
func (c *parquetColumn) end() error {
	err := c.fill()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		err = parquets.ErrDamaged
	}
	return err
}

// fill makes sure that there is a value ahead, or returns [io.EOF]. The library panics at some
// pages that are damaged.
func (c *parquetColumn) fill() (err error) {
	defer func() {
		if recover() != nil {
			err = parquets.ErrDamaged
		}
	}()
	for len(c.ahead) == 0 {
		if c.values == nil {
			if c.page, err = c.pages.ReadPage(); err != nil {
				return err
			}
			c.values = c.page.Values()
		}
		n, err := c.values.ReadValues(c.buffer[:])
		c.ahead = c.buffer[:n]
		if n > 0 {
			return nil
		}
		if !errors.Is(err, io.EOF) {
			return parquets.ErrDamaged
		}
		c.release()
	}
	return nil
}

// release lets the page at hand go.
func (c *parquetColumn) release() {
	if c.page != nil {
		parquet.Release(c.page)
	}
	c.page, c.values = nil, nil
}

func (c *parquetColumn) close() {
	c.release()
	_ = c.pages.Close() // it was only read
}

// valueOf copies a value from its page.
func (c *parquetColumn) valueOf(v parquet.Value) parquetValue {
	switch {
	case v.IsNull():
		return parquetValue{null: true}
	case c.unit > 0:
		return parquetValue{number: v.Int64()}
	case v.Kind() == parquet.ByteArray:
		return parquetValue{text: string(v.ByteArray())}
	}
	integer, _ := meaning(c.leaf.Type()).(*format.IntType)
	unsigned := integer != nil && !integer.IsSigned
	switch is32 := v.Kind() == parquet.Int32; {
	case unsigned && is32:
		return parquetValue{text: strconv.FormatUint(uint64(v.Uint32()), 10)}
	case unsigned:
		return parquetValue{text: strconv.FormatUint(v.Uint64(), 10)}
	case is32:
		return parquetValue{text: strconv.FormatInt(int64(v.Int32()), 10)}
	default:
		return parquetValue{text: strconv.FormatInt(v.Int64(), 10)}
	}
}

// time returns the time that a value of the column is, or what is wrong with it.
func (c *parquetColumn) time(v parquetValue) (t time.Time, problem string) {
	if v.null || c.unit == 0 {
		return parseTime(v.text)
	}
	perSecond := int64(time.Second / c.unit)
	t = time.Unix(v.number/perSecond, v.number%perSecond*int64(c.unit))
	if !isWritable(t) {
		return time.Time{}, fmt.Sprintf("%d is no time", v.number)
	}
	return exact(t), ""
}
