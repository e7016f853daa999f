package read

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// maxLineBytes is how much text an object may have.
const maxLineBytes = 64 << 20

// JSONLines reads arms from objects, one a line, or from one list of objects. Objects within them are
// flattened: {"price": {"amount": 5}} has a column price.amount. A text in place of an object is the
// name of an arm. name is what to call the file.
func JSONLines(source io.Reader, name string, options catalogue.Options) (*catalogue.Table, error) {
	d, err := draftJSON(source, name, options)
	if err != nil {
		return nil, err
	}
	return d.finish(options)
}

// draftJSON reads the columns of objects.
func draftJSON(source io.Reader, name string, options catalogue.Options) (*draft, error) {
	text, err := table.OpenText(source, name)
	if err != nil {
		return nil, err
	}
	o := &objects{draft: draft{Table: catalogue.Table{Source: name}}, options: options, index: map[string]int{}}
	if startsList(text.Reader) {
		err = o.readList(text.Reader)
	} else {
		err = o.readLines(text.Reader)
	}
	o.Encoding = text.Encoding()
	if err != nil {
		o.problems.AddError(err)
		return nil, &o.problems
	}
	o.checkShape()
	if o.ended {
		return nil, &o.problems
	}
	if o.rows == 0 {
		if len(o.problems.List) == 0 {
			o.problems.Add(name, 0, "", table.Problemf("no-objects", "there are no objects in the file"))
		}
		return nil, &o.problems
	}
	o.finishColumns()
	if o.ended {
		return nil, &o.problems
	}
	return &o.draft, nil
}

// startsList reports whether the first character of a text that is no space is a bracket.
func startsList(text *bufio.Reader) bool {
	start, _ := text.Peek(text.Size())
	return bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte{'['})
}

// readLines reads an object from every line that is not blank. A line that is none does not
// keep the others from being read.
func (o *objects) readLines(text *bufio.Reader) error {
	longest := cmp.Or(o.options.Limits.RowBytes, maxLineBytes)
	scanner := bufio.NewScanner(text)
	scanner.Buffer(nil, longest)
	line := 0
	for !o.ended && scanner.Scan() {
		line++
		if object := bytes.TrimSpace(scanner.Bytes()); len(object) > 0 {
			o.add(object, line)
		}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		o.exceed(line+1, table.Limits{RowBytes: longest}.RowProblem(longest+1))
		return nil
	}
	if o.rows == 1 && o.wrapper != "" {
		o.problems = catalogue.Problems{}
		o.end(int(o.Lines[0]), table.Problemf("json-wrapped", "the arms are in an object, under %q; there must be %s", o.wrapper, objectsForm))
	}
	if err := scanner.Err(); err != nil {
		return table.ReadError(o.Source, err)
	}
	return nil
}

// readList reads the objects of one list, to its end or to where it is not JSON.
func (o *objects) readList(text *bufio.Reader) error {
	lines := table.NewValueLimit(text, o.options.Limits)
	decoder := json.NewDecoder(lines)
	if _, err := decoder.Token(); err != nil {
		return o.malformedList(err, lines, decoder.InputOffset(), nil)
	}
	for !o.ended && decoder.More() {
		var object json.RawMessage
		if err := decoder.Decode(&object); err != nil {
			text, _ := io.ReadAll(decoder.Buffered())
			object = bytes.TrimLeft(text, ", \t\r\n")
			return o.malformedList(err, lines, decoder.InputOffset()+int64(len(text)-len(object)), object)
		}
		o.add(object, lines.LineAt(decoder.InputOffset()-int64(len(object))))
		lines.Next()
	}
	if o.ended {
		return nil
	}
	if _, err := decoder.Token(); err != nil {
		return o.malformedList(err, lines, decoder.InputOffset(), nil)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		o.problems.Add(o.Source, lines.LineAt(decoder.InputOffset()), "", table.Problemf("behind-list", "the file goes on behind the list"))
	}
	return nil
}

// malformedList notes that a list is not JSON behind a place, from a text on. It returns other errors,
// with the line.
func (o *objects) malformedList(err error, lines *table.ValueLimit, offset int64, text []byte) error {
	_, malformed := errors.AsType[*json.SyntaxError](err)
	line := lines.LineAt(offset)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		malformed = true
		line = lines.LastLine()
	}
	if !malformed {
		return &table.Error{File: o.Source, Line: line, Problem: table.ReadProblem(err), Cause: err}
	}
	o.problems.Add(o.Source, line, "", notJSON(err, text))
	return nil
}

// jsonEndsEarly is the code of the problem that an object or a list is not closed.
const jsonEndsEarly = "json-ends"

// noJSONNumber matches numbers that Python writes and JSON does not have.
var noJSONNumber = regexp.MustCompile(`[:,\[]\s*(NaN|-?Infinity)\b`)

