package read

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// recognise says what each column is for. In this order:
//
//   - The user's choice.
//   - A column id is the ID, whatever the case of its name: see findID for others. A column label,
//     name or title is the Label, description or text the Description, image, picture, photo,
//     image_url or img the Image: the first of them, the others are like any column.
//   - Row numbers and codes that consist of digits are no Number: see numbersRows and findCodes.
//   - Where more than half of the values are numbers, however people write them, it is a Number, and the others are
//     missing; where they are lists of numbers, an Embedding, and the others are problems. Other lists are
//     Ignored. Dates are a Number of days.
//   - Number columns e1, e2, … are one Embedding e if they look like one: see seriesAmong.
//   - Texts that are all true or false, or the same in other languages, are a Boolean.
//   - Texts that are all pictures, by their ending or in place, are an Image; it stands behind
//     the one that is so by its name.
//   - Texts that repeat are a Category: with at most half as many levels as values, or with at
//     most 20 that are fewer than 90 % of the values. One with more than 50 levels is Ignored.
//   - All others are Ignored, free text, and so is a column without a value, or with few, and whether options of
//     a study were withdrawn.
//   - Of the columns that are Ignored, those with texts are Shown, except for ids, row numbers and lists.
//   - Without a Label, a text that reads like a name is it: see findLabel.
func (d *draft) recognise(options catalogue.Options) {
	d.nameUnnamed()
	d.checkNames(options)
	kinds := catalogue.Roles(d.Names(), options.Kinds)
	for i := range d.Columns {
		if c := &d.Columns[i]; c.Kind == catalogue.Number && kinds[i] == catalogue.Shown {
			*c = catalogue.Column{Name: c.Name, Texts: c.AsWritten()}
		} else if c.Kind == catalogue.Number && kinds[i] != catalogue.Unknown && kinds[i] != catalogue.Number {
			asTexts(c)
		}
	}
	d.findID(kinds)
	d.findCodes(kinds)
	d.parseNumbers(kinds, options)
	d.join(kinds, options)
	d.splitVectors(options)
	kinds = catalogue.Roles(d.Names(), options.Kinds)
	for i := range d.Columns {
		if c := &d.Columns[i]; c.Kind == catalogue.Unknown {
			d.settle(c, kinds[i], options)
		}
	}
	d.findLabel(kinds, options)
	chosen := map[string]bool{}
	for i, kind := range kinds {
		chosen[d.Columns[i].Name] = kind != catalogue.Unknown
	}
	d.checkRoles(kinds)
	if i := slices.Index(kinds, catalogue.Image); i >= 0 {
		d.moveImage(i)
	}
	d.checkIDs()
	d.handleMissing(d.noteUnused(chosen), options)
	d.noteTitles()
	d.showUnused(chosen)
}

// asTexts makes texts of numbers, each as short as can be.
func asTexts(c *catalogue.Column) {
	texts := make([]string, len(c.Numbers))
	for row, x := range c.Numbers {
		texts[row] = c.Text(row)
		if !math.IsNaN(x) {
			texts[row] = catalogue.Shortest(x, 64)
		}
	}
	*c = catalogue.Column{Name: c.Name, Texts: texts}
}

