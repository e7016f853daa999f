// Package catalogue defines tables of arms: columns of numbers, texts and vectors, their kinds, and the
// problems of the files that they come from.
//
// Package read reads files of several formats into a [Table] and recognises the columns. Package
// encode turns the columns into the features of a choice.Catalogue, and arms that are added later
// alike. Package product does the same for attributes and levels, whose combinations are the arms.
// Package archive saves and loads all that a study needs of its arms.
package catalogue
