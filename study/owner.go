package study

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bestpick/catalogue"
	"bestpick/strategy"
)

// ErrStarted is for changes that only a draft allows.
var ErrStarted = errors.New("study: it was opened, and this cannot change any more")

// Any stands for whichever version a study has.
const Any = 0

// Create adds a study, as a draft. Without a seed it gets a random one, so that nobody can foresee its
// questions.
func (s *Service) Create(ctx context.Context, name, prompt string, settings Settings, arms *catalogue.Saved) (Study, error) {
	now := s.clock()
	study := Study{
		ID: strings.ToLower(rand.Text()), Name: name, Prompt: prompt, Settings: settings.WithDefaults(), Arms: arms.Arms.Len(),
		State: Draft, Version: 1, Created: now, Changed: now,
	}
	if study.Settings.Strategy.Seed == 0 {
		study.Settings.Strategy.Seed = randomSeed()
	}
	if err := study.check(arms); err != nil {
		return Study{}, err
	}
	saved, err := written(arms)
	if err != nil {
		return Study{}, err
	}
	return study, s.store.Create(ctx, study, saved)
}

// randomSeed is of 53 bits, which all programs that read JSON can take.
func randomSeed() uint64 {
	var bits [8]byte
	_, _ = rand.Read(bits[:]) // never fails
	return binary.LittleEndian.Uint64(bits[:])>>11 + 1
}

func written(arms *catalogue.Saved) ([]byte, error) {
	var saved bytes.Buffer
	err := catalogue.Save(&saved, arms)
	return saved.Bytes(), err
}

// Study returns a study.
func (s *Service) Study(ctx context.Context, id string) (Study, error) { return s.store.Study(ctx, id) }

// List returns up to limit studies, newest first, that were created before the one with the given
// id, or from the newest on.
func (s *Service) List(ctx context.Context, before string, limit int) ([]Study, error) {
	return s.store.List(ctx, before, limit)
}

// Delete removes a study and all its answers.
func (s *Service) Delete(ctx context.Context, id string, version int) error {
	if version != Any {
		if study, err := s.store.Study(ctx, id); err != nil || study.Version != version {
			return errors.Join(err, ErrChanged)
		}
	}
	if err := s.store.Delete(ctx, id); err != nil {
		return err
	}
	s.rang(id)
	return nil
}

// rang tells planners and people that a study has changed.
func (s *Service) rang(id string) {
	s.work.ring(id)
	s.work.ring(anything)
	s.news.ring(id)
}

// errSame is for edits that change nothing.
var errSame = errors.New("study: it is like that already")

// change replaces a study by what edit makes of it, if it has the given version. edit may return
// another catalogue.
func (s *Service) change(ctx context.Context, id string, version int, edit func(*Study) (arms *catalogue.Saved, err error)) (Study, error) {
	for {
		study, err := s.store.Study(ctx, id)
		if err != nil {
			return Study{}, err
		}
		if version != Any && study.Version != version {
			return study, ErrChanged
		}
		before := study.Version
		arms, err := edit(&study)
		if errors.Is(err, errSame) {
			return study, nil
		}
		if err != nil {
			return Study{}, err
		}
		var saved []byte
		if arms != nil {
			if saved, err = written(arms); err != nil {
				return Study{}, err
			}
		}
		study.Changed = s.clock()
		changed, err := s.store.Change(ctx, study, before, saved)
		if errors.Is(err, ErrChanged) && version == Any {
			continue
		}
		if err == nil {
			s.rang(id)
		}
		return changed, err
	}
}

// Change lets the owner edit name, prompt and settings. How the strategy works is fixed when the
// study is opened; nothing but the texts changes when it is done.
func (s *Service) Change(ctx context.Context, id string, version int, edit func(*Study) error) (Study, error) {
	return s.change(ctx, id, version, func(study *Study) (*catalogue.Saved, error) {
		before := *study
		if err := edit(study); err != nil {
			return nil, err
		}
		edited := *study
		*study = before
		study.Name, study.Prompt, study.Settings = edited.Name, edited.Prompt, edited.Settings.WithDefaults()
		if err := study.mayBecome(before); err != nil {
			return nil, err
		}
		arms, err := s.Arms(ctx, *study)
		if err != nil {
			return nil, err
		}
		return nil, study.check(arms)
	})
}

// mayBecome returns an error if something changed that must not.
func (s Study) mayBecome(before Study) error {
	is, was := s.Settings, before.Settings
	if before.State != Draft && (is.Picks != was.Picks || fmt.Sprintf("%+v", is.Strategy) != fmt.Sprintf("%+v", was.Strategy)) {
		return ErrStarted
	}
	if before.State == Done && (is.Budget != was.Budget || is.Each != was.Each || is.Lease != was.Lease || is.Grace != was.Grace) {
		return ErrNotOpen
	}
	return nil
}

