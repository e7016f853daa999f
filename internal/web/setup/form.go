package setup

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// wrongChoice is the message key of a value that is none of the choices.
const wrongChoice = "problem.choose"

// maxShown is the maximum number of options per question in the form. The limit of studies is study.MaxShown.
const maxShown = 20

// A formLimits has the largest values that fields accept.
type formLimits struct{ Name, Prompt, K, Picks, Each, Budget int }

// Limits returns the limits of the form. A study that was set up with larger questions may keep them.
func (v formView) Limits() formLimits {
	k := maxShown
	if v.Study != nil {
		k = max(k, v.Study.Settings.Strategy.K)
	}
	return formLimits{study.MaxName, study.MaxPrompt, k, k - 1, study.MaxEach, study.MaxBudget}
}

// A studyForm has the fields of a study as the owner typed them.
type studyForm struct {
	Name, Prompt   string
	K, Picks, Each string
	Budget         string // answers; empty for no limit
	Deadline       string // see [formTime]; empty for none
	Plain          string // yes or no
	Delta, Epsilon string
	Outside, Ties  string            // yes or no: answers besides picks
	Worst          string            // yes or no: also ask for the worst option
	Top            string            // number of best options to certify; see [racing.TopAll]
	Assume         string            // what the verdict rests on
	Suggested      string            // what the page has suggested for that; empty for an existing study
	Problems       map[string]string // messages by field

	page study.Presentation // of an existing study, for the preview
	now  time.Time          // when the form was sent
}

// newForm returns the initial form of a new study.
func newForm() studyForm {
	const suggested = string(strategy.Majority)
	return studyForm{K: "3", Picks: "1", Each: "10", Plain: page.No, Delta: "0.05", Epsilon: "0.2", Outside: page.No, Ties: page.No, Worst: page.No, Top: "1", Assume: suggested, Suggested: suggested}
}

// formOf returns the form of an existing study.
func formOf(s study.Study) studyForm {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	f := studyForm{
		Name: s.Name, Prompt: s.Prompt, K: strconv.Itoa(s.Settings.Strategy.K), Picks: strconv.Itoa(s.Settings.Picks),
		Plain: strconv.FormatBool(s.Settings.Plain), Delta: number(s.Settings.Strategy.Delta),
		Epsilon: number(s.Settings.Strategy.Epsilon), Assume: string(assumption(s.Settings.Strategy)), page: s.Page,
	}
	offer := s.Settings.Strategy.Offer
	f.Outside, f.Ties, f.Worst = strconv.FormatBool(offer.Outside), strconv.FormatBool(offer.Ties), strconv.FormatBool(offer.BestWorst)
	f.Top = strconv.Itoa(cmp.Or(s.Settings.Strategy.Top, 1))
	if s.Settings.Each > 0 {
		f.Each = strconv.Itoa(s.Settings.Each)
	}
	if s.Settings.Budget > 0 {
		f.Budget = strconv.Itoa(s.Settings.Budget)
	}
	if !s.Settings.Deadline.IsZero() {
		f.Deadline = s.Settings.Deadline.Format(formTime)
	}
	return f
}

// typedForm reads the submitted form. Fields that cannot change are not submitted, and keep their
// values.
func typedForm(r *http.Request, f studyForm, now time.Time) studyForm {
	f.now = now
	for _, name := range formFields() {
		if sent, is := r.PostForm[name]; is {
			*f.field(name) = strings.TrimSpace(strings.ReplaceAll(sent[0], "\r\n", "\n"))
		}
	}
	if f.Suggested != "" {
		f.Suggested = r.PostFormValue("suggested")
	}
	f.Problems = map[string]string{}
	return f
}

// The fields of the form, with their JSON names.
const (
	nameField    = "name"
	promptField  = "prompt"
	kField       = "k"
	picksField   = "picks"
	eachField    = "each"
	plainField   = "plain_cards"
	deltaField   = "delta"
	assumeField  = "assume"
	epsilonField = "epsilon"

	budgetField   = "budget"
	deadlineField = "deadline"

	outsideField = "outside"
	tiesField    = "ties"
	worstField   = "best_worst"
	topField     = "top"
)

