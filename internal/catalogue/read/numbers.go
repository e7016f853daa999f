package read

import (
	"math"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// addNoNumber appends a value that is not a plain number: it is missing, or a later look tells.
func addNoNumber(c *catalogue.Column, text string) {
	if table.IsMissing(text) {
		c.AddMissing()
	} else {
		c.AddNumber([]byte(text), math.NaN())
	}
}

// parseNumbers parses the columns whose numbers are not all plain. Columns whose values turn out not to be numbers become texts.
func (d *draft) parseNumbers(kinds []catalogue.Kind, options catalogue.Options) {
	type written struct {
		column int
		texts  []string
	}
	var columns []written
	certain, plain := false, []int{}
	for i := range d.Columns {
		c := &d.Columns[i]
		open := c.Kind == catalogue.Unknown && kinds[i] == catalogue.Unknown
		if c.Kind == catalogue.Number && (!c.Parsed() || options.Formats[c.Name] != nil) || open {
			texts := c.AsWritten()
			columns = append(columns, written{i, texts})
			format, are := formatOf(texts, false, false)
			certain = certain || are && format.Comma
		} else if c.Kind == catalogue.Number && d.delimiter != 0 {
			plain = append(plain, i)
		}
	}
	if !certain { // then 1.234 is what it is
		plain = nil
	}
	for _, i := range plain {
		columns = append(columns, written{i, d.Columns[i].AsWritten()})
	}
	for _, w := range columns {
		c := &d.Columns[w.column]
		format, given := options.Formats[c.Name]
		are := given
		if !given {
			format, are = formatOf(w.texts, certain || d.delimiter == ';', certain)
		}
		switch {
		case c.Kind == catalogue.Number && (are || kinds[w.column] == catalogue.Number), are && format.String() != "":
			*c = catalogue.Column{Name: c.Name, Texts: w.texts}
			d.parse(c, format)
		case c.Kind == catalogue.Number && !c.Parsed():
			*c = catalogue.Column{Name: c.Name, Texts: w.texts}
		}
	}
}

// formatOf recognises dates and numbers.
func formatOf(texts []string, likely, certain bool) (*catalogue.NumberFormat, bool) {
	if format, are := catalogue.DatesOf(texts); are {
		return format, true
	}
	return catalogue.FormatOf(texts, likely, certain)
}

// parse makes a Number of texts. Texts that are not numbers in this format are missing values, with a note.
func (d *draft) parse(c *catalogue.Column, format *catalogue.NumberFormat) {
	numbers := catalogue.Column{Name: c.Name, Kind: catalogue.Number}
	if format.String() != "" {
		numbers.Format = format
	}
	wrong, first, values := 0, 0, 0
	for row, text := range c.Texts {
		if catalogue.IsNoNumber(text) {
			numbers.AddMissing()
			continue
		}
		values++
		x, ok := format.Parse(text)
		if !ok {
			x = math.NaN()
			if wrong == 0 {
				first = row
			}
			wrong++
		}
		numbers.AddNumber([]byte(text), x)
	}
	if wrong > 0 {
		d.noteOdd(c.Name, "not numbers", odd{wrong, first, c.Texts[first]}, values)
	}
	*c = numbers
}

// odd values of a column are taken as missing.
type odd struct {
	count, row int // row is that of the first
	first      string
}

// noteOdd notes the odd ones among the values of a column.
func (d *draft) noteOdd(column, what string, o odd, values int) {
	d.Notes = append(d.Notes, catalogue.Note{
		Column: column, Remedy: catalogue.Remedy{Column: column, As: catalogue.Category},
		Problem: table.Problemf("odd", "%s: %s of %s values, such as %s in %s; taken as missing", what, table.Grouped(o.count),
			table.Grouped(values), table.Excerpt([]byte(o.first)), d.place(o.row)),
	})
}

// settleDates makes a Number of dates, or a Category of their months.
func (d *draft) settleDates(c *catalogue.Column, kind catalogue.Kind, format *catalogue.NumberFormat) {
	if format == nil {
		recognised, are := catalogue.DatesOf(c.Texts)
		if !are {
			d.problems.Add(d.Source, 0, c.Name, table.Problemf("dates", "its values are not all dates of one format, such as %q",
				firstValue(c.Texts)))
			return
		}
		format = recognised
	}
	if kind == catalogue.Date {
		d.parse(c, format)
		return
	}
	c.Kind, c.Format = catalogue.Category, format
	for row, text := range c.Texts {
		month, is := format.MonthOf(text)
		if !is && !catalogue.IsNoNumber(text) {
			d.problems.Add(d.Source, d.Line(row), c.Name, table.Problemf("no-date", "%q is not a date such as %s", text, format.Date))
		}
		if !is {
			month = ""
		}
		c.Texts[row] = month
	}
}

// firstValue returns the first text that is not missing.
func firstValue(texts []string) string {
	for _, text := range texts {
		if !table.IsMissing(text) {
			return text
		}
	}
	return ""
}
