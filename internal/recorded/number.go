package recorded

import "strings"

// number returns the number of a name. A new name gets the next number.
func number(numbers map[string]int32, name string) int32 {
	at, known := numbers[name]
	if !known {
		at = int32(len(numbers))
		numbers[strings.Clone(name)] = at
	}
	return at
}
