package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// printJSON writes the JSON document of a command.
func printJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}

// saveJSON writes the JSON document of a command to a file.
func saveJSON(path string, document any) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, cause(err))
	}
	if err := errors.Join(printJSON(file, document), file.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, cause(err))
	}
	return nil
}
