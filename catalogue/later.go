package catalogue

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"bestpick/table"
)

// Add returns the catalogue with the arms of an upload after its own, encoded like them, with
// their labels, descriptions, images and attributes. They come in a table with the columns that
// the encoding needs, of the same kinds, and ids that are new, in the column in which the first
// have them unless options say otherwise; other columns are no matter. Whatever is wrong is told
// as [Problems]. Arms cannot be added to a product.
func (s *Saved) Add(u Upload, options Options) (*Encoded, error) {
	if err := u.Check(); err != nil {
		return nil, err
	}
	options.Limits = u.Limits
	return s.add(u.Name, options, func(options Options) (*Table, error) { return u.Source().Table(options) })
}

// AddFile does the same with the arms of a file: see [File].
func (s *Saved) AddFile(path string, options Options) (*Encoded, error) {
	return s.add(path, options, func(options Options) (*Table, error) { return File(path, options) })
}

func (s *Saved) add(name string, options Options, read func(Options) (*Table, error)) (*Encoded, error) {
	problem := ""
	switch kind := Ending(name); {
	case s.Profiles != nil:
		problem = "no arms can be added: there are all combinations of the attributes already"
	case kind == savedEnding:
		problem = "arms that are added come in a table, not encoded"
	case IsProfiles(kind):
		problem = "arms that are added come in a table, not as attributes and levels"
	}
	if problem != "" {
		return nil, &table.Error{File: name, Problem: problem}
	}
	t, err := s.readLater(options, read)
	if err != nil {
		return nil, err
	}
	all := s.Arms.Len() + t.Len()
	if most := options.Limits.Rows; most > 0 && all > most {
		return nil, &table.Error{File: name, Problem: fmt.Sprintf("there would be %s arms, and a study can have %s", table.Grouped(all), table.Grouped(most))}
	}
	if err := s.Encoding.CheckSize(name, all, options.Limits); err != nil {
		return nil, err
	}
	return s.extend(t)
}

// readLater reads arms that come later, with the kinds and the ids of the first. What is wrong
// with a column that the encoding does not use is no matter: the table is then read once more,
// and the column ignored.
func (s *Saved) readLater(options Options, read func(Options) (*Table, error)) (*Table, error) {
	e := s.Encoding
	kinds := e.Kinds()
	maps.Copy(kinds, options.Kinds)
	if e.IDColumn != "" && !slices.Contains(slices.Collect(maps.Values(kinds)), ID) {
		kinds[e.IDColumn] = ID
	}
	options.Kinds = kinds
	for {
		t, err := read(options)
		if err != nil {
			if ignoreUnused(err, options) {
				continue
			}
			return nil, err
		}
		for i := range t.Columns {
			if c := &t.Columns[i]; c.Kind.Feature() && e.Coding(c.Name) == nil {
				c.Kind = Ignored
			}
		}
		return t, nil
	}
}

// ignoreUnused makes the columns that something is wrong with ignored, if they have no other
// kind, by choice or by name. It reports whether there are any.
func ignoreUnused(err error, options Options) bool {
	problems, several := errors.AsType[*Problems](err)
	if !several {
		return false
	}
	ignored := false
	for _, problem := range problems.List {
		at, placed := errors.AsType[*table.Error](problem)
		if !placed || at.Column == "" {
			continue
		}
		names := append(slices.Sorted(maps.Keys(options.Kinds)), at.Column)
		if kinds := Roles(names, options.Kinds); kinds[len(names)-1] == Unknown {
			options.Kinds[at.Column] = Ignored
			ignored = true
		}
	}
	return ignored
}

// extend returns the catalogue with the arms of a table after its own, encoded alike.
func (s *Saved) extend(t *Table) (*Encoded, error) {
	first := s.Arms.Len()
	arms, err := s.Encoding.Append(s.Arms, t)
	if err != nil {
		return nil, err
	}
	all := &Encoded{Saved: Saved{Encoding: s.Encoding, Arms: arms}, Table: t, Added: t.Len()}
	_, firstTexts := s.texts()
	_, allTexts := all.texts()
	for k, kind := range []Kind{Label, Description, Image} {
		*allTexts[k] = joined(*firstTexts[k], first, t.First(kind), t.Len())
	}
	for k := range s.Attributes {
		all.Attributes = append(all.Attributes, extended(&s.Attributes[k], t))
	}
	all.Warnings = s.Encoding.LaterWarnings(t, arms)
	return all, nil
}

// joined returns the texts of the first arms and of later ones, empty where there are none.
func joined(texts []string, first int, column *Column, later int) []string {
	if texts == nil && column == nil {
		return nil
	}
	all := make([]string, first+later)
	copy(all, texts)
	if column != nil {
		copy(all[first:], column.Texts)
	}
	return all
}
