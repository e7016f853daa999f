// Package owner lets owners set up and change studies: settings, arms, panels, imports, erasures and copies.
package owner

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/live"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/replay"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// An Owner sets up and changes studies. Only [Owner.Erase] runs the strategy. Safe for concurrent use.
type Owner struct {
	Store    study.Store
	Live     *live.Studies
	Clock    func() time.Time
	Reader   *overview.Reader
	Cores    replay.Cores
	Slice    int // maximum number of outcomes that one plan counts
	Observer study.Observer
	Report   func(id string, err error)  // receives harmless errors
	Forget   func(id, respondent string) // removes a respondent from memory
	Jobs     Jobs

	erasing singleflight.Group
}

// Any matches every version of a study.
const Any = 0

// Create adds a study as a draft, with the pictures of its arms. Without a seed it draws a random
// one, so that questions cannot be predicted.
func (s *Owner) Create(
	ctx context.Context, name, prompt string, settings study.Settings, arms *archive.Catalogue, pictures ...study.Picture,
) (study.Study, error) {
	now := s.Clock()
	return s.create(
		ctx, study.Study{ID: newID(), Name: name, Prompt: prompt, Settings: settings.WithDefaults(), Created: now}, arms, pictures,
	)
}

// newID returns an ID of a study, which cannot be guessed.
func newID() string { return strings.ToLower(rand.Text()) }

// A Request identifies a request to create a study.
type Request struct {
	ID   string // of the study, unguessable. Defaults to a random one
	Hash string // of the whole request, if it may be repeated
}

// CreateDraft adds a study as a draft. For a request that may be repeated, it returns the study that the request has created
// before. If another request has created that study, it returns ErrReused. Problems of the draft are [study.FieldErrors].
func (s *Owner) CreateDraft(ctx context.Context, request Request, d Draft) (study.Study, error) {
	now := s.Clock()
	settings, problems := d.Study(now)
	if problems != nil {
		return study.Study{}, problems
	}
	st, err := s.create(ctx, study.Study{
		ID: cmp.Or(request.ID, newID()), Request: request.Hash, Name: d.Name, Prompt: d.Prompt, Settings: settings, Created: now,
		Page: study.Presentation{Cards: d.Cards},
	}, &d.Arms.Catalogue, d.Pictures)
	if errors.Is(err, study.ErrChanged) && request.Hash != "" {
		return s.created(ctx, request)
	}
	return st, err
}

func (s *Owner) create(
	ctx context.Context, st study.Study, arms *archive.Catalogue, pictures []study.Picture,
) (study.Study, error) {
	st.Arms = arms.Arms.Len()
	if st.Settings.Strategy.Seed == 0 {
		st.Settings.Strategy.Seed = randomSeed()
	}
	if st.Settings.Overdue(st.Created) {
		return study.Study{}, study.Invalid(deadlineField, pastDeadline)
	}
	if err := s.checkStudy(st, arms); err != nil {
		return study.Study{}, err
	}
	saved, err := replay.Saved(arms)
	if err != nil {
		return study.Study{}, err
	}
	return s.add(ctx, st, saved, pictures)
}

// add stores a draft with its saved arms and their pictures, or nothing.
func (s *Owner) add(ctx context.Context, st study.Study, arms []byte, pictures []study.Picture) (study.Study, error) {
	st.State, st.Version, st.Changed, st.Salt = study.Draft, 1, st.Created, rand.Text()
	if err := s.Store.Create(ctx, st, arms); err != nil {
		return study.Study{}, err
	}
	if err := s.AddPictures(ctx, st.ID, pictures); err != nil {
		return study.Study{}, errors.Join(err, s.Store.Delete(context.WithoutCancel(ctx), st.ID))
	}
	return st, nil
}

// ErrReused is the error of a request whose study another request has created.
var ErrReused = errors.New("study: another request has created the study")

// created returns the study that a request has created before.
func (s *Owner) created(ctx context.Context, request Request) (study.Study, error) {
	st, err := s.Store.Study(ctx, request.ID)
	if err == nil && st.Request != request.Hash {
		err = ErrReused
	}
	return st, err
}

// AddPictures adds pictures to a study.
func (s *Owner) AddPictures(ctx context.Context, id string, pictures []study.Picture) error {
	if len(pictures) == 0 {
		return nil
	}
	return s.Store.AddPictures(ctx, id, pictures)
}

