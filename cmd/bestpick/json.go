package main

import (
	"encoding/json"
	"io"
)

// printJSON writes the one document that a command prints with --json.
func printJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}
