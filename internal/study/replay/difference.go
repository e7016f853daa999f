package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// firstDifference returns the path, in the order of names, of the first value in which two values
// differ as JSON, and both values. If only the spelling differs, the path is that of the root.
func firstDifference(path string, found, expected any) (field, is, want string) {
	a, errA := parsed(found)
	b, errB := parsed(expected)
	if errA == nil && errB == nil {
		if field, is, want, differ := difference(path, a, b); differ {
			return field, is, want
		}
	}
	return path, shown(found), shown(expected)
}

// parsed returns a value as decoded from JSON: maps, slices, texts, and numbers as written.
func parsed(value any) (parsed any, err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&parsed)
	return parsed, err
}

func difference(path string, found, expected any) (field, is, want string, differ bool) {
	switch e := expected.(type) {
	case map[string]any:
		if f, ok := found.(map[string]any); ok {
			names := maps.Clone(e)
			maps.Copy(names, f)
			for _, name := range slices.Sorted(maps.Keys(names)) {
				if field, is, want, differ = memberDifference(path+"."+name, name, f, e); differ {
					return field, is, want, true
				}
			}
			return "", "", "", false
		}
	case []any:
		if f, ok := found.([]any); ok && len(f) == len(e) {
			for i := range e {
				if field, is, want, differ = difference(fmt.Sprintf("%s[%d]", path, i), f[i], e[i]); differ {
					return field, is, want, true
				}
			}
			return "", "", "", false
		}
	default:
		if found == expected {
			return "", "", "", false
		}
	}
	return path, shown(found), shown(expected), true
}

// absent represents a missing value.
const absent = "nothing"

func memberDifference(path, name string, found, expected map[string]any) (field, is, want string, differ bool) {
	f, has := found[name]
	e, should := expected[name]
	switch {
	case !has:
		return path, absent, shown(e), true
	case !should:
		return path, shown(f), absent, true
	}
	return difference(path, f, e)
}

// shown returns a value as short JSON.
func shown(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	const longest = 200
	if len(text) > longest {
		return string(text[:longest]) + "…"
	}
	return string(text)
}