// randomSeed returns 53 random bits, which every JSON reader represents exactly.
func randomSeed() uint64 {
	var bits [8]byte
	_, _ = rand.Read(bits[:]) // never fails
	return binary.LittleEndian.Uint64(bits[:])>>11 + 1
}

// Delete removes a study and all its answers.
func (s *Owner) Delete(ctx context.Context, id string, version int) error {
	if version != Any {
		st, err := s.Store.Study(ctx, id)
		if err != nil {
			return err
		}
		if st.Version != version {
			return study.ErrChanged
		}
	}
	if err := s.Store.Delete(ctx, id); err != nil {
		return err
	}
	s.Live.Drop(id)
	s.Live.Changed(id)
	return nil
}

// change replaces a study by the result of edit, if it has the given version. edit may return another catalogue. If edit changes
// nothing, nothing is written. With Any, edit may be called again.
func (s *Owner) change(
	ctx context.Context, id string, version int, edit func(*study.Study) (arms *archive.Catalogue, err error),
) (study.Study, error) {
	for {
		st, err := s.Store.Study(ctx, id)
		if err != nil {
			return study.Study{}, err
		}
		if version != Any && st.Version != version {
			return st, study.ErrChanged
		}
		before := st
		arms, err := edit(&st)
		if err != nil {
			return study.Study{}, err
		}
		if arms == nil && reflect.DeepEqual(st, before) {
			return st, nil
		}
		var saved []byte
		if arms != nil {
			if saved, err = replay.Saved(arms); err != nil {
				return study.Study{}, err
			}
		}
		st.Changed = s.Clock()
		changed, err := s.Store.Change(ctx, st, before.Version, saved)
		if errors.Is(err, study.ErrChanged) && version == Any {
			continue
		}
		if err == nil {
			s.Live.Changed(id)
		}
		return changed, err
	}
}

// Change lets the owner edit name, prompt, presentation and settings. The strategy and the form of questions are fixed when the
// study is opened, prompt and other settings when it is done. Without a seed the study keeps its seed; it keeps its prior in any
// case. With Any, edit may be called again after a concurrent change.
func (s *Owner) Change(ctx context.Context, id string, version int, edit func(*study.Study) error) (study.Study, error) {
	return s.change(ctx, id, version, func(st *study.Study) (*archive.Catalogue, error) {
		before, edited := *st, *st
		segments := &edited.Settings.Strategy.Model.Segments
		*segments, edited.Withdrawn = slices.Clone(*segments), slices.Clone(edited.Withdrawn)
		edited.Page.Texts = maps.Clone(edited.Page.Texts)
		edited.Page.Cards.Columns = maps.Clone(edited.Page.Cards.Columns) // edit must not change the originals
		if err := edit(&edited); err != nil {
			return nil, err
		}
		st.Name, st.Prompt, st.Page, st.Profile = edited.Name, edited.Prompt, edited.Page, edited.Profile
		st.Settings = edited.Settings.WithDefaults()
		if st.Settings.Strategy.Seed == 0 {
			st.Settings.Strategy.Seed = before.Settings.Strategy.Seed
		}
		st.Settings.Strategy.Prior, st.Settings.Strategy.Budget = before.Settings.Strategy.Prior, before.Settings.Strategy.Budget
		if before.State != study.Draft && st.Prompt != before.Prompt {
			return nil, study.ErrStarted
		}
		if err := errors.Join(st.Page.Check(), st.CheckProfile()); err != nil {
			return nil, err
		}
		if reflect.DeepEqual(st.Settings, before.Settings) {
			return nil, nil
		}
		if err := checkFixed(*st, before); err != nil {
			return nil, err
		}
		if !st.Settings.Deadline.Equal(before.Settings.Deadline) && st.Settings.Overdue(s.Clock()) {
			return nil, study.Invalid(deadlineField, pastDeadline)
		}
		arms, err := s.Live.Arms(ctx, *st)
		if err != nil {
			return nil, err
		}
		return nil, s.checkStudy(*st, arms)
	})
}

