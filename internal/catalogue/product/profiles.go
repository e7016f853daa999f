// Package product reads attributes and levels as in conjoint analysis, and encodes all of their
// combinations as arms without enumerating them.
package product

import "bestpick/internal/catalogue"

// Profiles are arms given by attributes and their levels, as in conjoint analysis: one arm for each
// allowed combination of levels.
type Profiles struct {
	Source     string        `json:"-"`
	Attributes []Attribute   `json:"attributes"`
	Forbidden  []Combination `json:"forbidden,omitempty"`
}

// An Attribute has a name and levels. Every profile has one of its levels.
type Attribute struct {
	Name   string         `json:"name"`
	Kind   catalogue.Kind `json:"kind"` // Number, Category or Boolean
	Levels []string       `json:"levels"`
}

// A Combination is forbidden in profiles: for each of its attributes, one of the listed levels.
type Combination []LevelSet

// A LevelSet is a set of levels of an attribute.
type LevelSet struct {
	Attribute string   `json:"attribute"`
	Levels    []string `json:"levels"`
}