// checkNames notes names that are no text, given twice, or chosen a kind for and not there.
func (d *draft) checkNames(options catalogue.Options) {
	names := d.Names()
	known := map[string]bool{}
	for _, name := range names {
		switch {
		case known[name]:
			d.problems.Add(d.Source, d.nameLine, name, table.TwoColumns())
		case !utf8.ValidString(name):
			d.problems.Add(d.Source, d.nameLine, name, table.NotUTF8())
		}
		known[name] = true
	}
	for _, name := range names {
		if prefix, _, numbered := catalogue.NumberedName(name); numbered {
			known[prefix] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(options.Kinds)) {
		if known[name] {
			continue
		}
		problem := table.NoColumn(names)
		if i := slices.IndexFunc(names, func(other string) bool { return strings.EqualFold(other, name) }); i >= 0 {
			problem = table.Problemf("similar-column", "there is no such column; did you mean %q?", names[i])
		}
		d.problems.Add(d.Source, d.nameLine, name, problem)
	}
}

// splitVectors makes numbers of the vectors that the user wants as numbers, and drops ignored ones.
func (d *draft) splitVectors(options catalogue.Options) {
	var columns []catalogue.Column
	for i := range d.Columns {
		c := &d.Columns[i]
		kind := options.Kinds[c.Name]
		switch {
		case kind == catalogue.Unknown || c.Kind != catalogue.Embedding && c.Kind != catalogue.Ignored || kind == c.Kind:
			columns = append(columns, *c)
		case kind == catalogue.Number && c.Kind == catalogue.Embedding:
			columns = append(columns, split(c)...)
		case kind != catalogue.Ignored:
			d.problems.Add(d.Source, d.nameLine, c.Name, table.Problemf("list-kind", "lists cannot be of kind %v", kind))
		}
	}
	d.Columns = columns
}

// settle gives a column of texts its kind, the one it is to have if there is one.
func (d *draft) settle(c *catalogue.Column, kind catalogue.Kind, options catalogue.Options) {
	chosen := kind != catalogue.Unknown
	if !chosen {
		kind = kindOfTexts(c.Texts)
		if kind == catalogue.Boolean && isFlag(c.Texts) {
			kind = catalogue.Category
		}
	}
	if !chosen && kind == catalogue.Boolean && c.Name == catalogue.WithdrawnColumn {
		d.leaveOut(c, "of the study that the options come from", catalogue.Boolean)
		return
	}
	format := options.Formats[c.Name]
	if kind == catalogue.Date || kind == catalogue.Month || kind == catalogue.Category && format != nil {
		d.settleDates(c, kind, format)
		return
	}
	c.Kind = kind
	switch kind { //nolint:exhaustive // others take any texts
	case catalogue.Boolean:
		d.checkBoolean(c)
	case catalogue.Image:
		dropMissing(c.Texts)
	case catalogue.Category:
		levels := countLevels(c.Texts, len(c.Texts))
		if !chosen && levels > manyLevels {
			c.Kind = catalogue.Ignored
		} else if levels > catalogue.MaxLevels {
			d.problems.Add(d.Source, 0, c.Name, table.Problemf("many-levels",
				"%s levels are too many for a category (at most %s); merge them", table.Grouped(levels),
				table.Grouped(catalogue.MaxLevels)).OrAs(ignored))
		}
	case catalogue.Embedding:
		d.problems.Add(d.Source, d.nameLine, c.Name,
			table.Problemf("no-embedding", "one column is no embedding; it takes a list, or several columns"))
	}
}

// kindOfTexts recognises a column by its texts.
func kindOfTexts(texts []string) catalogue.Kind {
	all := func(is func(string) bool) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !table.IsMissing(text) && !is(text) })
	}
	switch {
	case all(table.IsMissing):
		return catalogue.Ignored
	case all(func(text string) bool { _, known := catalogue.TruthValue(text); return known }):
		return catalogue.Boolean
	case all(looksLikeImage):
		return catalogue.Image
	case repeat(texts):
		return catalogue.Category
	default:
		return catalogue.Ignored
	}
}

// checkBoolean notes values that are neither true nor false. In a column that the user calls boolean, 1 is true and 0 false.
func (d *draft) checkBoolean(c *catalogue.Column) {
	for row, text := range c.Texts {
		if _, known := catalogue.BooleanValue(text); !known && !table.IsMissing(text) {
			d.problem(row, c.Name, table.Problemf("no-boolean", "%q is neither true nor false", text))
		}
	}
}

