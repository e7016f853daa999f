package study

// recentMost is how many respondents a desk remembers at least.
const recentMost = 10_000

// A recent remembers what respondents were shown last, of those who came lately: in two
// generations, of which the older goes when the younger is full.
type recent struct{ young, old map[string]string }

// shown returns the arms that a respondent was shown last, if it is remembered.
func (r *recent) shown(respondent string) (arms string) {
	arms, young := r.young[respondent]
	if !young {
		arms = r.old[respondent]
	}
	return arms
}

// forget forgets a respondent.
func (r *recent) forget(respondent string) {
	delete(r.young, respondent)
	delete(r.old, respondent)
}

// note remembers what a respondent is shown.
func (r *recent) note(respondent, arms string) {
	if r.young == nil || len(r.young) >= recentMost {
		r.young, r.old = map[string]string{}, r.young
	}
	r.young[respondent] = arms
}
