package catalogue

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bestpick/internal/table"
)

// A Kind is the use of a column.
type Kind int

const (
	// Unknown is a column whose kind is still to be recognised.
	Unknown Kind = iota

	// ID names the arms.
	ID

	// Label is what respondents see, and so are Description and Image.
	Label
	// Description says more about an arm.
	Description
	// Image is the path or the address of a picture.
	Image

	// Number is a feature that is measured.
	Number

	// Category is a feature with levels.
	Category
	// Boolean is a feature that is true or false.
	Boolean

	// Embedding is a vector of features that mean nothing one by one.
	Embedding

	// Ignored is a column that is neither shown nor a feature.
	Ignored

	// Date can be chosen for a column of dates, which becomes a Number of days.
	Date

	// Month can be chosen for a column of dates, which becomes a Category of years and months.
	Month

	// Shown is a column that respondents see and that is not a feature.
	Shown
)

// kinds are the names of the kinds.
func kinds() []string {
	return []string{
		"unknown", "id", "label", "description", "image", "number", "category", "boolean", "embedding", "ignored",
		"date", "month", "shown",
	}
}

// String returns the name of the kind.
func (k Kind) String() string { return kinds()[k] }

// ParseKind returns the kind with a name.
func ParseKind(word string) (Kind, error) {
	for k, name := range kinds() {
		if name == word && Kind(k) != Unknown {
			return Kind(k), nil
		}
	}
	return Unknown, fmt.Errorf("%q is no kind of column; there are %s", word, strings.Join(kinds()[1:], ", "))
}

// Feature reports whether columns of this kind are features of the arms.
func (k Kind) Feature() bool {
	return k == Number || k == Category || k == Boolean || k == Embedding
}

// MarshalText returns the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText parses the name of a kind.
func (k *Kind) UnmarshalText(word []byte) error {
	kind, err := ParseKind(string(word))
	if err == nil {
		*k = kind
	}
	return err
}

// BooleanValue parses a value of a Boolean column: as [TruthValue] does, or 1 and 0.
func BooleanValue(text string) (value, known bool) {
	if text == "1" || text == "0" {
		return text == "1", true
	}
	return TruthValue(text)
}

// TruthValue parses a boolean in words of several languages, or the first letters of the English ones.
func TruthValue(text string) (value, known bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "t", "y", "ja", "wahr", "oui", "vrai", "sí", "si", "sì", "vero", "sim", "verdadeiro", "да", "tak", "はい", "是": //nolint:gosmopolitan // words of spreadsheets in many languages
		return true, true
	case "false", "no", "f", "n", "nein", "falsch", "non", "faux", "falso", "não", "nao", "nee", "нет", "nie", "いいえ", "否": //nolint:gosmopolitan // as above
		return false, true
	}
	return false, false
}

// KindOfLevels recognises the kind of an attribute by its levels.
func KindOfLevels(levels []string) Kind {
	all := func(is func(string) bool) bool {
		return !slices.ContainsFunc(levels, func(level string) bool { return !is(level) })
	}
	switch {
	case all(func(level string) bool { _, ok := table.ParseNumber(level); return ok }):
		return Number
	case all(func(level string) bool { _, known := TruthValue(level); return known }):
		return Boolean
	default:
		return Category
	}
}

// MaxLevels is how many levels a category may have at most.
const MaxLevels = 1000

// Options say how to read a file of arms where the file does not.
type Options struct {
	// Kinds are the kinds of columns by name. The name of an embedding that is spread over columns
	// e1, e2, … is e. Default: they are recognised.
	Kinds map[string]Kind

	// Missing says what to do with missing values, by column. Default: an option without a number gets
	// the mean and an indicator, one without a level a level of its own.
	Missing map[string]MissingPolicy

	// Formats are the formats of numbers and dates, by column. Default: they are recognised.
	Formats map[string]*NumberFormat

	// Label is the column of labels, if the file has it. Default: it is recognised.
	Label string

	// IDs is the file with the ids of the rows of a .npy. Default: the one beside it.
	IDs string

	// Sheet is the name of the sheet of a workbook. Default: the one with the most values that is not hidden.
	Sheet string

	// Heading is the row of a sheet with the names of columns, or 1 if the first line of a list of one column is its
	// name; [NoHeading] if there is none. Default: it is recognised.
	Heading int

	// Folder is the base of relative paths of images, which must exist. Default: images are not
	// checked.
	Folder string

	// Limits bounds what the file may hold. Default: no limits.
	Limits table.Limits
}

// NoHeading says that the first row of a table is an option.
const NoHeading = -1

// WithdrawnColumn says in files of arms that a study exports which of them were withdrawn. It is no attribute.
const WithdrawnColumn = "withdrawn"

// IsProfiles reports whether files with this ending hold attributes and levels.
func IsProfiles(ending string) bool { return ending == ".yaml" || ending == ".yml" }

