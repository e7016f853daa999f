package read

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// listName is the name of the column of a list without a header.
const listName = "name"

// readList finds out whether the only column of a file is a list without a header, so that the first
// line is an option, too: it is if it reads like the other lines. A note says what was decided, unless
// the first line is a usual name of a column or one that the user names.
func (d *draft) readList(options catalogue.Options) {
	if len(d.Columns) != 1 || d.Columns[0].Name == unnamed(0) {
		return
	}
	c := &d.Columns[0]
	first, texts := c.Name, c.AsWritten()
	if _, chosen := options.Kinds[first]; chosen || options.Label == first || isUsualName(first) {
		return
	}
	if c.Kind == catalogue.Number && !table.LooksNumeric(first) {
		return
	}
	if !readsLike(first, texts) {
		d.Notes = append(d.Notes,
			catalogue.Note{Text: fmt.Sprintf("the first line, %q, names the column; if it is an option, write %q in a line above it",
				first, listName)})
		return
	}
	name := listName
	if looksLikeImage(first) {
		name = catalogue.Image.String()
	}
	*c = catalogue.Column{Name: name, Texts: slices.Insert(texts, 0, first)}
	d.Lines = slices.Insert(d.Lines, 0, int32(d.nameLine))
	d.Notes = append(d.Notes,
		catalogue.Note{Text: fmt.Sprintf("the first line, %q, is an option like the others; if it names the column, "+
			"change it to %q", first, name), Remedy: fmt.Sprintf("--as %q=label", first)})
}

// isUsualName reports whether a text is a usual name of a column of names, in the singular or the plural.
func isUsualName(text string) bool {
	name := strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(text))
	usual := slices.Concat(titleNames(), idNames())
	for _, role := range catalogue.NamedRoles() {
		usual = append(usual, role.Names...)
	}
	return slices.ContainsFunc(usual, func(word string) bool { return name == word || name == word+"s" }) ||
		strings.HasSuffix(name, "name") || strings.HasSuffix(name, "names") || strings.HasSuffix(name, "title") ||
		strings.HasSuffix(name, "titles") || endsInID(text)
}

// readsLike reports whether a text could be one of some others. It could not if it is the only one in
// lower case, of one word or with a colon or a question mark at its end.
func readsLike(text string, others []string) bool {
	for _, is := range []func(string) bool{
		func(s string) bool {
			return !strings.ContainsFunc(s, unicode.IsUpper) && strings.ContainsFunc(s, unicode.IsLower)
		},
		func(s string) bool { return len(strings.Fields(s)) == 1 },
		func(s string) bool { return strings.HasSuffix(s, ":") || strings.HasSuffix(s, "?") },
	} {
		if is(text) && !slices.ContainsFunc(others, is) {
			return false
		}
	}
	return true
}
