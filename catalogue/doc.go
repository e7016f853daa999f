// Package catalogue turns the files people have into arms.
//
// A file of any supported format is read into a [Table], its columns recognised. An encoding
// turns the columns into the features of a choice.Catalogue, says what it made of each, and
// encodes arms that come later in the same way.
package catalogue
