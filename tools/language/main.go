// Command language rejects words that docs/language.md advises against, in comments, messages, pages and
// documents. It fails if a file has more violations than allowed.txt lists for it, or fewer.
//
// Run it from the root of the repository. With -update it rewrites allowed.txt; with -v it prints allowed
// violations, too.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"slices"
)

func main() {
	log.SetFlags(0)
	update := flag.Bool("update", false, "rewrite the list of allowed violations")
	verbose := flag.Bool("v", false, "print allowed violations, too")
	flag.Parse()
	if err := run(os.Stdout, *update, *verbose); err != nil {
		log.Fatal(err)
	}
}

const (
	guide     = "docs/language.md"
	allowList = "tools/language/allowed.txt"
)

// run checks the tree in the current directory.
func run(out io.Writer, update, verbose bool) error {
	text, err := os.ReadFile(guide)
	if err != nil {
		return err
	}
	words, err := readWords(string(text))
	if err != nil {
		return err
	}
	found, err := checkTree(os.DirFS("."), words)
	if err != nil {
		return err
	}
	if update {
		return os.WriteFile(allowList, []byte(formatAllowed(found)), 0o644)
	}
	text, err = os.ReadFile(allowList)
	if err != nil {
		return err
	}
	allowed, err := parseAllowed(string(text))
	if err != nil {
		return err
	}
	return report(out, found, allowed, verbose)
}

// report prints the violations of the files that have more than allowed, and returns an error if the
// numbers differ.
func report(out io.Writer, found map[string][]violation, allowed map[string]int, verbose bool) error {
	wrong := 0
	for _, path := range slices.Sorted(maps.Keys(found)) {
		violations := found[path]
		more := len(violations) > allowed[path]
		if more {
			wrong++
		}
		for _, v := range violations {
			if more || verbose {
				if _, err := fmt.Fprintf(out, "%s:%d: %q\n", path, v.line, v.words); err != nil {
					return err
				}
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(allowed)) {
		if len(found[path]) < allowed[path] {
			wrong++
			if _, err := fmt.Fprintf(out, "%s: %d violations, but %s allows %d\n", path, len(found[path]), allowList, allowed[path]); err != nil {
				return err
			}
		}
	}
	if wrong > 0 {
		return fmt.Errorf("language: %d files differ from %s; see %s", wrong, allowList, guide)
	}
	return nil
}
