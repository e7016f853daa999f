// Package product reads attributes and levels as in conjoint analysis, and encodes all of their
// combinations as arms without enumerating them.
package product

import "bestpick/internal/catalogue"

// Profiles are arms given by attributes and their levels, as in conjoint analysis: one arm for
// each combination of levels, but those forbidden.
type Profiles struct {
	Source     string        `json:"-"`
	Attributes []Attribute   `json:"attributes"`
	Forbidden  []Combination `json:"forbidden,omitempty"`
}

// An Attribute has one of its levels in every profile.
type Attribute struct {
	Name   string         `json:"name"`
	Kind   catalogue.Kind `json:"kind"` // Number, Category or Boolean
	Levels []string       `json:"levels"`
}

// A Combination is what no profile may have together: of each attribute named, one of the
// levels listed.
type Combination []LevelSet

// A LevelSet is some levels of an attribute.
type LevelSet struct {
	Attribute string   `json:"attribute"`
	Levels    []string `json:"levels"`
}
