package strategy

import "fmt"

// An Assumption is what a certificate rests on. The zero value is [Linear].
type Assumption string

const (
	// Linear assumes one softmax, the same for all respondents, with utilities linear in the
	// features. The certified arm has the largest utility, within ε.
	Linear Assumption = "linear"

	// Majority assumes only that respondents are drawn independently, and that their questions do not
	// depend on their own answers. No other arm is chosen over the certified one by more than half
	// of the people, within ε.
	Majority Assumption = "majority"
)

// Check returns an error unless the assumption is known.
func (a Assumption) Check() error {
	switch a {
	case "", Linear, Majority:
		return nil
	}
	return fmt.Errorf("strategy: the assumption must be %s or %s, got %q", Linear, Majority, string(a))
}
