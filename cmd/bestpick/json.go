package main

import (
	"encoding/json"
	"io"
)

// printJSON writes the JSON document of a command.
func printJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}
