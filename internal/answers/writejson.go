package answers

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
)

// A jsonEncoder writes one object per line.
type jsonEncoder struct {
	buffer *bufio.Writer
	lines  *json.Encoder
	notes  bool // write annotations, too
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

// An annotatedJSONRow also has the annotations of a row.
type annotatedJSONRow struct {
	jsonRow

	Context   string            `json:"context"`
	Judge     string            `json:"judge"`
	Rationale string            `json:"rationale"`
	Metadata  map[string]string `json:"metadata"`
}

func newJSONEncoder(w io.Writer) *jsonEncoder {
	buffer := bufio.NewWriter(w)
	lines := json.NewEncoder(buffer)
	lines.SetEscapeHTML(false)
	return &jsonEncoder{buffer: buffer, lines: lines}
}

func (e *jsonEncoder) annotate() { e.notes = true }

func (e *jsonEncoder) write(row *Row) error {
	line := jsonRow{
		Number: row.Number, Kind: row.Kind, Question: row.Question, Plan: row.Plan,
		Respondent: row.Respondent, Segment: row.Segment, Asked: formatTime(row.Asked), At: formatTime(row.At),
		Shown: append([]string{}, row.Shown...), Picks: append([]string{}, row.Picks...), // [], never null
	}
	if !e.notes {
		return e.lines.Encode(line)
	}
	metadata := map[string]string{} // {}, never null
	maps.Copy(metadata, row.Metadata)
	return e.lines.Encode(annotatedJSONRow{line, row.Context, row.Judge, row.Rationale, metadata})
}

func (e *jsonEncoder) close() error { return e.buffer.Flush() }
