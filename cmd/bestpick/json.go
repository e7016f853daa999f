package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// jsonFlag selects the form of a command's result.
type jsonFlag struct {
	JSON bool `json:"-" name:"json" help:"Print one JSON document."`
}

// write prints the result of a command: as a JSON document, or as text.
func (f jsonFlag) write(w io.Writer, document any, text func(io.Writer) error) error {
	if f.JSON {
		return printJSON(w, document)
	}
	return text(w)
}

// line returns a function that prints a text.
func line(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

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
