package owner

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/picture"
	"bestpick/internal/study"
	"bestpick/strategy"
	"bestpick/strategy/prospects"
	"bestpick/strategy/racing"
)

// A File is a file of arms that an owner has sent.
type File struct {
	read.Upload

	Columns    catalogue.Options     // how to read it, where that differs from what is recognised
	Dimensions int                   // to which embeddings are reduced; 0 for the default
	Pictures   []archive.PictureFile // besides those in the file, if it is a ZIP archive
	Preview    bool                  // only check the pictures
	Links      *picture.Links        // checks addresses of pictures; nil for no check
}

// Open reads the arms of a file, and their pictures.
func (f File) Open(ctx context.Context) (*archive.Encoded, []study.Picture, error) {
	table, files, err := archive.Unbundle(f.Upload)
	if err != nil {
		return nil, nil, err
	}
	arms, err := archive.OpenUpload(table, f.Columns, f.Dimensions)
	if err != nil {
		return nil, nil, err
	}
	pictures, err := f.attach(ctx, arms, files)
	return arms, pictures, err
}

// Layout returns where the table is in a workbook, nil if the file is none.
func (f File) Layout() (*read.Layout, error) {
	table, _, err := archive.Unbundle(f.Upload)
	if err != nil {
		return nil, err
	}
	return table.Layout(f.Columns)
}

// OpenMore reads arms that are added to others, and their pictures.
func (f File) OpenMore(ctx context.Context, to *archive.Catalogue) (*archive.Encoded, []study.Picture, error) {
	table, files, err := archive.Unbundle(f.Upload)
	if err != nil {
		return nil, nil, err
	}
	arms, err := to.Add(table, f.Columns)
	if err != nil {
		return nil, nil, err
	}
	pictures, err := f.attach(ctx, arms, files)
	return arms, pictures, err
}

// attach returns the pictures of arms, or checks them.
func (f File) attach(
	ctx context.Context, arms *archive.Encoded, files []archive.PictureFile,
) (pictures []study.Picture, err error) {
	files = append(files, f.Pictures...)
	if f.Preview {
		arms.CheckPictures(files)
	} else if pictures, err = arms.AttachPictures(ctx, files); err != nil {
		return nil, err
	}
	arms.CheckLinks(ctx, f.Links)
	return pictures, nil
}

// A Draft is what an owner wants a new study to be.
type Draft struct {
	Name, Prompt string
	Settings     study.Settings // without the guarantee
	Guarantee    Guarantee
	Arms         *archive.Encoded // nil if they are not known yet
	Pictures     []study.Picture
	Cards        study.CardContent // what respondents see of an option; defaults to everything
}

// Study returns the settings of the study, and the problems of the draft by field.
func (d Draft) Study(now time.Time) (study.Settings, study.FieldErrors) {
	problems := slices.Concat(CheckText("name", d.Name, 1, study.MaxName), CheckText("prompt", d.Prompt, 0, study.MaxPrompt))
	settings := d.Settings
	if d.Arms == nil {
		settings = settings.WithDefaults()
		problems = append(problems, study.FieldError{Field: "catalogue", Kind: study.Missing, Message: "the study needs arms"})
		problems = append(problems, settings.Check(nil, 0, false)...)
	} else {
		settings = d.Guarantee.Apply(settings, d.Arms.Arms)
		problems = append(problems, settings.Check(d.Arms.Arms, 0, d.Arms.Contexts != nil)...)
	}
	if settings.Overdue(now) {
		problems = append(problems, study.FieldError{Field: deadlineField, Kind: study.Past, Message: pastDeadline})
	}
	return settings, problems
}

// CheckText returns the problem of a text of a study.
func CheckText(field, text string, least, most int) study.FieldErrors {
	limit := study.Limit{Field: field, Min: float64(least), Max: float64(most)}
	switch length := utf8.RuneCountInString(text); {
	case length < least:
		return study.FieldErrors{{Field: field, Kind: study.Missing, Message: "a " + field + " is required"}}
	case length > most:
		message := fmt.Sprintf("the %s must have at most %d characters, got %d", field, most, length)
		return study.FieldErrors{{Field: field, Kind: study.TooLong, Message: message, Limit: limit}}
	case !study.IsText(text):
		return study.FieldErrors{
			{Field: field, Kind: study.NotText, Message: "the " + field + " must be UTF-8 text without zero bytes"},
		}
	}
	return nil
}

// ReadSettings returns settings changed by the texts of a form, by their names in JSON, and the problems
// by field. A setting whose text has a problem stays the same. arms are nil if they are not known yet.
func ReadSettings(
	s study.Settings, texts map[string]string, arms *choice.Catalogue, now time.Time,
) (study.Settings, study.FieldErrors) {
	var problems study.FieldErrors
	before := s
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if !s.Set(name, texts[name]) {
			problems = append(
				problems, study.FieldError{Field: study.SettingsField + name, Kind: study.Unreadable, Message: name + " cannot be read"},
			)
		}
	}
	for _, p := range s.Check(arms, 0, true) {
		if p.Kind == study.OutOfRange {
			problems = append(problems, p)
			s.Set(p.Limit.Field, before.Text(p.Limit.Field))
		}
	}
	if !s.Deadline.Equal(before.Deadline) && s.Overdue(now) {
		problems = append(problems, study.FieldError{Field: deadlineField, Kind: study.Past, Message: pastDeadline})
	}
	return s, problems
}

// Notes returns how a file was understood, and the warnings about its arms, for a study with some settings.
func Notes(arms *archive.Encoded, s study.Settings) []encode.Warning {
	expected := sync.OnceValue(func() prospects.Expectation {
		return prospects.New(arms.Arms).Expect(prospects.Questionnaire{Settings: s.Strategy, Picks: s.Picks, Each: s.PerRespondent})
	})
	answers := func(features int) float64 { return expected().WithFeatures(features).Median }
	return slices.Concat(arms.Notes(answers, false), arms.Warnings)
}

// A Guarantee is what an owner wants certified, and on which assumption, see [racing.Guarantee].
type Guarantee racing.Guarantee

// Apply returns the settings of a new study with the guarantee. An answer ranks all arms but the last by default
// where the verdict is about the majority.
func (g Guarantee) Apply(s study.Settings, arms *choice.Catalogue) study.Settings {
	if s.Judges && g.Fakes == nil {
		g.Fakes = new(0)
	}
	s.Strategy = racing.Guarantee(g).Apply(s.Strategy, arms)
	if s.Picks == 0 {
		s.Picks = s.Strategy.DefaultPicks()
	}
	return s.WithDefaults()
}

// Keep returns the settings of an existing study with the guarantee: empty and nil fields keep their values.
func (g Guarantee) Keep(s, current racing.Settings) racing.Settings {
	s.Assume = g.Assume
	if g.Assume == "" || g.Assume == cmp.Or(current.Assume, strategy.Linear) {
		s.Assume = current.Assume
	}
	s.Epsilon, s.Verify = given(g.Epsilon, current.Epsilon), given(g.Verify, current.Verify)
	s.Fallback, s.Fakes = given(g.Fallback, current.Fallback), given(g.Fakes, current.Fakes)
	return s
}

// withGoal returns the settings of the strategy of a study that is opened: with a budget, questions aim at what it can certify.
func withGoal(s study.Settings) racing.Settings {
	settings := s.Strategy
	if s.Budget > 0 && settings.Assume != strategy.Majority && settings.Top == 0 {
		settings.Budget = s.Budget
	}
	return settings
}

// given returns a value, or a default if there is none.
func given[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}
