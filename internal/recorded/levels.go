package recorded

import "strings"

// levels are different texts, numbered in order of appearance.
type levels struct {
	names   []string
	numbers map[string]int
}

func newLevels(names ...string) levels {
	l := levels{numbers: map[string]int{}}
	for _, name := range names {
		l.add(name)
	}
	return l
}

// add returns the number of a text. A new text gets the next number.
func (l *levels) add(name string) int {
	at, known := l.numbers[name]
	if !known {
		name = strings.Clone(name)
		at = len(l.names)
		l.numbers[name] = at
		l.names = append(l.names, name)
	}
	return at
}
