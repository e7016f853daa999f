package setup

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/web/page"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// The fields of the form, with their JSON names.
const (
	nameField     = "name"
	promptField   = "prompt"
	kField        = "k"
	picksField    = "picks"
	eachField     = "each"
	plainField    = "plain_cards"
	judgesField   = "judges"
	peopleField   = "least_people"
	daysField     = "least_days"
	deltaField    = "delta"
	assumeField   = "assume"
	epsilonField  = "epsilon"
	budgetField   = "budget"
	deadlineField = "deadline"
	outsideField  = "outside"
	tiesField     = "ties"
	worstField    = "best_worst"
	topField      = "top"
	fakesField    = "fakes"
	audienceField = "audience"
	retainField   = "retention_days"
)

// The form fields of arms.
const (
	cataloguePart = "catalogue" // a file
	idsPart       = "ids"       // the IDs of a .npy, another file
	tablePart     = "table"     // pasted text
	picturesPart  = "pictures"  // files
	pictureNames  = "pictured"  // in place of the files
	sheetPart     = "sheet"     // the name of a sheet of an .xlsx
	headingField  = "heading"   // its row of headings, or that the first line of a list is one
	listField     = "list"      // the form asks whether the first line is a heading
)

// settingFields returns the fields of settings in the order of the page.
func settingFields() []string {
	return []string{
		kField, picksField, eachField, plainField, deltaField, assumeField, epsilonField, budgetField, deadlineField, outsideField,
		tiesField,
		worstField, topField, judgesField, peopleField, daysField, fakesField, "reading_seconds", "per_network", "straight_lining",
		audienceField, retainField,
	}
}

// A studyForm has the fields of a study as the owner typed them.
type studyForm struct {
	Fields    map[string]string // texts, in which settings are as [study.Settings.Text] returns them
	Suggested map[string]string // what the page has suggested for some fields; nil for an existing study
	Problems  map[string]string // messages by field

	page study.Presentation // of an existing study, for the preview
	now  time.Time          // when the form was sent
}

// newForm returns the initial form of a new study.
func newForm() studyForm {
	var s study.Settings
	s.PerRespondent, s.LeastPeople, s.Rules = 10, study.DefaultLeastPeople, checks.UsualRules()
	s.Strategy = racing.Settings{K: 3, Delta: 0.05, Epsilon: 0.2, Assume: strategy.Majority, Fakes: racing.DefaultFakes}
	s.Picks = s.Strategy.DefaultPicks()
	f := formOf(study.Study{Settings: s.WithDefaults()})
	f.Suggested = map[string]string{}
	for _, field := range []string{assumeField, picksField, eachField} { // they follow the options until the owner changes them
		f.Suggested[field] = f.Fields[field]
	}
	return f
}

// suggestedPrefix precedes the name of a field in the name of its last suggestion.
const suggestedPrefix = "suggested:"

// formOf returns the form of an existing study.
func formOf(s study.Study) studyForm {
	s.Settings.Strategy.Assume = assumption(s.Settings.Strategy)
	f := studyForm{Fields: map[string]string{nameField: s.Name, promptField: s.Prompt}, page: s.Page}
	for _, field := range settingFields() {
		f.Fields[field] = s.Settings.Text(field)
	}
	return f
}

// typedForm reads the submitted form. Fields that cannot change are not submitted, and keep their
// values.
func typedForm(r *http.Request, f studyForm, now time.Time) studyForm {
	f.now, f.Problems = now, map[string]string{}
	for field := range f.Fields {
		if _, is := r.PostForm[field]; is {
			f.Fields[field] = page.Typed(r, field)
		}
	}
	for field := range f.Suggested {
		if texts := r.PostForm[suggestedPrefix+field]; len(texts) > 0 {
			f.Suggested[field] = texts[0]
		}
	}
	return f
}

// Text returns the text of a field.
func (f *studyForm) Text(field string) string { return f.Fields[field] }

// Partial reports whether an answer does not order all options of a question, so that a verdict by majority is
// about the questions as they were asked.
func (f *studyForm) Partial() bool {
	k, _ := strconv.Atoi(f.Fields[kField])
	picks, _ := strconv.Atoi(f.Fields[picksField])
	if f.Fields[worstField] == page.Yes {
		picks = 2
	}
	return f.Fields[assumeField] == string(strategy.Majority) && k >= 3 && picks < k-1
}

// Wrong reports whether a field has a problem.
func (f *studyForm) Wrong(field string) bool { return f.Problems[field] != "" }

// AnyWrong reports whether one of some fields has a problem.
func (f *studyForm) AnyWrong(fields ...string) bool { return slices.ContainsFunc(fields, f.Wrong) }

// Checked returns the fields whose problems follow the input.
func (*studyForm) Checked() []string {
	return append(settingFields(), cataloguePart, idsPart, tablePart)
}

// A fieldProblem is the problem of a field. Text is empty if there is none.
type fieldProblem struct{ Field, Text string }

// At returns the problem of a field.
func (f *studyForm) At(field string) fieldProblem { return fieldProblem{field, f.Problems[field]} }

