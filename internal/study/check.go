package study

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// Check returns an error unless every store can keep the outcome: its kind is one of the six, its
// position fits the kind, its texts are UTF-8 without zero bytes and at most 1000 bytes long, its
// note is valid, and its years are 1 to 9999.
func (o Outcome) Check() error {
	switch o.Kind {
	case Answered, Skipped, Undone, Lost:
		if o.Position < 0 {
			return fmt.Errorf("study: invalid position %d", o.Position)
		}
	case Imported:
		if o.Position != OutsideDeck {
			return fmt.Errorf("study: question %d: an imported answer must not have a position in the deck", o.Position)
		}
	case Arrived:
		if o.Position != OutsideDeck || o.Hand == nil || o.Hand.First < 0 || len(o.Hand.Cards) == 0 {
			return errors.New("study: an arrival must have a hand of questions in the deck")
		}
	case Erased:
		if o.Position < OutsideDeck {
			return fmt.Errorf("study: invalid position %d", o.Position)
		}
		if !reflect.DeepEqual(o, o.Erased(o.At)) {
			return fmt.Errorf("study: question %d: an erased outcome must have no other data", o.Position)
		}
	default:
		return fmt.Errorf("study: question %d: unknown kind of outcome %q", o.Position, o.Kind)
	}
	if err := o.CheckForm(); err != nil {
		return fmt.Errorf("study: question %d: %w", o.Position, err)
	}
	return nil
}

// CheckForm returns an error unless stores can keep the texts and times of an outcome.
func (o Outcome) CheckForm() error {
	for _, text := range []string{o.Respondent, o.Segment} {
		if err := CheckText(text); err != nil {
			return err
		}
	}
	if err := o.Note.Check(); err != nil {
		return err
	}
	for _, t := range []time.Time{o.Asked, o.At} {
		if year := t.UTC().Year(); year < 1 || year > 9999 {
			return fmt.Errorf("the year must be 1 to 9999, got %d", year)
		}
	}
	return nil
}

// CheckAnswer returns an error unless the picks answer a question of a study that shows a number of
// arms.
func (s Settings) CheckAnswer(picks []int, shown int) error {
	if len(picks) == 1 && s.Strategy.Offer.Allows(picks[0]) {
		return nil
	}
	return CheckPicks(picks, shown, s.Wanted(shown))
}

// Wanted returns the number of arms to pick in a question that shows a number of arms.
func (s Settings) Wanted(shown int) int {
	if s.Strategy.Offer.BestWorst {
		return min(2, shown-1)
	}
	return min(s.Picks, shown-1)
}

// CheckPicks returns an error if a picked slot was not shown, or the number of picks is wrong.
func CheckPicks(picks []int, shown, wanted int) error {
	refuse := func(why string, numbers ...any) error { return Invalid("picks", fmt.Sprintf(why, numbers...)) }
	if len(picks) != wanted {
		return refuse("%d picks are expected, got %d", wanted, len(picks))
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
