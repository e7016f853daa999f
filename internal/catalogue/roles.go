package catalogue

import (
	"strconv"
	"strings"
)

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