// settings returns the settings of the form for a study with some arms, if they are known. It records problems, and
// leaves invalid settings unchanged.
func (f *studyForm) settings(w statement.Words, before study.Settings, b basis) study.Settings {
	f.fixPicks()
	if f.Fields[judgesField] == page.Yes {
		f.Fields[fakesField] = "0"
	}
	texts := maps.Clone(f.Fields)
	delete(texts, nameField)
	delete(texts, promptField)
	s, problems := owner.ReadSettings(before, texts, b.arms, f.now)
	f.report(w, problems)
	if f.Wrong(kField) {
		delete(f.Problems, picksField) // which depends on it
	}
	assume := s.Strategy.Assume
	s.Strategy.Assume = before.Strategy.Assume
	if assume == strategy.Majority && !b.Possible {
		f.problem(w, assumeField, b.Why, "most", b.Most())
	} else if !f.Wrong(assumeField) {
		others := s.Strategy.Offer != before.Strategy.Offer || s.Strategy.Top != before.Strategy.Top
		b.rest(&s, assume, others)
	}
	return s
}

// checkTexts records the problems of name and prompt.
func (f *studyForm) checkTexts(w statement.Words) {
	f.report(w, owner.CheckText(nameField, f.Fields[nameField], 1, study.MaxName))
	f.report(w, owner.CheckText(promptField, f.Fields[promptField], 0, study.MaxPrompt))
}

// report records problems at their fields, or else at the arms.
func (f *studyForm) report(w statement.Words, problems study.FieldErrors) {
	for _, p := range problems {
		field := strings.TrimPrefix(p.Field, study.SettingsField)
		if _, is := f.Fields[field]; !is {
			field = cataloguePart
		}
		switch p.Kind {
		case study.Missing:
			f.problem(w, field, "problem.name")
		case study.TooLong:
			f.problem(w, field, "problem.long", "most", p.Limit.Max)
		case study.NotText:
			f.problem(w, field, "problem.text")
		case study.Past:
			f.problem(w, field, "problem.past")
		case study.Unreadable, study.OutOfRange:
			f.unreadable(w, field, p.Limit)
		case study.Excluded:
			if f.Problems[field] = p.Message; p.Of != "" {
				f.problem(w, field, "problem.excluded", "of", featureName(w, p.Of), "with", featureName(w, p.With))
			}
		}
	}
}

// featureName returns the name of a feature that excludes others.
func featureName(w statement.Words, f racing.Feature) string {
	return w.Must("feature." + strings.ReplaceAll(string(f), " ", "-"))
}

// unreadable records the problem of a setting whose text has the wrong form, or is beyond a limit.
func (f *studyForm) unreadable(w statement.Words, field string, limit study.Limit) {
	switch field {
	case kField, picksField, eachField, budgetField, peopleField, daysField, fakesField, retainField:
		if limit.Field == "" {
			all := study.Limits()
			limit = all[slices.IndexFunc(all, func(l study.Limit) bool { return l.Field == field })]
		}
		least := max(1, limit.Min)
		if field == fakesField {
			least = 0
		}
		f.problem(w, field, "problem.whole", "least", least, "most", w.Number(limit.Max, 0))
	case deadlineField:
		f.problem(w, field, "problem.time")
	default:
		f.problem(w, field, wrongChoice)
	}
	if field == topField && limit.Field != "" {
		f.problem(w, field, "problem.top", "most", w.Number(limit.Max, 0))
	}
}

// wrongChoice is the message key of a value that is none of the choices.
const wrongChoice = "problem.choose"

// problem records the problem of a field.
func (f *studyForm) problem(w statement.Words, field, message string, pairs ...any) {
	f.Problems[field] = w.Must(message, pairs...)
}

// refused records why a study was refused.
func (f *studyForm) refused(w statement.Words, err error) {
	problems, is := errors.AsType[study.FieldErrors](err)
	if !is {
		wrong := study.Coded(err)
		problems = study.FieldErrors{{Field: wrong.Field, Kind: study.Excluded, Message: wrong.Message}}
	}
	f.report(w, problems)
}

// A basis says what the verdict of a study of some arms can rest on.
type basis struct {
	Possible bool   // the verdict may rest on majority
	Why      string // the message key of why it should not, or cannot
	arms     *choice.Catalogue
}

// basisOf returns the basis of a study of which only the model and the prior of its strategy matter. Without arms it may
// rest on majority.
func basisOf(arms *archive.Catalogue, s racing.Settings) basis {
	if arms == nil {
		return basis{Possible: true}
	}
	given := racing.Settings{Model: s.Model, LinearOnly: racing.LinearOnly{Prior: s.Prior}}
	why := racing.AgainstMajority(given, arms.Arms)
	b := basis{Possible: why == "" || why == racing.ManyMajority, arms: arms.Arms}
	switch why { //nolint:exhaustive // others are parts of the model
	case "":
	case racing.Product:
		b.Why = "rests.product"
	case racing.ManyPairs, racing.ManyArms:
		b.Why = "rests.limit"
	case racing.PriorGiven:
		b.Why = "rests.prior"
	case racing.ManyMajority:
		b.Why = "rests.many"
	default:
		b.Why = "rests.model"
	}
	return b
}

