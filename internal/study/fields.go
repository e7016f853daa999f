package study

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/majority"
	"bestpick/strategy/racing"
)

// field returns a pointer to the setting with a name in JSON, or nil if there is none. Durations are in seconds in JSON.
func (s *Settings) field(name string) any {
	r := &s.Strategy
	return map[string]any{
		"k": &r.K, "picks": &s.Picks, "outside": &r.Offer.Outside, "ties": &r.Offer.Ties,
		"best_worst": &r.Offer.BestWorst, "delta": &r.Delta, "assume": &r.Assume, "epsilon": &r.Epsilon,
		"verify": &r.Verify, "fallback": &r.Fallback, "top": &r.Top, "fakes": &r.Fakes, "weighted": &r.Weighted,
		"budget": &s.Budget, "deadline": &s.Deadline, "each": &s.PerRespondent, "judges": &s.Judges,
		"least_people": &s.LeastPeople, "least_days": &s.LeastDays, "reading_seconds": &s.Rules.Reading,
		"per_network": &s.Rules.Network, "straight_lining": &s.Rules.Straight, "audience": &s.Audience,
		"notes": &s.Notes, "retention_days": &s.Retention, "plain_cards": &s.HideAttributes,
		"lease_seconds": &s.Lease, "grace_seconds": &s.Grace, "seed": &r.Seed,
	}[name]
}

// FormTime is the format of times in texts, in UTC: that of an HTML input of type datetime-local.
const FormTime = "2006-01-02T15:04"

// Text returns the setting with a name in JSON as a form has it: numbers in decimal notation, true or
// false, times as [FormTime]. A limit or deadline that is not set is empty.
func (s Settings) Text(name string) string {
	switch at := s.field(name).(type) {
	case *int:
		switch {
		case name == "top" && *at == 0:
			return "1"
		case isOptional(name) && *at == 0:
			return ""
		}
		return strconv.Itoa(*at)
	case *float64:
		return strconv.FormatFloat(*at, 'g', -1, 64)
	case *bool:
		return strconv.FormatBool(*at)
	case *strategy.Assumption:
		return string(*at)
	case *Audience:
		return at.String()
	case *time.Time:
		if at.IsZero() {
			return ""
		}
		return at.Format(FormTime)
	}
	return ""
}

// isOptional reports whether a whole number may be left out.
func isOptional(name string) bool {
	switch name {
	case "budget", "each", "least_people", "least_days", "per_network", "retention_days":
		return true
	}
	return false
}

// Set sets the setting with a name in JSON to a text as [Settings.Text] returns it. It returns false, and changes nothing, if the
// text has another form. It does not check limits. A deadline keeps its seconds if the text is the same.
func (s *Settings) Set(name, text string) bool {
	var err error
	switch at := s.field(name).(type) {
	case *int:
		number := 0
		if text != "" || !isOptional(name) {
			number, err = strconv.Atoi(text)
		}
		if err != nil || text == "0" && (isOptional(name) || name == "top") {
			return false
		}
		if *at = number; name == "top" && number == 1 {
			*at = 0 // the default, which is not stored
		}
	case *float64:
		number, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return false
		}
		*at = number
	case *bool:
		if text != "true" && text != "false" {
			return false
		}
		*at = text == "true"
	case *strategy.Assumption:
		if text == "" || strategy.Assumption(text).Check() != nil {
			return false
		}
		*at = strategy.Assumption(text)
	case *Audience:
		audience, ok := ParseAudience(text)
		if !ok {
			return false
		}
		*at = audience
	case *time.Time:
		return text == s.Text(name) || setTime(at, text)
	default:
		return false
	}
	return true
}

// setTime sets a time to a text as [FormTime], or to none if the text is empty.
func setTime(at *time.Time, text string) bool {
	if text == "" {
		*at = time.Time{}
		return true
	}
	when, err := time.Parse(FormTime, text)
	if err == nil {
		*at = when
	}
	return err == nil
}