// Roles returns the kinds of columns by the user's choice or by their names, Unknown where their
// values decide. A kind that is chosen for a name that no column has applies to the columns with that
// name and a number: e stands for e1, e2, ….
func Roles(names []string, chosen map[string]Kind) []Kind {
	kinds := make([]Kind, len(names))
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[name] = true
	}
	taken := map[Kind]bool{}
	for i, name := range names {
		kind, isChosen := chosen[name]
		if prefix, _, numbered := NumberedName(name); !isChosen && numbered && !known[prefix] {
			kind = chosen[prefix]
			if kind == Embedding {
				kind = Unknown // join decides
			}
		}
		kinds[i] = kind
		taken[kind] = true
	}
	for _, role := range NamedRoles() {
		if taken[role.Kind] {
			continue
		}
		if i := firstNamed(names, kinds, role.Names); i >= 0 {
			kinds[i] = role.Kind
		}
	}
	return kinds
}

// A NamedRole is a kind that a column can have by its name.
type NamedRole struct {
	Kind  Kind
	Names []string // the first that a column has decides
}

// FirstNamed returns the index of the column with the role, -1 if there is none.
func (r NamedRole) FirstNamed(names []string) int {
	return firstNamed(names, make([]Kind, len(names)), r.Names)
}

// NamedRoles returns all of them. The first name is that of the kind.
func NamedRoles() []NamedRole {
	return []NamedRole{
		{ID, []string{ID.String()}},
		{Label, []string{Label.String(), "name", "title"}},
		{Description, []string{Description.String(), "text"}},
		{Image, []string{Image.String(), "picture", "photo", "image_url", "img"}},
	}
}

// firstNamed returns the column with the first of some words as its name that has no kind
// yet, -1 where there is none.
func firstNamed(names []string, kinds []Kind, words []string) int {
	for _, word := range words {
		for i, name := range names {
			if kinds[i] == Unknown && strings.EqualFold(name, word) {
				return i
			}
		}
	}
	return -1
}

// NumberedName splits a name like e1 or e_1.
func NumberedName(name string) (prefix string, number int, ok bool) {
	const maxDigits = 6
	prefix = strings.TrimRight(name, "0123456789")
	number, err := strconv.Atoi(name[len(prefix):])
	ok = err == nil && len(name)-len(prefix) <= maxDigits
	prefix = strings.TrimRight(prefix, "_")
	return prefix, number, ok && prefix != ""
}

// MissingLevel is the level of arms without a value in a Category, and names the indicator of arms
// without a value in a Number or a Boolean.
const MissingLevel = "(missing)"

// A MissingPolicy says what to do with arms that have no value in a column.
type MissingPolicy string

const (
	// DropArms removes the arms.
	DropArms MissingPolicy = "drop"
	// MeanOf takes the mean of a Number, or half-way between true and false, and adds an indicator.
	MeanOf MissingPolicy = "mean"
	// OwnLevel makes it a level of a Category.
	OwnLevel MissingPolicy = "level"
)

// ParseMissingPolicy returns the policy with a name.
func ParseMissingPolicy(word string) (MissingPolicy, error) {
	policy := MissingPolicy(word)
	if policy != DropArms && policy != MeanOf && policy != OwnLevel {
		return "", fmt.Errorf("a column's missing values can be handled by drop, mean or level, got %q", word)
	}
	return policy, nil
}

// Suits reports whether a policy applies to a kind of column.
func (p MissingPolicy) Suits(kind Kind) bool {
	switch p {
	case MeanOf:
		return kind == Number || kind == Boolean
	case OwnLevel:
		return kind == Category
	case DropArms:
	}
	return kind == Number || kind == Boolean || kind == Category
}

// IsMissing reports whether a row of a column that is not an [Embedding] has no value.
func (c *Column) IsMissing(row int) bool {
	if c.Numbers != nil {
		return math.IsNaN(c.Numbers[row])
	}
	return table.IsMissing(c.Texts[row])
}

// Missing returns how many rows of a column that is not an [Embedding] have no value, and the first
// of them.
func (c *Column) Missing() (count, first int) {
	for _, x := range c.Numbers {
		if math.IsNaN(x) {
			count++
		}
	}
	for _, text := range c.Texts {
		if table.IsMissing(text) {
			count++
		}
	}
	if count > 0 {
		for !c.IsMissing(first) {
			first++
		}
	}
	return count, first
}

// Keep removes all rows but some, which are in order.
func (t *Table) Keep(rows []int) {
	for i := range t.Columns {
		t.Columns[i].keep(rows)
	}
	if t.Lines != nil {
		t.Lines = pick(t.Lines, rows, 1)
	}
}

func (c *Column) keep(rows []int) {
	if c.Numbers != nil {
		kept := Column{Name: c.Name, Kind: c.Kind, Format: c.Format}
		for _, row := range rows {
			kept.AddNumber([]byte(c.Text(row)), c.Numbers[row])
		}
		*c = kept
		return
	}
	c.Texts, c.Vectors = pick(c.Texts, rows, 1), pick(c.Vectors, rows, c.Width)
}

// pick returns the values of some rows, each of which has width values.
func pick[T any](values []T, rows []int, width int) []T {
	if values == nil {
		return nil
	}
	picked := make([]T, 0, len(rows)*width)
	for _, row := range rows {
		picked = append(picked, values[row*width:(row+1)*width]...)
	}
	return slices.Clip(picked)
}
