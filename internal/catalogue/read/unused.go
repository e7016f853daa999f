package read

import (
	"fmt"
	"slices"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// noteUnused notes the columns that are not used although they have values, and how many features
// they would add. Columns with few values become such. It returns how many values are missing in the
// features among the columns.
func (d *draft) noteUnused(chosen map[string]bool) (missing map[string]int) {
	missing = map[string]int{}
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.Kind == catalogue.Embedding || !c.Kind.Feature() && c.Kind != catalogue.Ignored {
			continue
		}
		count, first := c.Missing()
		switch {
		case c.Kind.Feature() && (chosen[c.Name] || 2*count <= c.Len() || isFlag(c.Texts)):
			missing[c.Name] = count
		case chosen[c.Name]:
		case c.Kind.Feature():
			d.Notes = append(d.Notes, catalogue.Note{
				Column: c.Name, Remedy: catalogue.Remedy{Column: c.Name, As: c.Kind}, Features: 2,
				Problem: table.Problemf("mostly-missing", "%s of %s values are missing (first in %s): not used", table.Grouped(count),
					table.Grouped(c.Len()), d.place(first)),
			})
			*c = catalogue.Column{Name: c.Name, Kind: catalogue.Ignored, Texts: c.AsWritten()}
		case count < c.Len() && !d.isNoted(c):
			d.noteLevels(c, "texts")
		}
	}
	return missing
}

// showUnused makes Shown of the columns of texts that were recognised as no features.
func (d *draft) showUnused(chosen map[string]bool) {
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.Kind != catalogue.Ignored || chosen[c.Name] || endsInID(c.Name) {
			continue
		}
		aside := slices.ContainsFunc(d.Notes, func(n catalogue.Note) bool {
			return n.Column == c.Name && (n.Code == "left-out" || n.Code == "lists")
		})
		if missing, _ := c.Missing(); missing < c.Len() && !aside {
			c.Kind = catalogue.Shown
		}
	}
}

// isNoted reports whether a note is about a column.
func (d *draft) isNoted(c *catalogue.Column) bool {
	return slices.ContainsFunc(d.Notes, func(n catalogue.Note) bool { return n.Column == c.Name })
}

// noteLevels notes a column that would have too many levels.
func (d *draft) noteLevels(c *catalogue.Column, what string) {
	levels := countLevels(c.Texts, len(c.Texts))
	note := catalogue.Note{
		Column: c.Name, Problem: table.Problemf("unused", "%s different %s: shown, not used", table.Grouped(levels), what),
		Features: levels - 1,
	}
	if levels <= catalogue.MaxLevels {
		note.Remedy = catalogue.Remedy{Column: c.Name, As: catalogue.Category}
	}
	d.Notes = append(d.Notes, note)
}

// place says where a row is.
func (d *draft) place(row int) string {
	if d.Lines == nil {
		return fmt.Sprintf("row %d", row+1)
	}
	return fmt.Sprintf("line %d", d.Line(row))
}

// What is done about missing values.
const (
	imputed = "get the mean and an indicator"
	leveled = "get a level of their own"
	removed = "are dropped"
)

// handleMissing applies the policies for missing values, and notes what it did in one line.
func (d *draft) handleMissing(missing map[string]int, options catalogue.Options) {
	dropped := map[int]bool{}
	said := map[string][]string{}
	for i := range d.Columns {
		c := &d.Columns[i]
		policy := options.Missing[c.Name]
		if policy != "" && !policy.Suits(c.Kind) {
			d.problems.Add(d.Source, 0, c.Name, table.Problemf("missing-policy",
				"its missing values cannot be handled by %s: it is of kind %v", policy, c.Kind))
			continue
		}
		count := missing[c.Name]
		if count == 0 {
			continue
		}
		if c.Texts != nil {
			dropMissing(c.Texts)
		}
		way := imputed
		switch {
		case policy == catalogue.DropArms:
			way = removed
			for row := range c.Len() {
				if c.IsMissing(row) {
					dropped[row] = true
				}
			}
		case c.Kind == catalogue.Category:
			way = leveled
		}
		said[way] = append(said[way], fmt.Sprintf("%s (%s)", c.Name, table.Grouped(count)))
	}
	d.noteMissing(said)
	d.drop(dropped)
}

// noteMissing notes which options have missing values, by what is done about them.
func (d *draft) noteMissing(said map[string][]string) {
	const most = 6 // columns that are named
	var parts []string
	for _, way := range []string{imputed, leveled, removed} {
		if columns := said[way]; len(columns) > 0 {
			parts = append(parts, fmt.Sprintf("options without %s %s", catalogue.Enumerate(columns, most), way))
		}
	}
	if len(parts) > 0 {
		d.Notes = append(d.Notes, catalogue.Note{
			Problem: table.Problemf("missing-values", "missing values: %s", strings.Join(parts, "; ")),
			Remedy:  catalogue.Remedy{Missing: catalogue.DropArms},
		})
	}
}

// drop removes rows.
func (d *draft) drop(rows map[int]bool) {
	if len(rows) == 0 {
		return
	}
	var kept []int
	for row := range d.Len() {
		if !rows[row] {
			kept = append(kept, row)
		}
	}
	if len(kept) == 0 {
		d.problems.Add(d.Source, 0, "", table.Problemf("all-dropped",
			"every option has a missing value in a column whose options are dropped"))
		return
	}
	d.Keep(kept)
}
