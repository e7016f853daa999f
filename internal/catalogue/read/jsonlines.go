package read

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// draftJSON reads the columns of objects, one a line, or of one list of objects. Objects within them are flattened: {"price":
// {"amount": 5}} has a column price.amount. A text in place of an object is the name of an arm. name is what to call the file.
func draftJSON(source io.Reader, name string, options catalogue.Options) (*draft, error) {
	text, err := table.OpenText(source, name)
	if err != nil {
		return nil, err
	}
	o := &objects{builder: newBuilder(name, options), index: map[string]int{}}
	err = table.EachObject(text.Reader, name, options.Limits, o.take)
	o.Encoding = text.Encoding()
	switch {
	case errors.Is(err, errEnded):
		return nil, &o.problems
	case errors.Is(err, table.ErrLimit):
		return nil, err
	case err != nil:
		o.problems.AddError(err)
		return nil, &o.problems
	}
	o.checkWrapped()
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

// objects is a table that grows object by object.
type objects struct {
	*builder

	index   map[string]int // of columns, by name
	filled  []int          // by column, rows up to the last value
	tried   int            // rows, and what was none
	wrapper string         // a name with a list of objects
}

// errEnded ends reading behind a problem.
var errEnded = errors.New("nothing is worth reading any more")

// checkWrapped notes that the arms are in one object.
func (o *objects) checkWrapped() {
	if o.rows == 1 && o.wrapper != "" {
		o.problems = catalogue.Problems{}
		o.end(int(o.Lines[0]), table.Problemf("json-wrapped", "the rows are in an object, under %q; there must be %s", o.wrapper,
			objectsForm))
	}
}

// take takes in an object, or notes that it is none. Both count as rows.
func (o *objects) take(object []byte, line int) error {
	if o.addRow(object, line); o.ended {
		return errEnded
	}
	return nil
}

func (o *objects) addRow(object []byte, line int) {
	o.tried++
	limits := o.options.Limits
	if problem := table.FirstProblem(limits.RowsProblem(int64(o.tried)), limits.RowProblem(len(object))); problem.Exists() {
		o.exceed(line, problem)
		return
	}
	var members []table.Member
	var problem table.Problem
	switch object[0] {
	case '{':
		members, problem = o.flattened(object, "", 1)
	case '"':
		_, problem = table.JSONText(object)
		members = []table.Member{{Name: "name", Value: object}}
	default:
		o.problems.Add(o.Source, line, "", table.Problemf("no-object", "an arm is an object in braces, not %s", table.Excerpt(object)))
		return
	}
	switch tooMany := columnsProblem(limits, len(members)); {
	case tooMany.Exists():
		o.exceed(line, tooMany)
		return
	case !utf8.Valid(object):
		o.problems.Add(o.Source, line, firstNotUTF8(members), table.NotUTF8())
		return
	case problem.Code == table.UnfinishedJSON:
		o.end(line, table.Problemf("json-lines", "the object goes on in the next line; there must be %s", objectsForm))
		return
	case problem.Exists():
		o.problems.Add(o.Source, line, "", problem)
		return
	}
	o.rows++
	o.Lines = append(o.Lines, int32(line))
	for _, m := range members {
		o.set(o.rows-1, m.Name, m.Value)
		if list, is := bytes.CutPrefix(m.Value, []byte{'['}); is && bytes.HasPrefix(bytes.TrimSpace(list), []byte{'{'}) {
			o.wrapper = m.Name
		}
	}
	problem = table.FirstProblem(columnsProblem(limits, len(o.columns)), limits.ValuesProblem(o.rows, len(o.columns)))
	if problem.Exists() {
		o.exceed(line, problem)
	}
}

// set takes in the value of a row under a name.
func (o *objects) set(row int, name string, value []byte) {
	i, known := o.index[name]
	if !known {
		i = o.addColumn(name)
		o.index[name] = i
		o.filled = append(o.filled, 0)
	}
	if o.filled[i] > row {
		o.problem(row, name, table.Problemf("two-names", "the name is there twice"))
		return
	}
	o.filled[i] = row + 1
	o.add(i, cellOf(row, value))
}

// cellOf returns the value of a row, which must be valid JSON.
func cellOf(row int, value []byte) cell {
	form := numberCell
	switch value[0] {
	case 'n':
		return cell{row: row}
	case '"':
		var text string
		if json.Unmarshal(value, &text) != nil {
			return cell{row: row}
		}
		return cell{row: row, form: textCell, text: strings.TrimSpace(text)}
	case 't', 'f':
		form = truthCell
	case '[':
		form = listCell
	case '{':
		form = objectCell
	}
	return cell{row: row, form: form, text: string(value)}
}

// checkShape notes that most objects lack most of the names: a table has room for all of them in every row.
func (o *objects) checkShape() {
	const plenty, thinnest = 1 << 24, 32
	if cells := o.rows * len(o.columns); !o.ended && cells > plenty && cells/thinnest > o.values {
		o.end(0, table.Problemf("thin", "%s objects have %s names, but %d each on average; arms must have the same names",
			table.Grouped(o.rows), table.Grouped(len(o.columns)), o.values/o.rows))
	}
}

// objectsForm is how arms are written in JSON.
const objectsForm = "one object a line, or one list of objects"

// maxNesting is how deep objects may be within objects.
const maxNesting = 8

// flattened returns the members of an object, and in place of each object among them its members, with
// its name and a point before theirs. Objects that are to be ignored, or are too deep, stay.
func (o *objects) flattened(object []byte, prefix string, depth int) (flat []table.Member, problem table.Problem) {
	members, problem := table.Members(object)
	if problem.Exists() || len(members) > maxColumns {
		return members, problem
	}
	for _, m := range members {
		m.Name = prefix + m.Name
		if m.Value[0] != '{' || depth == maxNesting || o.options.Kinds[m.Name] == catalogue.Ignored {
			flat = append(flat, m)
			continue
		}
		inner, problem := o.flattened(m.Value, m.Name+".", depth+1)
		if problem.Exists() {
			return nil, problem
		}
		if flat = append(flat, inner...); len(flat) > maxColumns {
			break
		}
	}
	return flat, table.Problem{}
}

// firstNotUTF8 returns the name of the first member whose value is in another encoding, nothing where there is none.
func firstNotUTF8(members []table.Member) string {
	for _, m := range members {
		if !utf8.Valid(m.Value) {
			return m.Name
		}
	}
	return ""
}
