package catalogue

import (
	"path"
	"strings"
)

// Ending returns the ending of a file name in lower case, without .gz.
func Ending(name string) string {
	return path.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
}

// IsProfiles reports whether files with this ending hold attributes and levels.
func IsProfiles(ending string) bool { return ending == ".yaml" || ending == ".yml" }
