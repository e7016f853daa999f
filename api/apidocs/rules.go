package apidocs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// rules says what a value keeps to, one rule each.
func rules(s *schema) (all []string) {
	if len(s.Enum) > 0 {
		all = append(all, "one of "+list(s.Enum))
	}
	if s.Const != nil {
		all = append(all, "always "+compact(s.Const))
	}
	for _, bound := range []struct {
		words string
		value *json.Number
	}{
		{"at least", s.Minimum}, {"more than", s.ExclusiveMinimum}, {"at most", s.Maximum}, {"less than", s.ExclusiveMaximum}, {"a multiple of", s.MultipleOf},
	} {
		if bound.value != nil {
			all = append(all, bound.words+" "+bound.value.String())
		}
	}
	for _, size := range []struct {
		what        string
		least, most *int
	}{
		{"characters", s.MinLength, s.MaxLength}, {"elements", s.MinItems, s.MaxItems}, {"names", s.MinProperties, s.MaxProperties},
	} {
		if rule := sizeRule(size.what, size.least, size.most); rule != "" {
			all = append(all, rule)
		}
	}
	if s.UniqueItems {
		all = append(all, "all different")
	}
	if s.Pattern != "" {
		all = append(all, "matches "+s.Pattern)
	}
	if slices.Contains(s.Type, null) {
		all = append(all, "may be null")
	}
	if s.ContentMediaType != "" && s.Format != binary {
		all = append(all, "content "+s.ContentMediaType)
	}
	if s.Default != nil {
		all = append(all, "default "+compact(s.Default))
	}
	if s.Items != nil && s.Items.Ref == "" {
		for _, rule := range rules(s.Items) {
			all = append(all, "each "+rule)
		}
	}
	return all
}

// sizeRule says how many there may be, nothing where that is open.
func sizeRule(what string, least, most *int) string {
	switch {
	case least != nil && most != nil && *least == *most:
		return fmt.Sprintf("%d %s", *least, what)
	case least != nil && most != nil:
		return fmt.Sprintf("%d to %d %s", *least, *most, what)
	case least != nil:
		return fmt.Sprintf("at least %d %s", *least, what)
	case most != nil:
		return fmt.Sprintf("at most %d %s", *most, what)
	}
	return ""
}

func list(values []any) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, compact(v))
	}
	return strings.Join(texts, ", ")
}

// compact returns a value as JSON, a text without its quotes.
func compact(value any) string {
	if text, isText := value.(string); isText && text != "" {
		return text
	}
	return jsonText(value)
}

// jsonText returns a value as JSON on one line.
func jsonText(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSpace(text.String())
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
