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
