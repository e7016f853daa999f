package catalogue

import "strings"

// roles returns the kinds that columns have by the user's choice or by their names; Unknown
// where their values decide. What the user chose for a name that no column has goes for the
// columns that are that name and a number: for e, it goes for e1, e2, ….
func roles(names []string, options Options) []Kind {
	kinds := make([]Kind, len(names))
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[name] = true
	}
	taken := map[Kind]bool{}
	for i, name := range names {
		kind, chosen := options.Kinds[name]
		if prefix, _, numbered := numberedName(name); !chosen && numbered && !known[prefix] {
			kind = options.Kinds[prefix]
			if kind == Embedding {
				kind = Unknown // join decides
			}
		}
		kinds[i] = kind
		taken[kind] = true
	}
	for _, role := range namedRoles() {
		if taken[role.kind] {
			continue
		}
		if i := firstNamed(names, kinds, role.names); i >= 0 {
			kinds[i] = role.kind
		}
	}
	return kinds
}

// A namedRole is a kind that a column has by its name.
type namedRole struct {
	kind  Kind
	names []string // the first that is there has the role
}

// namedRoles returns all of them. The first name is that of the kind.
func namedRoles() []namedRole {
	return []namedRole{
		{ID, []string{ID.String(), "arm", "item", "sku", "key"}},
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
