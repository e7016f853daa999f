package study

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"bestpick/internal/catalogue/archive"
)

// ErrStarted is for changes that only a draft allows, or only one without answers.
var ErrStarted = errors.New("study: it was opened or has answers, and this cannot change any more")

// Any stands for whichever version a study has.
const Any = 0

// Create adds a study, as a draft. Without a seed it gets a random one, so that nobody can foresee its
// questions.
func (s *Service) Create(ctx context.Context, name, prompt string, settings Settings, arms *archive.Catalogue) (Study, error) {
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
		study, err := s.store.Study(ctx, id)
		if err != nil {
			return err
		}
		if study.Version != version {
			return ErrChanged
		}
	}
	if err := s.store.Delete(ctx, id); err != nil {
		return err
	}
	s.overlooks.forget(id)
	s.rang(id)
	return nil
}

// rang tells planners and people that a study has changed.
func (s *Service) rang(id string) {
	s.studies.forget(id)
	s.work.ring(id)
	s.work.ring(anything)
	s.news.ring(id)
}

// change replaces a study by what edit makes of it, if it has the given version. edit may return
// another catalogue. If it changes nothing, nothing happens; with Any it may be called again.
func (s *Service) change(ctx context.Context, id string, version int, edit func(*Study) (arms *archive.Catalogue, err error)) (Study, error) {
	for {
		study, err := s.store.Study(ctx, id)
		if err != nil {
			return Study{}, err
		}
		if version != Any && study.Version != version {
			return study, ErrChanged
		}
		before := study
		arms, err := edit(&study)
		if err != nil {
			return Study{}, err
		}
		if arms == nil && reflect.DeepEqual(study, before) {
			return study, nil
		}
		var saved []byte
		if arms != nil {
			if saved, err = written(arms); err != nil {
				return Study{}, err
			}
		}
		study.Changed = s.clock()
		changed, err := s.store.Change(ctx, study, before.Version, saved)
		if errors.Is(err, ErrChanged) && version == Any {
			continue
		}
		if err == nil {
			s.rang(id)
		}
		return changed, err
	}
}

// Change lets the owner edit name, prompt, whether there is a panel, and settings. The strategy and the
// form of questions are fixed when the study is opened, prompt and other settings when it is done.
// Without a seed the study keeps its own. With Any, edit may be called again after a concurrent change.
func (s *Service) Change(ctx context.Context, id string, version int, edit func(*Study) error) (Study, error) {
	return s.change(ctx, id, version, func(study *Study) (*archive.Catalogue, error) {
		before, edited := *study, *study
		segments := &edited.Settings.Strategy.Model.Segments
		*segments, edited.Withdrawn = slices.Clone(*segments), slices.Clone(edited.Withdrawn) // those of before stay
		if err := edit(&edited); err != nil {
			return nil, err
		}
		study.Name, study.Prompt, study.Panel, study.Settings = edited.Name, edited.Prompt, edited.Panel, edited.Settings.WithDefaults()
		if study.Settings.Strategy.Seed == 0 {
			study.Settings.Strategy.Seed = before.Settings.Strategy.Seed
		}
		if before.State == Done && study.Prompt != before.Prompt {
			return nil, before.notOpen()
		}
		if reflect.DeepEqual(study.Settings, before.Settings) {
			return nil, nil
		}
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
	differ := func(a, b any) bool { return fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", b) }
	if before.State != Draft && (is.Picks != was.Picks || is.Plain != was.Plain || differ(is.Strategy, was.Strategy)) {
		return ErrStarted
	}
	if before.Imported && differ(is.Strategy.Model, was.Strategy.Model) {
		return ErrStarted
	}
	if before.State == Done && (is.Budget != was.Budget || is.Each != was.Each || is.Lease != was.Lease || is.Grace != was.Grace) {
		return before.notOpen()
	}
	return nil
}

// Move takes a study to another state: open, paused, or done, which is then stopped by its owner.
// Where it is there already, nothing happens. One whose reason to be done has lapsed may be opened.
func (s *Service) Move(ctx context.Context, id string, version int, to State) (Study, error) {
	return s.change(ctx, id, version, func(study *Study) (*archive.Catalogue, error) {
		if study.State == to {
			return nil, nil
		}
		if err := study.next(to); err != nil {
			return nil, err
		}
		if study.State, study.Reason = to, ""; to == Done {
			study.Reason = Stopped
		}
		return nil, nil
	})
}
