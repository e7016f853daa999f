package main

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// flagValues returns how the values of flags are read. Errors say what was expected and what was found; the flag's name
// precedes them.
//
// The tags min, max, above and below limit a number, such as min:"2" max:"1000" or above:"0" below:"1".
func flagValues() []kong.Option {
	options := []kong.Option{
		kong.TypeMapper(reflect.TypeFor[time.Duration](), reader("a duration such as 30s", parseDuration)),
		kong.TypeMapper(reflect.TypeFor[map[string]string](), kong.MapperFunc(readPairs)),
		kong.KindMapper(reflect.String, reader("a value", func(text string) (string, error) { return text, nil })),
	}
	whole := reader("a whole number", func(text string) (int64, error) { return strconv.ParseInt(text, 0, 64) })
	for _, kind := range []reflect.Kind{reflect.Int, reflect.Int64} {
		options = append(options, kong.KindMapper(kind, whole))
	}
	return append(options,
		kong.KindMapper(reflect.Uint64, reader("a whole number of at least 0",
			func(text string) (uint64, error) { return strconv.ParseUint(text, 0, 64) })),
		kong.KindMapper(reflect.Float64, reader("a number",
			func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })),
	)
}

// reader returns a mapper of the values that parse accepts. Its error says that a value of this kind was expected.
func reader[T any](kind string, parse func(string) (T, error)) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		text, err := pop(ctx, kind)
		if err != nil {
			return err
		}
		if one := ctx.Value.EnumSlice(); ctx.Value.Enum != "" && !slices.Contains(one, text) {
			return fmt.Errorf("expected one of %s, found %q", strings.Join(one, ", "), text)
		}
		value, err := parse(text)
		if err != nil || !within(ctx.Value.Tag, reflect.ValueOf(value)) {
			return fmt.Errorf("expected %s%s, found %q", kind, describe(ctx.Value.Tag), text)
		}
		target.Set(reflect.ValueOf(value).Convert(target.Type()))
		return nil
	}
}

// parseDuration parses a duration, which must not be negative.
func parseDuration(text string) (time.Duration, error) {
	duration, err := time.ParseDuration(text)
	if err == nil && duration < 0 {
		err = strconv.ErrRange
	}
	return duration, err
}

// readPairs reads pairs such as price=number, which the flag's tag mapsep separates.
func readPairs(ctx *kong.DecodeContext, target reflect.Value) error {
	kind := ctx.Value.Flag.PlaceHolder
	text, err := pop(ctx, kind)
	if err != nil {
		return err
	}
	if target.IsNil() {
		target.Set(reflect.MakeMap(target.Type()))
	}
	for _, pair := range kong.SplitEscaped(text, ctx.Value.Tag.MapSep) {
		key, value, found := strings.Cut(pair, "=")
		if !found {
			return fmt.Errorf("expected %s, found %q", kind, pair)
		}
		target.SetMapIndex(reflect.ValueOf(key), reflect.ValueOf(value))
	}
	return nil
}

// pop returns the next argument, which may be a negative number, but not another flag.
func pop(ctx *kong.DecodeContext, kind string) (string, error) {
	token := ctx.Scan.Pop()
	if token.IsEOL() {
		return "", fmt.Errorf("expected %s, found nothing", kind)
	}
	text := token.String()
	if _, err := strconv.ParseFloat(text, 64); err != nil && !token.IsValue() {
		return "", fmt.Errorf("expected %s, found %q", kind, text)
	}
	return text, nil
}

// The tags of a range.
const (
	minTag = "min"
	maxTag = "max"
)

// A limit is a tag that limits a number.
type limit struct {
	tag, words string
	holds      func(x, limit float64) bool
}

// limits returns the limits in the order in which errors name them.
func limits() []limit {
	return []limit{
		{minTag, "of at least", func(x, limit float64) bool { return x >= limit }},
		{"above", "above", func(x, limit float64) bool { return x > limit }},
		{maxTag, "at most", func(x, limit float64) bool { return x <= limit }},
		{"below", "below", func(x, limit float64) bool { return x < limit }},
	}
}

// within reports whether a value is not a number, or is finite and within the limits of its flag.
func within(tag *kong.Tag, value reflect.Value) bool {
	if !value.CanConvert(reflect.TypeFor[float64]()) {
		return true
	}
	x := value.Convert(reflect.TypeFor[float64]()).Float()
	for _, l := range limits() {
		if tag.Has(l.tag) {
			limit, err := strconv.ParseFloat(tag.Get(l.tag), 64)
			if err != nil || !l.holds(x, limit) {
				return false
			}
		}
	}
	return !math.IsNaN(x) && !math.IsInf(x, 0)
}

// describe returns the limits of a flag in words, after a space; empty if there are none.
func describe(tag *kong.Tag) string {
	if tag.Has(minTag) && tag.Has(maxTag) {
		return fmt.Sprintf(" from %s to %s", tag.Get(minTag), tag.Get(maxTag))
	}
	var words []string
	for _, l := range limits() {
		if tag.Has(l.tag) {
			words = append(words, l.words+" "+tag.Get(l.tag))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " and ")
}
