package examples_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"testing"

	"bestpick/examples"
)

var update = flag.Bool("update", false, "write the example files anew")

// TestFilesAreWhatTheyAreMadeOf compares the files with the output of examples.go.
// go test ./examples -update writes them.
func TestFilesAreWhatTheyAreMadeOf(t *testing.T) {
	for name, write := range map[string]func(io.Writer) error{
		"mugs.csv":      examples.Mugs,
		"headlines.csv": examples.Headlines,
	} {
		var want bytes.Buffer
		if err := write(&want); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(name, want.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s is not what examples.go makes; run go test ./examples -update", name)
		}
	}
}
