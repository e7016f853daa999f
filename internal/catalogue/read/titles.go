package read

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// unnamed returns the name of a column without one.
func unnamed(column int) string { return fmt.Sprintf("column %d", column+1) }

// nameUnnamed names the columns without a name.
func nameUnnamed(names []string) {
	for i, name := range names {
		if name == "" {
			names[i] = unnamed(i)
		}
	}
}

// nameUnnamed does the same for a table.
func (d *draft) nameUnnamed() {
	names := d.Names()
	nameUnnamed(names)
	for i := range d.Columns {
		d.Columns[i].Name = names[i]
	}
}

// findID finds a column of ids that is not called id: arm, item, sku or key, then one whose name ends
// in id, then the first one if it has no name, then row numbers by their name, provided that all arms have
// different values in it. Other such columns whose names end in id are Ignored, and so are other row
// numbers. Without a column of ids, rows are numbered.
func (d *draft) findID(kinds []catalogue.Kind) {
	found := slices.Contains(kinds, catalogue.ID)
	var ways []func(column int) bool
	for _, word := range idNames() {
		ways = append(ways, func(column int) bool { return strings.EqualFold(d.Columns[column].Name, word) })
	}
	ways = append(ways, func(column int) bool { return endsInID(d.Columns[column].Name) },
		func(column int) bool { return d.Columns[column].Name == unnamed(0) }, d.numbersRows)
	for _, is := range ways {
		for i := range d.Columns {
			c := &d.Columns[i]
			if kinds[i] != catalogue.Unknown || c.Kind != catalogue.Unknown && c.Kind != catalogue.Number || !is(i) {
				continue
			}
			texts := c.AsWritten()
			if slices.Contains(texts, "") || choice.Repeats(texts) {
				continue
			}
			switch {
			case d.numbersRows(i) && (found || c.Name != unnamed(0) && isSequence(c.Numbers)):
				d.leaveOut(c, "numbers the rows", catalogue.Number)
			case !found:
				*c = catalogue.Column{Name: c.Name, Kind: catalogue.ID, Texts: texts}
				found = true
			case endsInID(c.Name) && len(texts) > 1:
				*c = catalogue.Column{Name: c.Name, Kind: catalogue.Ignored, Texts: texts}
			}
		}
	}
}

// numbersRows reports whether a column has row numbers: whole numbers below a usual name of them, or 1, 2, 3, …
// or 0, 1, 2, … below any name if there are enough rows.
func (d *draft) numbersRows(column int) bool {
	const enough = 10
	c := &d.Columns[column]
	named := table.IsRowName(c.Name, column) || c.Name == unnamed(0)
	fraction := func(x float64) bool { return x != math.Trunc(x) }
	return named && c.Numbers != nil && !slices.ContainsFunc(c.Numbers, fraction) ||
		len(c.Numbers) >= enough && isSequence(c.Numbers)
}

// isSequence reports whether numbers are 1, 2, 3, … or 0, 1, 2, ….
func isSequence(numbers []float64) bool {
	for row, x := range numbers {
		if x != numbers[0]+float64(row) {
			return false
		}
	}
	return len(numbers) > 0 && (numbers[0] == 0 || numbers[0] == 1)
}

// findCodes makes codes Ignored that consist of digits, such as postcodes: quantities neither start with zeros nor all
// with a plus sign, and are not called code.
func (d *draft) findCodes(kinds []catalogue.Kind) {
	for i := range d.Columns {
		c := &d.Columns[i]
		if kinds[i] == catalogue.Unknown && c.Kind == catalogue.Number && c.HasCodes(isCodeName(c.Name)) {
			*c = catalogue.Column{Name: c.Name, Kind: catalogue.Ignored, Texts: c.AsWritten()}
			d.noteLevels(c, "codes")
		}
	}
}

// isCodeName reports whether a name is that of a code, such as Postcode or zip.
func isCodeName(name string) bool {
	name = strings.ToLower(name)
	words := strings.FieldsFunc(name, func(c rune) bool { return !unicode.IsLetter(c) })
	return strings.HasSuffix(name, "code") || len(words) > 0 && slices.Contains([]string{
		"zip", "plz", "isbn", "ean", "upc", "gtin", "phone", "tel", "fax",
	}, words[len(words)-1])
}