// checkFixed returns an error if an edit changes settings that are fixed in the state of the study.
func checkFixed(s, before study.Study) error {
	is, was := s.Settings, before.Settings
	model, modelBefore := withNilSegments(is.Strategy), withNilSegments(was.Strategy)
	limitsChanged := is.Budget != was.Budget || !is.Deadline.Equal(was.Deadline) || is.Lease != was.Lease || is.Grace != was.Grace ||
		is.Audience != was.Audience
	switch {
	case before.State != study.Draft && (is.Picks != was.Picks || is.PerRespondent != was.PerRespondent ||
		is.Judges != was.Judges || is.LeastPeople != was.LeastPeople || is.LeastDays != was.LeastDays || is.Rules != was.Rules ||
		is.Notes != was.Notes || is.HideAttributes != was.HideAttributes || !reflect.DeepEqual(model, modelBefore)),
		before.Imported && (!reflect.DeepEqual(model.Model, modelBefore.Model) || is.Strategy.Offer != was.Strategy.Offer):
		return study.ErrStarted
	case before.State == study.Done && limitsChanged:
		return before.NotOpen()
	}
	return nil
}

// withNilSegments returns settings in which no segments are nil, so that [reflect.DeepEqual] does not tell nil from empty.
func withNilSegments(s racing.Settings) racing.Settings {
	if len(s.Model.Segments) == 0 {
		s.Model.Segments = nil
	}
	return s
}

// Publish creates a link to the results for people without a token, or revokes it. A new link has another key.
func (s *Owner) Publish(ctx context.Context, id string, version int, public bool) (study.Study, error) {
	return s.change(ctx, id, version, func(st *study.Study) (*archive.Catalogue, error) {
		if st.Public = ""; public {
			st.Public = strings.ToLower(rand.Text())
		}
		return nil, nil
	})
}

// SetState changes the state of a study to open, paused, or done, which means stopped by its owner. It is idempotent. A study
// that is done may be opened again, see [study.Study.Reopens], unless its last verdict is decided. Limits that it has reached are
// removed. Questions aim at the budget that a study has when it is first opened.
func (s *Owner) SetState(ctx context.Context, id string, version int, to study.State) (study.Study, error) {
	return s.change(ctx, id, version, func(st *study.Study) (*archive.Catalogue, error) {
		if st.State == to {
			return nil, nil
		}
		if err := st.Next(to); err != nil {
			return nil, err
		}
		if st.State == study.Done {
			if err := s.reopen(ctx, st); err != nil {
				return nil, err
			}
		}
		if to == study.Open && st.Settings.Overdue(s.Clock()) {
			return nil, study.Invalid(deadlineField, "the deadline has passed: change it before you open the study")
		}
		if st.State == study.Draft {
			st.Settings.Strategy = withGoal(st.Settings)
		}
		st.State, st.Reason, st.Ended = to, "", time.Time{}
		if to == study.Done {
			st.Reason, st.Ended = study.Stopped, s.Clock()
		}
		return nil, nil
	})
}

const (
	deadlineField = "settings.deadline"
	pastDeadline  = "the deadline must be in the future"
)

// reopen prepares a study that is done for being opened again: it removes the limits that the study
// has reached. It returns an error if the last verdict is decided.
func (s *Owner) reopen(ctx context.Context, st *study.Study) error {
	p, err := s.Reader.Progress(ctx, st.ID)
	if err != nil {
		return err
	}
	if p.Verdict.Status != strategy.Asking.String() {
		return &study.Error{Code: study.CodeWrongState, Message: "the study is decided, so it cannot be opened again"}
	}
	now := s.Clock()
	if st.Reason == study.Spent {
		st.Settings.Budget = 0
	}
	if st.Settings.Overdue(now) {
		st.Settings.Deadline = time.Time{}
	}
	return nil
}

// checkStudy returns an error unless a study can be run with its arms.
func (s *Owner) checkStudy(st study.Study, arms *archive.Catalogue) error {
	settings := st.Settings
	if problems := settings.Check(arms.Arms, len(st.Withdrawn), arms.Contexts != nil); problems != nil {
		return problems
	}
	if _, err := racing.New(arms.Arms, settings.Strategy); err != nil {
		return study.Invalid("settings", err.Error())
	}
	return nil
}

// withdrawnClicks is the reason why no arm can be withdrawn, even from a draft: the strategy starts with all arms.
const withdrawnClicks = "with random clicks in the model, no arm can be withdrawn"
