package answers

import (
	"bufio"
	"encoding/json"
	"io"
)

// A jsonEncoder writes one object per line.
type jsonEncoder struct {
	buffer *bufio.Writer
	lines  *json.Encoder
}

// A jsonRow has all names in every line, so that programs can read the file as a table.
type jsonRow struct {
	Number     int64    `json:"number"`
	Kind       string   `json:"kind"`
	Question   int64    `json:"question"`
	Plan       int      `json:"plan"`
	Respondent string   `json:"respondent"`
	Segment    string   `json:"segment"`
	Asked      string   `json:"asked"`
	At         string   `json:"at"`
	Shown      []string `json:"shown"`
	Picks      []string `json:"picks"`
}

func newJSONEncoder(w io.Writer) *jsonEncoder {
	buffer := bufio.NewWriter(w)
	lines := json.NewEncoder(buffer)
	lines.SetEscapeHTML(false)
	return &jsonEncoder{buffer, lines}
}

func (e *jsonEncoder) write(row *Row) error {
	return e.lines.Encode(jsonRow{
		Number: row.Number, Kind: row.Kind, Question: row.Question, Plan: row.Plan,
		Respondent: row.Respondent, Segment: row.Segment, Asked: formatTime(row.Asked), At: formatTime(row.At),
		Shown: append([]string{}, row.Shown...), Picks: append([]string{}, row.Picks...), // [], never null
	})
}

func (e *jsonEncoder) close() error { return e.buffer.Flush() }
