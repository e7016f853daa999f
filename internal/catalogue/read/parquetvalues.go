package read

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// readColumn reads the values of a column, page by page.
func (d *draft) readColumn(c *catalogue.Column, column *parquet.Column, rows int) error {
	convert := converterOf(column.Type())
	row := 0
	err := d.eachValues(column, func(values []parquet.Value) error {
		for _, value := range values {
			d.writeValue(c, row, value, convert)
			row++
		}
		if row > rows {
			return d.damaged()
		}
		return nil
	})
	if err == nil && row != rows {
		return d.damaged()
	}
	return err
}

// eachValues calls f for all values of a column, some at a time.
func (d *draft) eachValues(column *parquet.Column, f func([]parquet.Value) error) error {
	pages := column.Pages()
	defer func() { _ = pages.Close() }()
	values := make([]parquet.Value, 1<<10)
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return d.damaged()
		}
		for reader := page.Values(); ; {
			n, err := reader.ReadValues(values)
			if failed := f(values[:n]); failed != nil {
				return failed
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || n == 0 {
				return d.damaged()
			}
		}
		parquet.Release(page)
	}
}

// writeValue writes a value into its column.
func (d *draft) writeValue(c *catalogue.Column, row int, value parquet.Value, convert converter) {
	if c.Kind != catalogue.Number {
		text := ""
		if !value.IsNull() {
			text = strings.TrimSpace(convert.text(value))
		}
		if !utf8.ValidString(text) {
			d.problem(row, c.Name, table.NotUTF8())
		}
		c.Texts = append(c.Texts, text)
		return
	}
	x := math.NaN()
	switch {
	case value.IsNull():
	case convert.number != nil:
		x = convert.number(value)
		if math.IsInf(x, 0) {
			d.problem(row, c.Name, table.NoNumber(fmt.Sprint(x)))
		}
	default:
		addNumber(c, strings.TrimSpace(convert.text(value)))
		return
	}
	if convert.single {
		c.AddSingle(x)
	} else {
		c.Numbers = append(c.Numbers, x)
	}
}

func (d *draft) damaged() error {
	return &table.Error{File: d.Source, Problem: table.Problemf("parquet", "the Parquet file is damaged or incomplete")}
}