// leaveOut makes a column Ignored, and notes why and which kind it can be read as.
func (d *draft) leaveOut(c *catalogue.Column, why string, as catalogue.Kind) {
	d.Notes = append(d.Notes, catalogue.Note{
		Column: c.Name, Problem: table.Problemf("left-out", "%s: not used", why), Remedy: catalogue.Remedy{Column: c.Name, As: as},
	})
	*c = catalogue.Column{Name: c.Name, Kind: catalogue.Ignored, Texts: c.AsWritten()}
}

// idNames are the names of columns of ids apart from id. The first that a column has decides.
func idNames() []string { return []string{"arm", "item", "sku", "key"} }

// endsInID reports whether a name is like product_id, product ID or productId.
func endsInID(name string) bool {
	if stem, is := strings.CutSuffix(strings.ToLower(name), "id"); !is || stem == "" {
		return false
	}
	stem := name[:len(name)-len("id")]
	before, _ := utf8.DecodeLastRuneInString(stem)
	return strings.ContainsRune("_ -.", before) || unicode.IsLower(before) && unicode.IsUpper(rune(name[len(stem)]))
}

// titleNames are the names of columns that people read as the name of an option, without spaces and in
// lower case. The first that a column has decides.
func titleNames() []string {
	return []string{
		"headline", "heading", "caption", "slogan", "tagline", "subject", "question", "product", "model", "item", "option", "address",
		"titel", "überschrift", "bezeichnung", "produkt", "artikel", "modell", "nom", "titre", "produit", "nombre", "título", "producto", //nolint:misspell // Spanish
	}
}

// findLabel makes a column of texts the Label if no column is: one with a usual name, or one whose name
// ends in name or title, provided that it has too many values for a category; then the first one of
// short texts that nearly all differ.
func (d *draft) findLabel(kinds []catalogue.Kind, options catalogue.Options) {
	if d.First(catalogue.Label) != nil {
		return
	}
	if c := d.Column(options.Label); c != nil && c.Kind != catalogue.Embedding {
		*c = catalogue.Column{Name: c.Name, Kind: catalogue.Label, Texts: c.AsWritten()}
		d.addBrand(c)
		return
	}
	best, rank := -1, 0
	for i := range d.Columns {
		c := &d.Columns[i]
		if kinds[i] != catalogue.Unknown || c.Kind != catalogue.Ignored && c.Kind != catalogue.Category ||
			c.Texts == nil || d.isNoted(c) {
			continue
		}
		if r := titleRank(c); r > 0 && (best < 0 || r < rank) {
			best, rank = i, r
		}
	}
	if best >= 0 {
		d.Columns[best].Kind = catalogue.Label
		dropMissing(d.Columns[best].Texts)
		d.addBrand(&d.Columns[best])
	}
}

// addBrand puts the brand before the labels in a column of products or models that lacks it.
func (d *draft) addBrand(labels *catalogue.Column) {
	brands := slices.IndexFunc(d.Columns, func(c catalogue.Column) bool {
		return c.Kind == catalogue.Category &&
			slices.Contains([]string{"brand", "company", "make", "manufacturer", "marke", "hersteller"}, strings.ToLower(c.Name))
	})
	if name := strings.ToLower(labels.Name); brands < 0 || !strings.Contains(name, "product") && !strings.Contains(name, "model") {
		return
	}
	for row, brand := range d.Columns[brands].Texts {
		if title := labels.Texts[row]; title != "" && !table.IsMissing(brand) &&
			!strings.HasPrefix(strings.ToLower(title), strings.ToLower(brand)) {
			labels.Texts[row] = brand + " " + title
		}
	}
}

// titleRank returns how unlikely a column is to be read as the name of an option, 0 if it is not.
func titleRank(c *catalogue.Column) int {
	names := titleNames()
	name := strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(c.Name))
	levels := countLevels(c.Texts, len(c.Texts))
	if 2*levels <= len(c.Texts) && levels <= manyLevels {
		return 0
	}
	if at := slices.Index(names, name); at >= 0 {
		return 1 + at
	}
	if strings.HasSuffix(name, "name") || strings.HasSuffix(name, "title") {
		return 1 + len(names)
	}
	if c.Kind == catalogue.Ignored && len(c.Texts) > 1 && name != "text" && 10*levels >= 9*len(c.Texts) &&
		isShortText(c.Texts) && !endsInID(c.Name) {
		return 2 + len(names)
	}
	return 0
}

