package answers

import (
	"bufio"
	"strconv"
	"strings"

	"bestpick/internal/table"
)

// csvRows are answers in delimited text.
type csvRows struct {
	rows    *table.Reader
	columns map[string]int // by name, except lists
	lists   map[string][]int
	unnamed []int // columns without a name, which must have no values
}

func openCSV(text *bufio.Reader, name string, limits table.Limits) (source, error) {
	rows, err := table.NewReader(text, name, limits)
	if err != nil {
		return nil, err
	}
	c := &csvRows{rows: rows, columns: map[string]int{}, lists: map[string][]int{}}
	if err := c.readHeader(); err != nil {
		return nil, err
	}
	return c, nil
}

// readHeader assigns the columns.
func (c *csvRows) readHeader() error {
	line := c.rows.Line()
	known, arms := map[string]bool{}, map[string]int{}
	for i, name := range c.rows.Header() {
		if name == "" {
			c.unnamed = append(c.unnamed, i)
			continue
		}
		if known[name] {
			return c.rows.ErrorAt(line, name, "%s", table.TwoColumns())
		}
		known[name] = true
		switch list := listOf(name); {
		case list != "":
			arms[list]++
		case isColumn(name):
			c.columns[name] = i
		case isLabel(name):
		default:
			return c.rows.ErrorAt(line, name, noColumn)
		}
	}
	if err := c.findList(shownColumn, max(arms[shownColumn], 2)); err != nil {
		return err
	}
	return c.findList(picksColumn, max(arms[picksColumn], 1))
}

// findList finds the columns of a list, from 1 to their number.
func (c *csvRows) findList(list string, arms int) error {
	if arms > maxArms {
		return c.rows.ErrorAt(c.rows.Line(), cellName(list, maxArms), "a row has at most %d arms", maxArms)
	}
	for i := range arms {
		at, err := c.rows.Column(cellName(list, i))
		if err != nil {
			return err
		}
		c.lists[list] = append(c.lists[list], at)
	}
	return nil
}

// listOf returns the list of a column such as shown_2 or pick_1, or "" for other columns.
func listOf(name string) string {
	prefix, digits, _ := strings.Cut(name, "_")
	if n, err := strconv.Atoi(digits); err != nil || n < 1 || strconv.Itoa(n) != digits {
		return ""
	}
	switch prefix {
	case shownColumn:
		return shownColumn
	case "pick":
		return picksColumn
	}
	return ""
}

// isLabel reports whether a column has labels of arms, which are not read.
func isLabel(name string) bool {
	cell, is := strings.CutSuffix(name, labelSuffix)
	return is && listOf(cell) != ""
}

// isColumn reports whether a name is that of a column other than a list.
func isColumn(name string) bool {
	switch name {
	case numberColumn, kindColumn, questionColumn, planColumn, respondentColumn, segmentColumn, askedColumn, atColumn,
		contextColumn, judgeColumn, rationaleColumn, metadataColumn:
		return true
	}
	return false
}

func (c *csvRows) each(take func(Row) error) error {
	return c.rows.Each(func() error {
		row, err := c.row()
		if err != nil {
			return err
		}
		return take(row)
	})
}

// row returns the current row.
func (c *csvRows) row() (Row, error) {
	for _, i := range c.unnamed {
		if c.rows.Text(i) != "" {
			return Row{}, c.rows.ErrorAt(c.rows.Line(), "", "column %d has a value, but no name", i+1)
		}
	}
	row := Row{
		Kind: c.text(kindColumn), Respondent: c.text(respondentColumn), Segment: c.text(segmentColumn),
		Judge: c.text(judgeColumn), Rationale: c.text(rationaleColumn),
	}
	var problem string
	if text := c.text(metadataColumn); text != "" {
		if row.Metadata, problem = readMetadata([]byte(text)); problem != "" {
			return Row{}, c.errorf(metadataColumn, 0, "%s", problem)
		}
	}
	if row.Asked, problem = parseTime(c.text(askedColumn)); problem != "" {
		return Row{}, c.errorf(askedColumn, 0, "%s", problem)
	}
	if row.At, problem = parseTime(c.text(atColumn)); problem != "" {
		return Row{}, c.errorf(atColumn, 0, "%s", problem)
	}
	row.Shown, row.Picks = c.list(shownColumn), c.list(picksColumn)
	return row, nil
}

// text returns the cell of a column, or "" if there is no such column.
func (c *csvRows) text(column string) string {
	i, known := c.columns[column]
	if !known {
		return ""
	}
	return table.Unprotect(strings.Clone(c.rows.Text(i)))
}

// list returns the ids of a list, without empty cells at its end.
func (c *csvRows) list(name string) []string {
	cells := c.lists[name]
	for len(cells) > 0 && c.rows.Text(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	ids := make([]string, len(cells))
	for i, cell := range cells {
		ids[i] = strings.TrimSpace(table.Unprotect(strings.Clone(c.rows.Text(cell))))
	}
	return ids
}

func (c *csvRows) errorf(column string, i int, format string, arguments ...any) error {
	if cells, isList := c.lists[column]; isList {
		return c.rows.Errorf(cells[i], format, arguments...)
	}
	if at, known := c.columns[column]; known {
		return c.rows.Errorf(at, format, arguments...)
	}
	return c.rows.ErrorAt(c.rows.Line(), column, format, arguments...)
}

func (c *csvRows) currentLine() int { return c.rows.Line() }