// Catalogue returns the arms of a study.
func (s *Service) Catalogue(ctx context.Context, id string) (*catalogue.Saved, error) {
	saved, err := s.store.Catalogue(ctx, id)
	if err != nil {
		return nil, err
	}
	return catalogue.Load(bytes.NewReader(saved), int64(len(saved)), "the catalogue of the study")
}

// Move takes a study to another state: open, paused, or done, which is then stopped by its owner.
// Where it is there already, nothing happens.
func (s *Service) Move(ctx context.Context, id string, version int, to State) (Study, error) {
	return s.change(ctx, id, version, func(study *Study) (*catalogue.Saved, error) {
		if study.State == to {
			return nil, errSame
		}
		if err := study.State.Next(to); err != nil {
			return nil, err
		}
		if study.State = to; to == Done {
			study.Reason = Stopped
		}
		return nil, nil
	})
}

// SetArms replaces the catalogue of a draft, as long as it has no answers.
func (s *Service) SetArms(ctx context.Context, id string, version int, arms *catalogue.Saved) (Study, error) {
	return s.change(ctx, id, version, func(study *Study) (*catalogue.Saved, error) {
		answers, err := s.store.Log(ctx, id, 0, 1)
		if err != nil {
			return nil, err
		}
		if study.State != Draft || len(answers) > 0 {
			return nil, ErrStarted
		}
		study.Arms, study.Withdrawn = arms.Arms.Len(), nil
		return arms, study.check(arms)
	})
}

// AddArms adds arms to a study that is not done. add gets the catalogue and returns it with more
// arms at its end.
func (s *Service) AddArms(ctx context.Context, id string, version int, add func(*catalogue.Saved) (*catalogue.Saved, error)) (Study, error) {
	return s.change(ctx, id, version, func(study *Study) (*catalogue.Saved, error) {
		if err := study.armsMayChange(); err != nil {
			return nil, err
		}
		arms, err := s.Arms(ctx, *study)
		if err != nil {
			return nil, err
		}
		if arms.Arms.Product() != nil {
			return nil, &FieldError{"arms", "the profiles of a product cannot come or go"}
		}
		if arms, err = add(arms); err != nil {
			return nil, err
		}
		study.Arms = arms.Arms.Len()
		return arms, study.check(arms)
	})
}

// Withdraw takes an arm out of a study that is not done. It is not asked about any more and cannot
// win.
func (s *Service) Withdraw(ctx context.Context, id string, version int, arm string) (Study, error) {
	return s.change(ctx, id, version, func(study *Study) (*catalogue.Saved, error) {
		if err := study.armsMayChange(); err != nil {
			return nil, err
		}
		arms, err := s.Arms(ctx, *study)
		if err != nil {
			return nil, err
		}
		number, known := arms.Arms.Index(arm)
		switch {
		case !known:
			return nil, &FieldError{"arm", fmt.Sprintf("there is no arm %q", arm)}
		case arms.Arms.Product() != nil:
			return nil, &FieldError{"arm", "the profiles of a product cannot come or go"}
		case slices.Contains(study.Withdrawn, number):
			return nil, errSame
		case study.Arms-len(study.Withdrawn) <= study.Settings.Strategy.K:
			return nil, &FieldError{"arm", fmt.Sprintf("%d arms must stay for a question", study.Settings.Strategy.K)}
		}
		study.Withdrawn = append(slices.Clone(study.Withdrawn), number)
		return nil, nil
	})
}

func (s Study) armsMayChange() error {
	switch {
	case s.State == Done:
		return ErrNotOpen
	case s.State != Draft && s.Settings.Strategy.Model.Clicks:
		return &FieldError{"arms", "with clicks at random in the model, arms cannot come or go once the study is open"}
	}
	return nil
}

// check returns an error unless the study can be run with its arms.
func (s Study) check(arms *catalogue.Saved) error {
	settings := s.Settings
	for _, c := range []struct {
		bad     bool
		field   string
		problem string
	}{
		{settings.Picks < 1 || settings.Picks >= settings.Strategy.K, "settings.picks", fmt.Sprintf("there must be 1 to %d, one fewer than the arms of a question", settings.Strategy.K-1)},
		{settings.Budget < 0, "settings.budget", "it must not be negative"},
		{settings.Each < 0, "settings.each", "it must not be negative"},
		{settings.Lease < 0, "settings.lease", "it must not be negative"},
	} {
		if c.bad {
			return &FieldError{c.field, c.problem}
		}
	}
	if arms.Arms.Len()-len(s.Withdrawn) < settings.Strategy.K {
		return &FieldError{"settings.k", fmt.Sprintf("a question shows %d arms, and there are %d", settings.Strategy.K, arms.Arms.Len()-len(s.Withdrawn))}
	}
	if _, err := strategy.NewRacing(arms.Arms, settings.Strategy); err != nil {
		return &FieldError{"settings", strings.TrimPrefix(err.Error(), "strategy: ")}
	}
	return nil
}
