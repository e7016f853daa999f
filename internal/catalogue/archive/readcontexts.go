package archive

import (
	"strings"
	"unicode/utf8"

	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
)

// The columns of a table of texts.
const (
	armColumn     = "arm"
	contextColumn = "context"
	textColumn    = "text"
)

// ReadContexts reads the texts of arms in contexts from a table of any format with the columns arm,
// context and text, in any order of rows. Other columns are ignored. There must be exactly one row
// for each arm in each context.
func (s *Catalogue) ReadContexts(u read.Upload, format TextFormat) (*Contexts, error) {
	if s.Profiles != nil {
		return nil, &table.Error{
			File:    u.Name,
			Problem: table.Problemf("product-contexts", "the profiles of a product cannot have texts in contexts"),
		}
	}
	if err := u.Check(); err != nil {
		return nil, err
	}
	rows, err := u.Rows()
	if err != nil {
		return nil, err
	}
	r := contextsReader{rows: rows, arms: s, contexts: &Contexts{Format: format}, known: map[string]int{}}
	if r.arm, err = rows.Column(armColumn); err != nil {
		return nil, err
	}
	if r.context, err = rows.Column(contextColumn); err != nil {
		return nil, err
	}
	if r.text, err = rows.Column(textColumn); err != nil {
		return nil, err
	}
	if err := rows.Each(r.read); err != nil {
		return nil, err
	}
	return r.contexts, r.complete(u.Name)
}

// A contextsReader reads a table of texts.
type contextsReader struct {
	rows               *table.Reader
	arms               *Catalogue
	arm, context, text int // column numbers
	contexts           *Contexts
	known              map[string]int // contexts by name
	seen               [][]bool       // by context and arm
}

// read reads the current row.
func (r *contextsReader) read() error {
	id, name, text := r.rows.Text(r.arm), r.rows.Text(r.context), r.rows.Text(r.text)
	arm, known := r.arms.Arms.Index(id)
	if !known {
		return r.rows.Errorf(r.arm, "unknown arm %.200q", id)
	}
	if name == "" {
		return r.rows.Missing(r.context)
	}
	for _, column := range []int{r.context, r.text} {
		if err := r.check(column); err != nil {
			return err
		}
	}
	context, known := r.known[name]
	if !known {
		var err error
		if context, err = r.add(strings.Clone(name)); err != nil {
			return err
		}
	}
	if r.seen[context][arm] {
		return r.rows.Errorf(r.arm, "arm %.200q has two texts in this context", id)
	}
	r.seen[context][arm] = true
	r.contexts.Texts[context][arm] = strings.Clone(text)
	return nil
}

// check returns an error unless respondents can be shown a text of the current row.
func (r *contextsReader) check(column int) error {
	text := r.rows.Text(column)
	switch {
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return r.rows.Errorf(column, "the text must be valid UTF-8 without zero bytes")
	case len(text) > maxContextBytes:
		return r.rows.Errorf(column, "the text must have at most %s bytes, got %s", table.Grouped(maxContextBytes),
			table.Grouped(len(text)))
	}
	return nil
}

// add adds a context without texts.
func (r *contextsReader) add(name string) (context int, err error) {
	context, arms := len(r.seen), r.arms.Arms.Len()
	if (context+1)*arms > maxTexts {
		return 0, r.rows.Errorf(r.context, "there must be at most %s texts of all arms in all contexts", table.Grouped(maxTexts))
	}
	r.known[name] = context
	r.contexts.Names = append(r.contexts.Names, name)
	r.contexts.Texts = append(r.contexts.Texts, make([]string, arms))
	r.seen = append(r.seen, make([]bool, arms))
	return context, nil
}

// maxTexts is the most texts of all arms in all contexts.
const maxTexts = 100_000

// complete returns an error unless every arm has a text in every context.
func (r *contextsReader) complete(file string) error {
	for context, seen := range r.seen {
		for arm, has := range seen {
			if !has {
				problem := table.Problemf("context-text", "arm %.200q has no text in context %.200q", r.arms.Arms.ID(arm),
					r.contexts.Names[context])
				return &table.Error{File: file, Problem: problem}
			}
		}
	}
	if err := r.contexts.check(r.arms.Arms.Len()); err != nil {
		return &table.Error{File: file, Problem: table.Problemf("contexts", "the file must have 1 to %s contexts, got %d",
			table.Grouped(MaxContexts), len(r.seen))}
	}
	return nil
}
