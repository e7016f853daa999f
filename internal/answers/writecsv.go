package answers

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"bestpick/internal/table"
)

// A csvEncoder writes delimited text, with as many columns for arms as the longest row has arms.
type csvEncoder struct {
	csv    *csv.Writer
	begun  bool // the header is written
	shown  int
	picks  int
	cells  []string
	labels bool // write labels, too
	notes  bool // write annotations, too
}

func newCSVEncoder(w io.Writer, shown, picks int) *csvEncoder {
	return &csvEncoder{csv: csv.NewWriter(w), shown: shown, picks: picks}
}

func (e *csvEncoder) annotate() { e.notes = true }

// header returns the names of the columns.
func (e *csvEncoder) header() []string {
	names := []string{numberColumn, kindColumn, questionColumn, planColumn, respondentColumn, segmentColumn, askedColumn, atColumn}
	list := func(suffix string) {
		for i := range e.shown {
			names = append(names, cellName(shownColumn, i)+suffix)
		}
		for i := range e.picks {
			names = append(names, cellName(picksColumn, i)+suffix)
		}
	}
	list("")
	if e.labels {
		list(labelSuffix)
	}
	if e.notes {
		names = append(names, contextColumn, judgeColumn, rationaleColumn, metadataColumn)
	}
	return names
}

// labelSuffix ends the names of columns with labels.
const labelSuffix = "_label"

// cellName returns the name of the column of an arm in a list.
func cellName(list string, i int) string {
	if list == picksColumn {
		list = "pick"
	}
	return fmt.Sprintf("%s_%d", list, i+1)
}

func (e *csvEncoder) write(row *Row) error {
	if err := e.writeHeader(); err != nil {
		return err
	}
	e.cells = append(e.cells[:0],
		strconv.FormatInt(row.Number, 10), table.Protect(row.Kind), strconv.FormatInt(row.Question, 10), strconv.Itoa(row.Plan),
		table.Protect(row.Respondent), table.Protect(row.Segment), formatTime(row.Asked), formatTime(row.At))
	e.writeList(row.Shown, e.shown)
	e.writeList(row.Picks, e.picks)
	if e.labels {
		e.writeList(row.Labels, e.shown)
		e.writeList(row.pickedLabels(), e.picks)
	}
	if e.notes {
		for _, text := range []string{row.Context, row.Judge, row.Rationale, row.metadataJSON()} {
			e.cells = append(e.cells, table.Protect(text))
		}
	}
	return e.csv.Write(e.cells)
}

// writeList writes ids or labels, and empty cells up to a number of cells.
func (e *csvEncoder) writeList(ids []string, cells int) {
	for _, id := range ids {
		e.cells = append(e.cells, table.Protect(id))
	}
	for range cells - len(ids) {
		e.cells = append(e.cells, "")
	}
}

func (e *csvEncoder) writeHeader() error {
	if e.begun {
		return nil
	}
	e.begun = true
	return e.csv.Write(e.header())
}

func (e *csvEncoder) close() error {
	if err := e.writeHeader(); err != nil {
		return err
	}
	e.csv.Flush()
	return e.csv.Error()
}
