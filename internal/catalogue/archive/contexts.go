package archive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
)

// Contexts are the situations in which respondents compare arms, such as prompts of language
// models. A question shows the texts of its arms in one context, such as the models' replies.
type Contexts struct {
	Format TextFormat `json:"format"` // of names and texts
	Names  []string   `json:"names"`  // the contexts as respondents see them
	Texts  [][]string `json:"texts"`  // by context and arm
}

// A TextFormat is the format of the texts of contexts.
type TextFormat string

// The formats of texts.
const (
	PlainText TextFormat = "plain"
	Markdown  TextFormat = "markdown"
)

// Limits of contexts.
const (
	MaxContexts     = 10_000
	maxContextBytes = 64 << 10 // of one text
)

// ParseTextFormat returns the format with a name. Defaults to plain.
func ParseTextFormat(name string) (TextFormat, error) {
	switch format := TextFormat(name); format {
	case "":
		return PlainText, nil
	case PlainText, Markdown:
		return format, nil
	}
	return "", fmt.Errorf("the format must be plain or markdown, got %.100q", name)
}

// At returns the context of the question at a position of the deck: drawn uniformly, and independently of
// those of all other positions, of the arms and of the bets on the answer. So given everything before, an
// answer is a draw from the mix of all contexts, also where they are sorted.
func (c *Contexts) At(seed uint64, position int64) int {
	key := [32]byte{}
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(position))
	copy(key[16:], "contexts") // not the draws of the strategy, which has the same seed
	return rand.New(rand.NewChaCha8(key)).IntN(len(c.Names))
}

// check returns an error unless there is a text for each context and each of a number of arms.
func (c *Contexts) check(arms int) error {
	if _, err := ParseTextFormat(string(c.Format)); err != nil {
		return err
	}
	if len(c.Names) == 0 || len(c.Names) > MaxContexts || len(c.Texts) != len(c.Names) {
		return fmt.Errorf("it must have 1 to %s contexts, each with its texts", table.Grouped(MaxContexts))
	}
	for _, texts := range c.Texts {
		if len(texts) != arms {
			return fmt.Errorf("each context must have %d texts, one for each arm", arms)
		}
	}
	return nil
}

// first returns the contexts of the first n arms.
func (c *Contexts) first(n int) *Contexts {
	if c == nil {
		return nil
	}
	cut := &Contexts{Format: c.Format, Names: c.Names}
	for _, texts := range c.Texts {
		cut.Texts = append(cut.Texts, texts[:n:n])
	}
	return cut
}

func writeContexts(w io.Writer, s *Catalogue) error { return json.NewEncoder(w).Encode(s.Contexts) }

// loadContexts reads the contexts, if there are any.
func (s *Catalogue) loadContexts(archive *zip.Reader, size int64, limits table.Limits) error {
	if table.FindEntry(archive, contextsFile) == nil {
		return nil
	}
	text, err := readPart(archive, contextsFile, size, limits)
	if err != nil {
		return err
	}
	read := json.NewDecoder(bytes.NewReader(text))
	read.DisallowUnknownFields()
	s.Contexts = &Contexts{}
	if err := read.Decode(s.Contexts); err != nil {
		return damaged(contextsFile, errors.New("it is no JSON of contexts"))
	}
	if err := s.Contexts.check(s.Arms.Len()); err != nil {
		return damaged(contextsFile, err)
	}
	return nil
}

// maxTexts is the most texts of all arms in all contexts.
const maxTexts = 100_000

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
	for i, column := range []*int{&r.arm, &r.context, &r.text} {
		if *column, err = rows.Column([]string{"arm", "context", "text"}[i]); err != nil {
			return nil, err
		}
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
	arm, isArm := r.arms.Arms.Index(id)
	context, isContext := r.known[name]
	if !isContext {
		context = len(r.seen)
	}
	column, problem := r.arm, table.Problem{}
	switch arms := r.arms.Arms.Len(); {
	case !isArm:
		problem = table.Problemf("no-arm", "unknown arm %.200q", id)
	case name == "":
		column, problem = r.context, table.NoValue(name)
	case textProblem(name).Exists():
		column, problem = r.context, textProblem(name)
	case textProblem(text).Exists():
		column, problem = r.text, textProblem(text)
	case (context+1)*arms > maxTexts:
		column, problem = r.context, table.Problemf("many-texts", "there must be at most %s texts of all arms in all contexts",
			table.Grouped(maxTexts))
	case isContext && r.seen[context][arm]:
		problem = table.Problemf("two-texts", "arm %.200q has two texts in this context", id)
	case !isContext:
		name = strings.Clone(name)
		r.known[name], r.contexts.Names = context, append(r.contexts.Names, name)
		r.contexts.Texts, r.seen = append(r.contexts.Texts, make([]string, arms)), append(r.seen, make([]bool, arms))
	}
	if problem.Exists() {
		return r.rows.Problem(column, problem)
	}
	r.seen[context][arm], r.contexts.Texts[context][arm] = true, strings.Clone(text)
	return nil
}

// textProblem returns the problem of a text that respondents cannot be shown, if any.
func textProblem(text string) table.Problem {
	switch {
	case !utf8.ValidString(text):
		return table.NotUTF8()
	case strings.ContainsRune(text, 0):
		return table.Problemf("zero-byte", "the text has a zero byte")
	case len(text) > maxContextBytes:
		return table.Problemf("long-text", "the text must have at most %s bytes, got %s", table.Grouped(maxContextBytes),
			table.Grouped(len(text)))
	}
	return table.Problem{}
}

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