// checkIDs notes arms without an id, and ids that two arms have.
func (d *draft) checkIDs() {
	c := d.First(catalogue.ID)
	if c == nil || !slices.Contains(c.Texts, "") && !choice.Repeats(c.Texts) {
		return
	}
	place := "row"
	if d.Lines != nil {
		place = "line"
	}
	rows := make(map[string]int32, len(c.Texts))
	for row, id := range c.Texts {
		first, met := rows[id]
		switch {
		case id == "":
			d.problem(row, c.Name, table.NoValue(id))
		case met:
			d.problem(row, c.Name, table.Problemf("id-twice", "%q is the id in %s %d already; change it",
				id, place, d.Line(int(first))).OrAs(ignored))
		default:
			rows[id] = int32(row)
		}
	}
}

// checkRoles notes columns that are to be what another column is already.
func (d *draft) checkRoles(kinds []catalogue.Kind) {
	first := map[catalogue.Kind]string{}
	for i, kind := range kinds {
		name := d.Columns[i].Name
		before, taken := first[kind]
		switch {
		case kind != catalogue.ID && kind != catalogue.Label && kind != catalogue.Description && kind != catalogue.Image:
		case taken:
			d.problems.Add(d.Source, d.nameLine, name, table.Problemf("second-role", "the %ss are in column %q already", kind, before))
		default:
			first[kind] = name
		}
	}
}

// ignored is how a column is read that is left out.
const ignored = "ignored"

// finish recognises the columns. It returns the table, or all problems of the file.
func (d *draft) finish(options catalogue.Options) (*catalogue.Table, error) {
	d.recognise(options)
	if options.Folder != "" {
		d.checkImages(options.Folder)
	}
	if len(d.Columns) == 0 {
		d.problems.Add(d.Source, 0, "", table.Problemf("no-columns", "there are no columns"))
	}
	d.problems.Sort()
	if err := d.problems.Err(); err != nil {
		return nil, err
	}
	return &d.Table, nil
}

// A draft is a table whose columns are not recognised yet: they are Unknown, with texts, or they are a Number or an Embedding
// already. It collects the problems of the file.
type draft struct {
	catalogue.Table

	nameLine  int  // the line with the names of the columns, 0 where they have none
	delimiter byte // of fields, 0 if the file is no text
	problems  catalogue.Problems
}

// problem adds a problem of a row.
func (d *draft) problem(row int, column string, problem table.Problem) {
	d.problems.Add(d.Source, d.Line(row), column, problem)
}

// maxColumns is how many columns a table may have at most, even if the limits allow more.
const maxColumns = 10_000

// columnsProblem returns the problem of a table with this many columns, if it exceeds the limits.
func columnsProblem(limits table.Limits, columns int) table.Problem {
	return table.Limits{Columns: min(maxColumns, cmp.Or(limits.Columns, maxColumns))}.ColumnsProblem(columns)
}

// mostly reports whether some values are the majority of those seen, and so decide the kind of a column.
func mostly(some, seen int) bool { return 2*some > seen }

const (
	// fewLevels is how many levels a category may have even if most of them have one arm.
	fewLevels = 20

	// manyLevels is how many levels a category may have unless the user asks for it.
	manyLevels = 50
)

// countLevels returns how many different values there are, counting no further than one more than enough.
func countLevels(texts []string, enough int) int {
	levels := map[string]struct{}{}
	for _, text := range texts {
		if table.IsMissing(text) {
			continue
		}
		if levels[text] = struct{}{}; len(levels) > enough {
			break
		}
	}
	return len(levels)
}

// isFlag reports whether texts have one level, and some are missing, as in a column of ticks.
func isFlag(texts []string) bool {
	return slices.ContainsFunc(texts, table.IsMissing) && countLevels(texts, 1) == 1
}

// repeat reports whether texts have so few levels that they are no free text.
func repeat(texts []string) bool {
	values := 0
	for _, text := range texts {
		if !table.IsMissing(text) {
			values++
		}
	}
	levels := countLevels(texts, max(fewLevels, values/2))
	return 2*levels <= values || levels <= fewLevels && 10*levels < 9*values
}