// number returns the setting with a name in JSON as the number in JSON.
func (s Settings) number(name string) float64 {
	switch at := s.field(name).(type) {
	case *int:
		return float64(*at)
	case *float64:
		return *at
	case *uint64:
		return float64(*at)
	case *time.Duration:
		return at.Seconds()
	}
	panic("study: " + name + " is no number")
}

// A Limit is the range of a setting.
type Limit struct {
	Field    string  // as in JSON
	Min, Max float64 // as in JSON
	Open     bool    // Max itself is not allowed
	Why      string  // other settings or the arms narrow the range; empty if they do not
}

// Limits returns the ranges of all settings, whatever the others are. The tags in package wire repeat them.
func Limits() []Limit {
	return []Limit{
		{Field: "k", Min: 2, Max: MaxShown},
		{Field: "picks", Min: 1, Max: MaxPicks},
		{Field: "delta", Min: MinDelta, Max: MaxDelta},
		{Field: "epsilon", Min: 0, Max: MaxEpsilon},
		{Field: "verify", Min: 0, Max: MaxVerify},
		{Field: "fallback", Min: 0, Max: 1, Open: true},
		{Field: "top", Min: racing.TopAll, Max: MaxTop},
		{Field: "fakes", Min: 0, Max: majority.MaxFakes},
		{Field: "budget", Min: 0, Max: MaxBudget},
		{Field: "each", Min: 0, Max: MaxEach},
		{Field: "least_people", Min: 0, Max: MaxPeople},
		{Field: "least_days", Min: 0, Max: MaxDays},
		{Field: "reading_seconds", Min: 0, Max: MaxReading},
		{Field: "per_network", Min: 0, Max: MaxPeople},
		{Field: "retention_days", Min: 0, Max: MaxRetained},
		{Field: "lease_seconds", Min: MinLease.Seconds(), Max: MaxLease.Seconds()},
		{Field: "grace_seconds", Min: NoGrace, Max: MaxGrace.Seconds()},
		{Field: "seed", Min: 0, Max: MaxSeed},
	}
}

// limits returns the ranges of all settings, narrowed by the others and by the arms. Without arms, only by the others.
func (s Settings) limits(arms *choice.Catalogue, withdrawn int) []Limit {
	all := Limits()
	narrow := func(field string, least, most int, why string) {
		l := &all[slices.IndexFunc(all, func(l Limit) bool { return l.Field == field })]
		if float64(least) > l.Min || float64(most) < l.Max {
			l.Min, l.Max, l.Why = max(l.Min, float64(least)), min(l.Max, float64(most)), why
		}
	}
	if s.Strategy.Offer.BestWorst {
		narrow("k", choice.MinBestWorst, MaxShown, "a question has a best, a worst and another arm")
	}
	if s.Strategy.Offer.Ties {
		narrow("k", 2, choice.MaxTied, "more arms are seldom equally good")
	}
	if arms != nil {
		narrow("k", 2, arms.Len()-withdrawn, fmt.Sprintf("the study has %d arms", arms.Len()-withdrawn))
		narrow("top", racing.TopAll, arms.Len()-1, "fewer than all arms")
		if s.Strategy.Assume == strategy.Majority && s.Strategy.Top > 1 {
			narrow("top", racing.TopAll, arms.Len()-withdrawn-s.Strategy.K+1, "the last of them is sought among the arms of a question")
		}
	}
	narrow("picks", 1, s.Strategy.K-1, "fewer than the arms in a question")
	return all
}

// String returns the range of a limit in words.
func (l Limit) String() string {
	text := inWords(l.Min) + " to " + inWords(l.Max)
	if l.Open {
		text = "at least " + inWords(l.Min) + " and less than " + inWords(l.Max)
	}
	if l.Why != "" {
		text += " (" + l.Why + ")"
	}
	return text
}

// inWords returns a number without an exponent, unless it is very small.
func inWords(x float64) string {
	if x > 0 && x < 1e-4 {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// Check returns an error unless every store can keep the outcome: its kind is one of the six, its position fits the kind, its
// texts are UTF-8 without zero bytes and at most 1000 bytes long, its note is valid, and its years are 1 to 9999.
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

// CheckAnswer returns an error unless the picks answer a question of a study that shows a number of arms.
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