// formFields returns all fields in the order of the page.
func formFields() []string {
	return []string{nameField, promptField, kField, picksField, eachField, plainField, deltaField, assumeField, epsilonField, budgetField, deadlineField, outsideField, tiesField, worstField, topField}
}

// field returns a pointer to the value of a field, or nil for an unknown field.
func (f *studyForm) field(name string) *string {
	values := []*string{&f.Name, &f.Prompt, &f.K, &f.Picks, &f.Each, &f.Plain, &f.Delta, &f.Assume, &f.Epsilon, &f.Budget, &f.Deadline, &f.Outside, &f.Ties, &f.Worst, &f.Top}
	if at := slices.Index(formFields(), name); at >= 0 {
		return values[at]
	}
	return nil
}

// Wrong reports whether a field has a problem.
func (f *studyForm) Wrong(field string) bool { return f.Problems[field] != "" }

// A fieldProblem is the problem of a field. Text is empty if there is none.
type fieldProblem struct{ Field, Text string }

// At returns the problem of a field.
func (f *studyForm) At(field string) fieldProblem { return fieldProblem{field, f.Problems[field]} }

// settings returns the settings of the form for a study with some arms, if they are known. It records problems, and
// leaves invalid settings unchanged.
func (f *studyForm) settings(w statement.Words, s study.Settings, b basis) study.Settings {
	arms := 0
	if b.arms != nil {
		arms = b.arms.Arms.Len()
	}
	whole := func(field, text string, least, most int, to *int) {
		value, err := strconv.Atoi(text)
		if err != nil || value < least || value > most {
			f.problem(w, field, "problem.whole", "least", least, "most", most)
			return
		}
		*to = value
	}
	number := func(field, text string, least, most float64, to *float64) {
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || !(value >= least && value <= most) {
			f.problem(w, field, wrongChoice)
			return
		}
		*to = value
	}
	whole(kField, f.K, 2, max(2, min(max(maxShown, s.Strategy.K), cmp.Or(arms, maxShown))), &s.Strategy.K)
	if !f.Wrong(kField) {
		whole(picksField, f.Picks, 1, s.Strategy.K-1, &s.Picks)
	}
	if s.Each = 0; f.Each != "" {
		whole(eachField, f.Each, 1, study.MaxEach, &s.Each)
	}
	if s.Budget = 0; f.Budget != "" {
		whole(budgetField, f.Budget, 1, study.MaxBudget, &s.Budget)
	}
	f.deadline(w, &s)
	before := s.Strategy
	offer := &s.Strategy.Offer
	for field, to := range map[string]*bool{plainField: &s.Plain, outsideField: &offer.Outside, tiesField: &offer.Ties, worstField: &offer.BestWorst} {
		if *to = *f.field(field) == page.Yes; !*to && *f.field(field) != page.No {
			f.problem(w, field, wrongChoice)
		}
	}
	if top, err := strconv.Atoi(f.Top); err != nil || top != racing.TopAll && (top < 1 || arms > 0 && top >= arms) {
		f.problem(w, topField, wrongChoice)
	} else if s.Strategy.Top = top; top == 1 {
		s.Strategy.Top = 0 // the default, which is not stored
	}
	number(deltaField, f.Delta, study.MinDelta, study.MaxDelta, &s.Strategy.Delta)
	number(epsilonField, f.Epsilon, 0, study.MaxEpsilon, &s.Strategy.Epsilon)
	switch assume := strategy.Assumption(f.Assume); {
	case assume == "" || assume.Check() != nil:
		f.problem(w, assumeField, wrongChoice)
	case assume == strategy.Majority && !b.Possible:
		f.problem(w, assumeField, b.Why, "most", b.Most())
	default:
		b.rest(&s.Strategy, assume, s.Strategy.Offer != before.Offer || s.Strategy.Top != before.Top)
	}
	return s
}

// formTime is the format of times in forms, in UTC: that of an input of type datetime-local.
const formTime = "2006-01-02T15:04"