// isShortText reports whether texts are short on average, and no addresses.
func isShortText(texts []string) bool {
	const longest = 100
	sum := 0
	for _, text := range texts {
		sum += utf8.RuneCountInString(text)
		if IsAddress(text) {
			return false
		}
	}
	return sum <= longest*len(texts)
}

// noteTitles notes that cards are titled 1, 2, 3, or that titles repeat.
func (d *draft) noteTitles() {
	ids, labels := d.First(catalogue.ID), d.First(catalogue.Label)
	switch {
	case labels != nil:
		d.noteRepeats(labels)
	case d.Len() == 0:
	case ids == nil:
		d.Notes = append(d.Notes, catalogue.Note{
			Problem: table.Problemf("no-titles", "no column names the options: cards are titled 1, 2, 3, …"),
			Remedy:  catalogue.Remedy{As: catalogue.Label},
		})
	case !slices.ContainsFunc(ids.Texts, func(id string) bool { _, err := strconv.Atoi(id); return err != nil }):
		d.Notes = append(d.Notes, catalogue.Note{
			Problem: table.Problemf("id-titles", "no column names the options: cards are titled by their ids, such as %s", ids.Texts[0]),
			Remedy:  catalogue.Remedy{As: catalogue.Label},
		})
	}
}

// noteRepeats notes titles that several options have.
func (d *draft) noteRepeats(labels *catalogue.Column) {
	if !choice.Repeats(labels.Texts) {
		return
	}
	count := map[string]int{}
	for _, title := range labels.Texts {
		count[title]++
	}
	options, example := 0, ""
	for _, title := range labels.Texts {
		if title != "" && count[title] > 1 {
			options++
			example = cmp.Or(example, title)
		}
	}
	if options > 0 {
		d.Notes = append(d.Notes, catalogue.Note{Column: labels.Name, Problem: table.Problemf("same-titles",
			"%s of %s options share their title with another, such as %q: respondents tell them apart by their attributes only",
			table.Grouped(options), table.Grouped(len(labels.Texts)), example)})
	}
}

// listName is the name of the column of a list without a header.
const listName = "name"

// readList finds out whether the only column of a file is a list without a header, so that the first
// line is an option, too: unless the user says so, it is if it reads like the other lines. A note says what was decided,
// unless the first line is a usual name of a column or one that the user names.
func (d *draft) readList(options catalogue.Options) {
	if len(d.Columns) != 1 || d.Columns[0].Name == unnamed(0) {
		return
	}
	c := &d.Columns[0]
	first, texts := c.Name, c.AsWritten()
	_, chosen := options.Kinds[first]
	d.List, d.Headed = true, chosen || options.Heading > 0 || options.Label == first
	if options.Heading == 0 && !d.Headed {
		d.Headed = isUsualName(first) || c.Kind == catalogue.Number && !table.LooksNumeric(first)
		if !d.Headed && !readsLike(first, texts) {
			d.Headed = true
			d.Notes = append(d.Notes, catalogue.Note{Problem: table.Problemf("first-line-names",
				"the first line, %q, names the column; if it is an option, write %q in a line above it", first, listName)})
		}
	}
	if d.Headed {
		return
	}
	name := listName
	if looksLikeImage(first) {
		name = catalogue.Image.String()
	}
	*c = catalogue.Column{Name: name, Texts: slices.Insert(texts, 0, first)}
	d.Lines = slices.Insert(d.Lines, 0, int32(d.nameLine))
	if options.Heading == 0 {
		d.Notes = append(d.Notes, catalogue.Note{
			Problem: table.Problemf("first-line-option",
				"the first line, %q, is an option like the others; if it names the column, change it to %q", first, name),
			Remedy: catalogue.Remedy{Column: first, As: catalogue.Label},
		})
	}
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

// readsLike reports whether a text could be one of some others: it has a digit or more than three words, or it is not
// the only one in lower case, of one word or with a colon at its end.
func readsLike(text string, others []string) bool {
	const long = 3 // words of the longest names of columns
	if len(strings.Fields(text)) > long || strings.ContainsFunc(text, unicode.IsDigit) {
		return true
	}
	for _, is := range []func(string) bool{
		func(s string) bool {
			return !strings.ContainsFunc(s, unicode.IsUpper) && strings.ContainsFunc(s, unicode.IsLower)
		},
		func(s string) bool { return len(strings.Fields(s)) == 1 },
		func(s string) bool { return strings.HasSuffix(s, ":") },
	} {
		if is(text) && !slices.ContainsFunc(others, is) {
			return false
		}
	}
	return true
}
