// Package examples has the small files that the documentation uses; see README.md in this folder.
package examples

import _ "embed"

//go:embed lamps.csv
var lamps []byte

// Lamps returns lamps.csv: twelve lamps as a shop lists them.
func Lamps() []byte { return lamps }
