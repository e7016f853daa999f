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
	"time"

	"bestpick/internal/catalogue/archive"
)

// An Owner sets up studies and changes them. Besides [Owner.Erase] it does no mathematics. Safe for
// concurrent use.
type Owner struct {
	Store    Store
	Live     *LiveStudies
	Clock    func() time.Time
	Reader   *OverviewReader
	Cores    Cores
	Slice    int // outcomes that one plan tells at most
	Observer Observer
	Report   func(id string, err error)  // receives errors that do no harm
	Forget   func(id, respondent string) // removes a respondent from memory
}

// Any stands for whichever version a study has.
const Any = 0

// Create adds a study, as a draft. Without a seed it gets a random one, so that nobody can foresee its
// questions.
func (s *Owner) Create(ctx context.Context, name, prompt string, settings Settings, arms *archive.Catalogue) (Study, error) {
	now := s.Clock()
	study := Study{
		ID: strings.ToLower(rand.Text()), Name: name, Prompt: prompt, Settings: settings.WithDefaults(), Arms: arms.Arms.Len(),
		State: Draft, Version: 1, Created: now, Changed: now,
	}
	if study.Settings.Strategy.Seed == 0 {
		study.Settings.Strategy.Seed = randomSeed()
	}
	if err := checkStudy(study, arms); err != nil {
		return Study{}, err
	}
	saved, err := written(arms)
	if err != nil {
		return Study{}, err
	}
	return study, s.Store.Create(ctx, study, saved)
}

// randomSeed is of 53 bits, which all programs that read JSON can take.
func randomSeed() uint64 {
	var bits [8]byte
	_, _ = rand.Read(bits[:]) // never fails
	return binary.LittleEndian.Uint64(bits[:])>>11 + 1
}

// Delete removes a study and all its answers.
func (s *Owner) Delete(ctx context.Context, id string, version int) error {
	if version != Any {
		study, err := s.Store.Study(ctx, id)
		if err != nil {
			return err
		}
		if study.Version != version {
			return ErrChanged
		}
	}
	if err := s.Store.Delete(ctx, id); err != nil {
		return err
	}
	s.Live.Drop(id)
	s.Live.Changed(id)
	return nil
}

// change replaces a study by what edit makes of it, if it has the given version. edit may return
// another catalogue. If it changes nothing, nothing happens; with Any it may be called again.
func (s *Owner) change(ctx context.Context, id string, version int, edit func(*Study) (arms *archive.Catalogue, err error)) (Study, error) {
	for {
		study, err := s.Store.Study(ctx, id)
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
		study.Changed = s.Clock()
		changed, err := s.Store.Change(ctx, study, before.Version, saved)
		if errors.Is(err, ErrChanged) && version == Any {
			continue
		}
		if err == nil {
			s.Live.Changed(id)
		}
		return changed, err
	}
}

// Change lets the owner edit name, prompt, whether there is a panel, and settings. The strategy and the
// form of questions are fixed when the study is opened, prompt and other settings when it is done.
// Without a seed the study keeps its own. With Any, edit may be called again after a concurrent change.
func (s *Owner) Change(ctx context.Context, id string, version int, edit func(*Study) error) (Study, error) {
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
		if err := mayBecome(*study, before); err != nil {
			return nil, err
		}
		arms, err := s.Live.Arms(ctx, *study)
		if err != nil {
			return nil, err
		}
		return nil, checkStudy(*study, arms)
	})
}

// mayBecome returns an error if something changed that must not.
func mayBecome(s, before Study) error {
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
func (s *Owner) Move(ctx context.Context, id string, version int, to State) (Study, error) {
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