// suggested returns what the verdict rests on unless the owner chooses otherwise.
func (b basis) suggested() strategy.Assumption {
	if b.Why != "" {
		return strategy.Linear
	}
	return strategy.Majority
}

// Most returns the largest number of options with which majority is suggested.
func (basis) Most() int { return racing.MaxMajority }

// rest sets what the verdict rests on. Settings that belong to that get their defaults only if it changes. If other
// settings have changed, they keep their values unless these rule them out.
func (b basis) rest(s *study.Settings, assume strategy.Assumption, others bool) {
	before := s.Strategy
	if assume == assumption(before) && !others {
		return
	}
	if b.arms == nil {
		s.Strategy.Assume, s.Strategy.Fallback, s.Strategy.Verify = assume, 0, 0
		if !s.Strategy.CountsPeople() {
			s.Strategy.Fakes = 0
		}
		return
	}
	wanted := owner.Guarantee{Assume: assume, Epsilon: &s.Strategy.Epsilon, Fakes: &s.Strategy.Fakes}
	if assume == strategy.Linear {
		wanted.Fakes = nil // with a fallback only
	}
	*s = wanted.Apply(*s, b.arms)
	if assume != assumption(before) {
		return
	}
	if s.Strategy.Fallback > 0 { // not ruled out
		s.Strategy.Fallback = before.Fallback
	}
	if s.Strategy.Verify > 0 {
		s.Strategy.Verify = before.Verify
	}
	if s.Strategy.Fakes = 0; s.Strategy.CountsPeople() {
		s.Strategy.Fakes = before.Fakes
	}
}

// assumption returns what the verdict rests on by the settings.
func assumption(s racing.Settings) strategy.Assumption { return cmp.Or(s.Assume, strategy.Linear) }

// suggest fills in what the verdict rests on and how many options an answer ranks, unless the owner has changed that.
func (f *studyForm) suggest(b basis) {
	f.fillIn(assumeField, string(b.suggested()))
	f.fillIn(picksField, defaultPicks(f.Fields[assumeField], f.Fields[kField]))
}

// fillIn sets a field to a suggestion, unless the owner has changed the last one.
func (f *studyForm) fillIn(field, suggestion string) {
	if last, is := f.Suggested[field]; is && suggestion != "" {
		if f.Fields[field] == last {
			f.Fields[field] = suggestion
		}
		f.Suggested[field] = suggestion
	}
}

// defaultPicks returns how many of k options an answer ranks by default, "" if k cannot be read.
func defaultPicks(assume, k string) string {
	shown, err := strconv.Atoi(k)
	if err != nil {
		return ""
	}
	return strconv.Itoa(racing.Settings{K: shown, Assume: strategy.Assumption(assume)}.DefaultPicks())
}

// fixPicks sets the number of options to rank where only one number is possible: of two, and where the worst is asked for.
func (f *studyForm) fixPicks() {
	if _, is := f.Fields[picksField]; is && (f.Fields[kField] == "2" || f.Fields[worstField] == page.Yes) {
		f.Fields[picksField] = "1"
	}
}

// A fieldChoice is one of the choices of a field.
type fieldChoice struct {
	Value    string
	Odds     int // n of "n of 100 people"
	Selected bool
}

// choices returns the usual values of a field as choices, preceded by the current value if it is not one of them.
func (f *studyForm) choices(field string, odds func(value float64) int, usual ...string) (list []fieldChoice) {
	if !slices.Contains(usual, f.Fields[field]) {
		usual = slices.Insert(usual, 0, f.Fields[field])
	}
	for _, value := range usual {
		c := fieldChoice{Value: value, Selected: value == f.Fields[field]}
		if x, err := strconv.ParseFloat(value, 64); err == nil && odds != nil {
			c.Odds = odds(x)
		}
		list = append(list, c)
	}
	return list
}

// Deltas returns the choices of δ, the probability of a wrong verdict.
func (f *studyForm) Deltas() []fieldChoice {
	return f.choices(deltaField, nil, "0.1", "0.05", "0.01", "0.001")
}

// Epsilons returns the choices of ε, with how many of 100 people would choose another arm over one that is within ε of
// the best.
func (f *studyForm) Epsilons() []fieldChoice {
	return f.choices(epsilonField, statement.People, "0", "0.2", "0.4", "0.84")
}

// Audiences returns the choices of who may answer.
func (f *studyForm) Audiences() []fieldChoice {
	return f.choices(audienceField, nil, "link", "personal", "signed", "ids")
}

// Tops returns the choices of the number of best arms to certify.
func (f *studyForm) Tops() []fieldChoice {
	return f.choices(topField, nil, "1", "2", "3", "5", "10", strconv.Itoa(racing.TopAll))
}

// An offered is a field of what respondents may answer.
type offered struct {
	Field string
	On    bool
}

// Offers returns the fields of what respondents may answer besides the best arm.
func (f *studyForm) Offers() (fields []offered) {
	for _, field := range []string{outsideField, tiesField, worstField} {
		fields = append(fields, offered{field, f.Fields[field] == page.Yes})
	}
	return fields
}