// deadline sets the deadline of the form, which keeps its seconds if it is the same.
func (f *studyForm) deadline(w statement.Words, s *study.Settings) {
	if f.Deadline == "" {
		s.Deadline = time.Time{}
		return
	}
	at, err := time.Parse(formTime, f.Deadline)
	switch {
	case err != nil:
		f.problem(w, deadlineField, "problem.time")
	case s.Deadline.Format(formTime) != f.Deadline:
		if s.Deadline = at; s.Overdue(f.now) {
			f.problem(w, deadlineField, "problem.past")
		}
	}
}

// checkTexts records the problems of name and prompt.
func (f *studyForm) checkTexts(w statement.Words) {
	switch {
	case f.Name == "":
		f.problem(w, nameField, "problem.name")
	case utf8.RuneCountInString(f.Name) > study.MaxName:
		f.problem(w, nameField, "problem.long", "most", study.MaxName)
	case !page.IsText(f.Name):
		f.problem(w, nameField, "problem.text")
	}
	switch {
	case utf8.RuneCountInString(f.Prompt) > study.MaxPrompt:
		f.problem(w, promptField, "problem.long", "most", study.MaxPrompt)
	case !page.IsText(f.Prompt):
		f.problem(w, promptField, "problem.text")
	}
}

// problem records the problem of a field.
func (f *studyForm) problem(w statement.Words, field, message string, pairs ...any) {
	f.Problems[field] = w.Must(message, pairs...)
}

// refused records a validation error of a study at its field, or else at the arms.
func (f *studyForm) refused(wrong *study.Error) {
	field := strings.TrimPrefix(wrong.Field, "settings.")
	if f.field(field) == nil {
		field = cataloguePart
	}
	f.Problems[field] = wrong.Message
}

// shown returns the number of arms per question, even if the field is invalid.
func (f *studyForm) shown(arms int) int {
	k, err := strconv.Atoi(f.K)
	if err != nil || k < 2 {
		k = 3
	}
	return min(k, maxShown, cmp.Or(arms, k))
}

// A fieldChoice is one of the choices of a field.
type fieldChoice struct {
	Value    string
	Odds     int // n of "once in n studies", or of "n of 100 people"; 0 if it is not known
	Selected bool
}

// Deltas returns the choices of δ, the probability of a wrong verdict.
func (f *studyForm) Deltas() []fieldChoice {
	return choices(f.Delta, []fieldChoice{{Value: "0.1", Odds: 10}, {Value: "0.05", Odds: 20}, {Value: "0.01", Odds: 100}, {Value: "0.001", Odds: 1000}})
}

// Epsilons returns the choices of ε, with how many of 100 people would choose another arm over one that is within ε of
// the best.
func (f *studyForm) Epsilons() []fieldChoice {
	list := choices(f.Epsilon, []fieldChoice{{Value: "0"}, {Value: "0.2"}, {Value: "0.4"}, {Value: "0.85"}})
	for i := range list {
		if epsilon, err := strconv.ParseFloat(list[i].Value, 64); err == nil {
			list[i].Odds = statement.People(epsilon)
		}
	}
	return list
}

// Tops returns the choices of the number of best arms to certify.
func (f *studyForm) Tops() []fieldChoice {
	return choices(f.Top, []fieldChoice{{Value: "1"}, {Value: "2"}, {Value: "3"}, {Value: "5"}, {Value: "10"}, {Value: strconv.Itoa(racing.TopAll)}})
}

// An offered is a field of what respondents may answer.
type offered struct {
	Field string
	On    bool
}

// Offers returns the fields of what respondents may answer besides the best arm.
func (f *studyForm) Offers() []offered {
	return []offered{{outsideField, f.Outside == page.Yes}, {tiesField, f.Ties == page.Yes}, {worstField, f.Worst == page.Yes}}
}

// Points returns the tolerance of a choice of ε in points.
func (c fieldChoice) Points() int { return c.Odds - statement.Half }

// choices returns the usual choices, preceded by the current value if it is not one of them.
func choices(value string, usual []fieldChoice) []fieldChoice {
	known := false
	for i := range usual {
		usual[i].Selected = usual[i].Value == value
		known = known || usual[i].Selected
	}
	if !known {
		usual = slices.Insert(usual, 0, fieldChoice{Value: value, Selected: true})
	}
	return usual
}
