package archive

import (
	"errors"
	"maps"
	"slices"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
)

// Add returns the catalogue with the arms of an upload appended, encoded like the first, with their
// labels, descriptions, images and attributes. The table must have the columns that the encoding
// needs, of the same kinds, and new ids, in the same column as before unless options name another
// one. Other columns are ignored. Add returns all problems as [catalogue.Problems]. Arms cannot be
// added to a product.
func (s *Catalogue) Add(u read.Upload, options catalogue.Options) (*Encoded, error) {
	if err := u.Check(); err != nil {
		return nil, err
	}
	options.Limits = u.Limits
	return s.add(u, options)
}

// AddFile is [Catalogue.Add] for a file: see [read.OpenFile].
func (s *Catalogue) AddFile(path string, options catalogue.Options) (*Encoded, error) {
	u, options, closeFile, err := read.OpenFile(path, options)
	if err != nil {
		return nil, err
	}
	defer closeFile()
	return s.add(u, options)
}

func (s *Catalogue) add(u read.Upload, options catalogue.Options) (*Encoded, error) {
	var problem table.Problem
	switch kind := table.Ending(u.Name); {
	case s.Profiles != nil:
		problem = table.Problemf("add-to-product", "no arms can be added: there are all combinations of the attributes already")
	case s.Contexts != nil:
		problem = table.Problemf("add-with-contexts", "no arms can be added to a study with contexts: they would have no texts")
	case kind == savedEnding:
		problem = table.Problemf("add-encoded", "arms that are added come in a table, not encoded")
	case catalogue.IsProfiles(kind):
		problem = table.Problemf("add-levels", "arms that are added come in a table, not as attributes and levels")
	}
	if problem.Exists() {
		return nil, &table.Error{File: u.Name, Problem: problem}
	}
	t, err := s.readLater(u, options)
	if err != nil {
		return nil, err
	}
	all := s.Arms.Len() + t.Len()
	if most := options.Limits.Rows; most > 0 && all > most {
		return nil, &table.Error{File: u.Name, Problem: table.Problemf("many-arms",
			"there would be %s arms, and a study can have %s", table.Grouped(all), table.Grouped(most))}
	}
	if err := s.Encoding.CheckSize(u.Name, all, options.Limits); err != nil {
		return nil, err
	}
	return s.extend(t)
}

// readLater reads added arms, with the kinds and the id column of the first. Problems of a column
// that the encoding does not use do not matter: the table is then read again without that column.
func (s *Catalogue) readLater(u read.Upload, options catalogue.Options) (*catalogue.Table, error) {
	e := s.Encoding
	kinds := e.Kinds()
	maps.Copy(kinds, options.Kinds)
	if e.IDColumn != "" && !slices.Contains(slices.Collect(maps.Values(kinds)), catalogue.ID) {
		kinds[e.IDColumn] = catalogue.ID
	}
	options.Kinds, options.Formats, options.Label = kinds, e.Formats(), e.LabelColumn
	for {
		t, err := u.Table(options)
		if err != nil {
			if ignoreUnused(err, options) {
				continue
			}
			return nil, err
		}
		roles := catalogue.Roles(t.Names(), options.Kinds)
		for i := range t.Columns {
			c := &t.Columns[i]
			unknownLabel := c.Kind == catalogue.Label && roles[i] != catalogue.Label && c.Name != e.LabelColumn
			if unknownLabel || c.Kind.Feature() && e.Coding(c.Name) == nil {
				c.Kind = catalogue.Ignored
			}
		}
		return t, nil
	}
}

// ignoreUnused sets columns with problems to Ignored, unless they have another kind by choice or by
// name. It reports whether there are any.
func ignoreUnused(err error, options catalogue.Options) bool {
	problems, several := errors.AsType[*catalogue.Problems](err)
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
		if kinds := catalogue.Roles(names, options.Kinds); kinds[len(names)-1] == catalogue.Unknown {
			options.Kinds[at.Column] = catalogue.Ignored
			ignored = true
		}
	}
	return ignored
}

// extend returns the catalogue with the arms of a table appended, encoded like the first.
func (s *Catalogue) extend(t *catalogue.Table) (*Encoded, error) {
	first := s.Arms.Len()
	arms, err := s.Encoding.Append(s.Arms, t)
	if err != nil {
		return nil, err
	}
	all := &Encoded{Catalogue: Catalogue{Encoding: s.Encoding, Arms: arms}, Table: t, Added: t.Len()}
	_, firstTexts := s.texts()
	_, allTexts := all.texts()
	for k, kind := range []catalogue.Kind{catalogue.Label, catalogue.Description, catalogue.Image} {
		*allTexts[k] = joined(*firstTexts[k], first, t.First(kind), t.Len())
	}
	for k := range s.Attributes {
		all.Attributes = append(all.Attributes, extended(&s.Attributes[k], t))
	}
	all.Warnings = slices.Concat(encodingWarnings(t), s.Encoding.LaterWarnings(t, arms), encode.CopyWarnings(arms, all.name))
	return all, nil
}

// joined returns the texts of the first arms and of added ones, empty if an arm has none.
func joined(texts []string, first int, column *catalogue.Column, later int) []string {
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