// notJSON words what json.Decoder refuses a text with.
func notJSON(err error, text []byte) table.Problem {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return table.Problemf(jsonEndsEarly, "the JSON ends too early")
	}
	if word := noJSONNumber.FindSubmatch(text); word != nil {
		return table.Problemf("json-number", "%s is not a number of JSON; leave the key out or write null", word[1])
	}
	return table.Problemf("no-json", "this is not JSON: %v", err)
}

// add takes in an object, or notes that it is none. Both count as rows.
func (o *objects) add(object []byte, line int) {
	o.tried++
	limits := o.options.Limits
	if problem := table.FirstProblem(limits.RowsProblem(int64(o.tried)), limits.RowProblem(len(object))); problem.Is() {
		o.exceed(line, problem)
		return
	}
	var members []member
	var problem table.Problem
	switch object[0] {
	case '{':
		members, problem = o.flattened(object, "", 1)
	case '"':
		members, problem = nameOf(object)
	default:
		o.problems.Add(o.Source, line, "", table.Problemf("no-object", "an arm is an object in braces, not %s", excerpt(object)))
		return
	}
	if tooMany := columnsProblem(o.options.Limits, len(members)); tooMany.Is() {
		o.exceed(line, tooMany)
		return
	}
	if !utf8.Valid(object) {
		o.problems.Add(o.Source, line, firstNotUTF8(members), table.NotUTF8())
		return
	}
	if problem.Code == jsonEndsEarly {
		o.end(line, table.Problemf("json-lines", "the object goes on in the next line; there must be %s", objectsForm))
		return
	}
	if problem.Is() {
		o.problems.Add(o.Source, line, "", problem)
		return
	}
	o.rows++
	o.Lines = append(o.Lines, int32(line))
	for _, m := range members {
		o.set(o.rows-1, m.name, m.value)
		if isListOfObjects(m.value) {
			o.wrapper = m.name
		}
	}
	if problem := table.FirstProblem(columnsProblem(o.options.Limits, len(o.columns)), limits.ValuesProblem(o.rows, len(o.columns))); problem.Is() {
		o.exceed(line, problem)
	}
}

// objectsForm is how arms are written in JSON.
const objectsForm = "one object a line, or one list of objects"

// isListOfObjects reports whether a value is a list that starts with an object.
func isListOfObjects(value []byte) bool {
	list, isList := bytes.CutPrefix(value, []byte{'['})
	return isList && bytes.HasPrefix(bytes.TrimSpace(list), []byte{'{'})
}

// A member of an object is a value with a name.
type member struct {
	name  string
	value json.RawMessage
}

// nameOf returns a text as the member that names an arm.
func nameOf(text []byte) (members []member, problem table.Problem) {
	var name string
	if err := json.Unmarshal(text, &name); err != nil {
		return nil, notJSON(err, text)
	}
	return []member{{"name", text}}, table.Problem{}
}

// maxNesting is how deep objects may be within objects.
const maxNesting = 8

// flattened returns the members of an object, and in place of each object among them its members, with
// its name and a point before theirs. Objects that are to be ignored, or are too deep, stay.
func (o *objects) flattened(object []byte, prefix string, depth int) (flat []member, problem table.Problem) {
	members, problem := membersOf(object)
	if problem.Is() || len(members) > maxColumns {
		return members, problem
	}
	for _, m := range members {
		m.name = prefix + m.name
		if m.value[0] != '{' || depth == maxNesting || o.options.Kinds[m.name] == catalogue.Ignored {
			flat = append(flat, m)
			continue
		}
		inner, problem := o.flattened(m.value, m.name+".", depth+1)
		if problem.Is() {
			return nil, problem
		}
		if flat = append(flat, inner...); len(flat) > maxColumns {
			break
		}
	}
	return flat, table.Problem{}
}

// membersOf returns the members of an object, or what is wrong with it. Of too many for a table, it
// returns one more than there may be.
func membersOf(object []byte) (members []member, problem table.Problem) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return nil, notJSON(err, object)
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, notJSON(err, object)
		}
		m := member{}
		m.name, _ = key.(string)
		m.name = strings.TrimSpace(m.name)
		if err := decoder.Decode(&m.value); err != nil {
			return nil, notJSON(err, object)
		}
		if members = append(members, m); len(members) > maxColumns {
			return members, table.Problem{}
		}
	}
	if _, err := decoder.Token(); err != nil {
		return nil, notJSON(err, object)
	}
	if rest := object[decoder.InputOffset():]; len(rest) > 0 {
		return nil, table.Problemf("behind-object", "the line goes on behind the object: %s", excerpt(rest))
	}
	return members, table.Problem{}
}

// firstNotUTF8 returns the name of the first member whose value is in another encoding, nothing
// where there is none.
func firstNotUTF8(members []member) string {
	for _, m := range members {
		if !utf8.Valid(m.value) {
			return m.name
		}
	}
	return ""
}
