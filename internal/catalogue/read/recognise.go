package read

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// fewLevels is how many levels a category may have even if most of them have one arm.
const fewLevels = 20

// recognise says what each column is for. In this order:
//
//   - What the user chose, goes.
//   - A column id is the ID, whatever the case of its name; without one, a column arm, item,
//     sku or key is. A column label, name or title is the Label, description or text the
//     Description, image, picture, photo, image_url or img the Image: the first of them, the
//     others are like any column.
//   - Where more than half of the values are numbers, it is a Number; where they are lists, an
//     Embedding. The others are problems. The readers see to that, by the first values.
//   - Number columns e1, e2, … are one Embedding e: see seriesAmong.
//   - Texts that are all true or false, yes or no, or their first letters are a Boolean.
//   - Texts that are all pictures, by their ending or in place, are an Image; it stands behind
//     the one that is so by its name.
//   - Where more than half of the texts are numbers with something around them, $10 or 5 kg,
//     the user has to say what is meant.
//   - Texts that repeat are a Category: with at most half as many levels as values, or with at
//     most 20 that are fewer than 90 % of the values.
//   - All others are Ignored, free text, and so is a column without a value.
//
// Features must have a value in every row, and a category at most 1,000 levels.
func (d *draft) recognise(options catalogue.Options) {
	d.checkNames(options)
	kinds := catalogue.Roles(d.Names(), options.Kinds)
	for i := range d.Columns {
		if c := &d.Columns[i]; c.Kind == catalogue.Number && kinds[i] != catalogue.Unknown && kinds[i] != catalogue.Number {
			asTexts(c)
		}
	}
	d.join(kinds, options)
	d.splitVectors(options)
	kinds = catalogue.Roles(d.Names(), options.Kinds)
	for i := range d.Columns {
		if c := &d.Columns[i]; c.Kind == catalogue.Unknown {
			d.settle(c, kinds[i])
		}
	}
	d.checkRoles(kinds)
	if i := slices.Index(kinds, catalogue.Image); i >= 0 {
		d.moveImage(i)
	}
	d.checkIDs()
}

// asTexts makes texts of numbers, each as short as can be.
func asTexts(c *catalogue.Column) {
	texts := make([]string, len(c.Numbers))
	for row, x := range c.Numbers {
		texts[row] = catalogue.Shortest(x, 64)
	}
	*c = catalogue.Column{Name: c.Name, Texts: texts}
}

// checkNames notes names that are empty, no text, given twice, or chosen a kind for and not
// there.
func (d *draft) checkNames(options catalogue.Options) {
	names := d.Names()
	known := map[string]bool{}
	for i, name := range names {
		switch {
		case name == "":
			d.problems.Add(d.Source, d.nameLine, "", "column %d has no name", i+1)
		case known[name]:
			d.problems.Add(d.Source, d.nameLine, name, table.TwoColumns)
		case !utf8.ValidString(name):
			d.problems.Add(d.Source, d.nameLine, name, table.NotUTF8)
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
			problem = fmt.Sprintf("there is no such column; did you mean %q?", names[i])
		}
		d.problems.Add(d.Source, d.nameLine, name, "%s", problem)
	}
}

// splitVectors makes numbers of the vectors that the user wants as numbers, and drops those
// that are to be ignored.
func (d *draft) splitVectors(options catalogue.Options) {
	var columns []catalogue.Column
	for i := range d.Columns {
		c := &d.Columns[i]
		kind := options.Kinds[c.Name]
		switch {
		case c.Kind != catalogue.Embedding || kind == catalogue.Embedding || kind == catalogue.Unknown:
			columns = append(columns, *c)
		case kind == catalogue.Number:
			columns = append(columns, split(c)...)
		case kind != catalogue.Ignored:
			d.problems.Add(d.Source, d.nameLine, c.Name, "lists of numbers cannot be of kind %v", kind)
		}
	}
	d.Columns = columns
}

// settle gives a column of texts its kind, the one it is to have if there is one.
func (d *draft) settle(c *catalogue.Column, kind catalogue.Kind) {
	if kind == catalogue.Unknown {
		kind = kindOfTexts(c.Texts)
		if kind == catalogue.Category || kind == catalogue.Ignored {
			kind = d.checkDressed(c, kind)
		}
	}
	c.Kind = kind
	if kind == catalogue.Boolean {
		d.checkBoolean(c)
	}
	if kind == catalogue.Image {
		dropMissing(c.Texts)
	}
	if kind == catalogue.Category {
		d.checkValues(c)
		if levels := countLevels(c.Texts, len(c.Texts)); levels > catalogue.MaxLevels {
			d.problems.Add(d.Source, 0, c.Name, "%s levels are too many for a category (at most %s); --as %s=ignored leaves it out", table.Grouped(levels), table.Grouped(catalogue.MaxLevels), c.Name)
		}
	}
	if kind == catalogue.Embedding {
		d.problems.Add(d.Source, d.nameLine, c.Name, "one column is no embedding; it takes a list, or several columns")
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

// checkBoolean notes values that are neither true nor false. In a column that the user calls
// boolean, 1 is true and 0 false.
func (d *draft) checkBoolean(c *catalogue.Column) {
	d.checkValues(c)
	for row, text := range c.Texts {
		if _, known := catalogue.BooleanValue(text); !known && !table.IsMissing(text) {
			d.problem(row, c.Name, fmt.Sprintf("%q is neither true nor false", text))
		}
	}
}

// checkValues notes the rows without a value.
func (d *draft) checkValues(c *catalogue.Column) {
	for row, text := range c.Texts {
		if table.IsMissing(text) {
			d.problem(row, c.Name, table.NoValue(text))
		}
	}
}

// countLevels returns how many different values there are, counting no further than one more
// than enough.
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

// checkIDs notes arms without an id, and ids that two arms have.
func (d *draft) checkIDs() {
	c := d.First(catalogue.ID)
	if c == nil {
		d.problems.Add(d.Source, 0, "", "there is no column id; name one with --id")
		return
	}
	if !slices.Contains(c.Texts, "") && !choice.Repeats(c.Texts) {
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
			d.problem(row, c.Name, fmt.Sprintf("%q is the id in %s %d already", id, place, d.Line(int(first))))
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
			d.problems.Add(d.Source, d.nameLine, name, "the %ss are in column %q already", kind, before)
		default:
			first[kind] = name
		}
	}
}

// finish recognises the columns. It returns the table, or all problems of the file.
func (d *draft) finish(options catalogue.Options) (*catalogue.Table, error) {
	d.recognise(options)
	if options.Folder != "" {
		d.checkImages(options.Folder)
	}
	d.problems.Sort()
	if err := d.problems.Err(); err != nil {
		return nil, err
	}
	return &d.Table, nil
}
