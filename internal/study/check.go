package study

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Check returns an error unless every store can keep the outcome: its kind is one of the six,
// its position fits that, its texts are UTF-8 without zero bytes, of up to 1000 bytes, and its times
// are in years of four digits.
func (o Outcome) Check() error {
	switch o.Kind {
	case Answered, Skipped, Undone, Lost:
		if o.Position < 0 {
			return fmt.Errorf("study: there is no question %d", o.Position)
		}
	case Imported:
		if o.Position != Elsewhere {
			return fmt.Errorf("study: question %d: an imported answer is to a question asked elsewhere", o.Position)
		}
	case Erased:
		if o.Position < Elsewhere {
			return fmt.Errorf("study: there is no question %d", o.Position)
		}
		if !reflect.DeepEqual(o, o.Erased(o.At)) {
			return fmt.Errorf("study: question %d: there is something in an outcome that was erased", o.Position)
		}
	default:
		return fmt.Errorf("study: question %d: %q is no kind of outcome", o.Position, o.Kind)
	}
	if err := o.CheckForm(); err != nil {
		return fmt.Errorf("study: question %d: %w", o.Position, err)
	}
	return nil
}

// CheckForm returns an error unless texts and times are such that stores can keep them.
func (o Outcome) CheckForm() error {
	for _, text := range []string{o.Respondent, o.Segment} {
		if err := CheckText(text); err != nil {
			return err
		}
	}
	for _, t := range []time.Time{o.Asked, o.At} {
		if year := t.UTC().Year(); year < 1 || year > 9999 {
			return fmt.Errorf("the year %d is out of the question", year)
		}
	}
	return nil
}

// CheckText returns an error unless every store can keep a text and find it again.
func CheckText(text string) error {
	switch {
	case len(text) > MaxText:
		return fmt.Errorf("%.20q… is longer than %d bytes", text, MaxText)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return fmt.Errorf("%q is not text", text)
	}
	return nil
}

// CheckPicks refuses picks of slots that were not shown, or too many or too few.
func CheckPicks(picks []int, shown, wanted int) error {
	refuse := func(why string, numbers ...any) error { return Invalid("picks", fmt.Sprintf(why, numbers...)) }
	if len(picks) != wanted {
		return refuse("%d picks are expected, there are %d", wanted, len(picks))
	}
	for i, slot := range picks {
		if slot < 0 || slot >= shown {
			return refuse("slot %d was not shown", slot)
		}
		if slices.Contains(picks[:i], slot) {
			return refuse("slot %d is picked twice", slot)
		}
	}
	return nil
}
