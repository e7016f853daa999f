package answers

import (
	"io"
	"time"

	"github.com/parquet-go/parquet-go"
)

// The limits of a row group, which is in memory until it is written.
const (
	groupRows = 1 << 16
	groupText = 16 << 20 // bytes
)

// A parquetEncoder writes groups of rows.
type parquetEncoder struct {
	to   io.Writer
	file parquetFile
	rows int // of the current group
	text int // of the current group, in bytes
}

// A parquetRow is a row of the file. A zero time is null.
type parquetRow struct {
	Number     int64     `parquet:"number"`
	Kind       string    `parquet:"kind,dict"`
	Question   int64     `parquet:"question"`
	Plan       int64     `parquet:"plan"`
	Respondent string    `parquet:"respondent"`
	Segment    string    `parquet:"segment,dict"`
	Asked      time.Time `parquet:"asked,optional,timestamp(microsecond)"`
	At         time.Time `parquet:"at,optional,timestamp(microsecond)"`
	Shown      []string  `parquet:"shown,list"`
	Picks      []string  `parquet:"picks,list"`
}

// An annotatedRow is a row of a file with annotations.
type annotatedRow struct {
	parquetRow

	Context   string `parquet:"context,dict"`
	Judge     string `parquet:"judge,dict"`
	Rationale string `parquet:"rationale"`
	Metadata  string `parquet:"metadata"`
}

// A parquetFile writes rows of one type.
type parquetFile interface {
	write(row *Row, to parquetRow) error
	Flush() error
	Close() error
}

type plainFile struct {
	*parquet.GenericWriter[parquetRow]
}

func (f plainFile) write(_ *Row, to parquetRow) error {
	_, err := f.Write([]parquetRow{to})
	return err
}

type annotatedFile struct {
	*parquet.GenericWriter[annotatedRow]
}

func (f annotatedFile) write(row *Row, to parquetRow) error {
	_, err := f.Write([]annotatedRow{{to, row.Context, row.Judge, row.Rationale, row.metadataJSON()}})
	return err
}

func newParquetEncoder(w io.Writer) *parquetEncoder {
	return &parquetEncoder{to: w, file: plainFile{parquet.NewGenericWriter[parquetRow](w, parquet.Compression(&parquet.Snappy))}}
}

func (e *parquetEncoder) annotate() {
	e.file = annotatedFile{parquet.NewGenericWriter[annotatedRow](e.to, parquet.Compression(&parquet.Snappy))}
}

func (e *parquetEncoder) write(row *Row) error {
	err := e.file.write(row, parquetRow{
		Number: row.Number, Kind: row.Kind, Question: row.Question, Plan: int64(row.Plan),
		Respondent: row.Respondent, Segment: row.Segment, Asked: exact(row.Asked), At: exact(row.At),
		Shown: row.Shown, Picks: row.Picks,
	})
	if err != nil {
		return err
	}
	e.rows++
	e.text += len(row.Respondent) + len(row.Segment) + len(row.Context) + len(row.Rationale)
	for name, value := range row.Metadata {
		e.text += len(name) + len(value)
	}
	for _, list := range [][]string{row.Shown, row.Picks} {
		for _, id := range list {
			e.text += len(id)
		}
	}
	if e.rows < groupRows && e.text < groupText {
		return nil
	}
	e.rows, e.text = 0, 0
	return e.file.Flush()
}

func (e *parquetEncoder) close() error { return e.file.Close() }
