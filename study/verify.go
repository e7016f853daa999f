package study

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A Report is what came of recomputing an export.
type Report struct {
	Study    Study
	Verdict  Verdict // recomputed; the same as recorded, or there would be an error
	Plans    int
	Outcomes int
	Open     int // outcomes that no plan has told yet
}

// An ExportError says what is wrong with an export, and in which line.
type ExportError struct {
	Line    int
	Problem string
}

func (e *ExportError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

// Verify recomputes an exported study from its log: it does every plan again and compares the
// questions and the verdict. A [DivergedError] says where they are not what the log says; whatever
// else is wrong is an [ExportError].
func Verify(source io.Reader) (Report, error) {
	lines := bufio.NewReader(source)
	var v verifier
	for number := 1; ; number++ {
		text, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return v.report, err
		}
		if len(text) == 0 {
			break
		}
		var line exportLine
		if err := json.Unmarshal(text, &line); err != nil {
			return v.report, &ExportError{number, "this is not a line of an export: " + err.Error()}
		}
		problem, err := v.read(line)
		if err != nil {
			return v.report, err
		}
		if problem != "" {
			return v.report, &ExportError{number, problem}
		}
	}
	if v.runner == nil {
		return v.report, &ExportError{1, "the file is empty"}
	}
	v.report.Open, v.report.Verdict = len(v.log), v.runner.verdict()
	return v.report, nil
}

// A verifier reads an export line by line.
type verifier struct {
	report Report
	runner *runner
	log    []Outcome // not yet told
}

// read takes one more line. It returns what is wrong with the line, or where the log diverges.
func (v *verifier) read(line exportLine) (problem string, err error) {
	switch {
	case v.runner == nil:
		return v.begin(line), nil
	case line.Outcome != nil:
		if line.Outcome.Number != int64(v.report.Outcomes)+1 {
			return fmt.Sprintf("outcome %d follows outcome %d", line.Outcome.Number, v.report.Outcomes), nil
		}
		v.report.Outcomes++
		v.log = append(v.log, *line.Outcome)
	case line.Plan != nil:
		if line.Plan.Known > int64(v.report.Outcomes) {
			return "the plan knows outcomes that are not there", nil
		}
		known, _ := split(v.log, line.Plan.Known)
		if err := v.runner.apply(*line.Plan, known); err != nil {
			return "", err
		}
		v.report.Plans++
		_, rest := split(v.log, line.Plan.Upto)
		v.log = slices.Clone(rest)
	default:
		return "there is nothing in it", nil
	}
	return "", nil
}

// begin reads the first line.
func (v *verifier) begin(line exportLine) (problem string) {
	if line.Version != exportVersion || line.Study == nil {
		return "this is no export of a study, or one of another version"
	}
	r, err := newRunner(*line.Study, line.Catalogue)
	if err != nil {
		return err.Error()
	}
	v.runner, v.report.Study = r, *line.Study
	return ""
}
