package owner

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"bestpick/choice"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// An ImportedAnswer is an answer that was recorded elsewhere: the arms shown, in order, and the picks, best first.
type ImportedAnswer struct {
	Shown, Picks        []string // ids of arms
	Respondent, Segment string
	Asked, At           time.Time // zero if unknown
	Note                study.Note
}

// Import adds a batch of answers that were recorded elsewhere, atomically. If the study has a batch
// of that name already, it returns ErrKnown. The study's guarantee then requires a complete batch:
// whether it contains an answer must not depend on the picks.
//
// Answers are streamed, so memory does not grow with their number. Import iterates over them at least twice, first to check all
// of them; every iteration must yield the same. It returns errors that they yield unchanged.
func (s *Owner) Import(ctx context.Context, id, batch string, answers iter.Seq2[ImportedAnswer, error]) error {
	to, err := s.checkImport(ctx, id, answers)
	if err != nil {
		return err
	}
	if err := s.Store.Import(ctx, id, batch, to.outcomes(answers)); errors.Is(err, study.ErrTaken) {
		return study.ErrKnown
	} else if err != nil {
		return err
	}
	s.Live.NeedsPlan(id)
	return nil
}

// checkImport returns an error unless all answers can be imported. Otherwise it fixes the arm
// numbers and the model of the study, with which the answers were checked.
func (s *Owner) checkImport(ctx context.Context, id string, answers iter.Seq2[ImportedAnswer, error]) (to importer, err error) {
	_, err = s.change(ctx, id, Any, func(st *study.Study) (*archive.Catalogue, error) {
		st.Imported = true
		if to, err = s.importer(ctx, *st); err != nil {
			return nil, err
		}
		for _, err := range to.outcomes(answers) {
			if err != nil {
				return nil, err
			}
		}
		return nil, nil //nolint:nilnil // the catalogue does not change
	})
	return to, err
}

// An importer translates answers to outcomes of one study, whose log has arms by number.
type importer struct {
	arms  *archive.Catalogue
	model racing.Model
	offer choice.Offer
	now   time.Time
}

// importer returns the importer of a study, if the study accepts imports.
func (s *Owner) importer(ctx context.Context, st study.Study) (importer, error) {
	if st.State == study.Done {
		return importer{}, st.NotOpen()
	}
	model, offer := st.Settings.Strategy.Model, st.Settings.Strategy.Offer
	if err := model.CheckImport(); err != nil {
		return importer{}, study.Invalid("answers", err.Error())
	}
	if offer.Outside || offer.Ties {
		// A file has no column for these answers, and without them the others would be a biased sample.
		return importer{}, study.Invalid("answers", "a study with none or ties among its answers cannot import answers")
	}
	if st.Settings.Strategy.Prior != nil {
		// Predictions must not depend on the answers that they are about.
		return importer{}, study.Invalid("answers", "a study with a prior cannot import answers: the prior may rest on them")
	}
	arms, err := s.Live.Catalogue(ctx, st.ID)
	return importer{arms, model, offer, s.Clock()}, err
}

// outcomes translates answers one by one, up to the first invalid one.
func (to importer) outcomes(answers iter.Seq2[ImportedAnswer, error]) iter.Seq2[study.Outcome, error] {
	return func(yield func(study.Outcome, error) bool) {
		i := 0
		for a, err := range answers {
			var o study.Outcome
			if err == nil {
				o, err = to.outcome(i, a)
			}
			if !yield(o, err) || err != nil {
				return
			}
			i++
		}
	}
}

// outcome translates the answer with an index.
func (to importer) outcome(i int, a ImportedAnswer) (study.Outcome, error) {
	o, err := a.outcome(to.arms.Arms.Index, to.now)
	if err == nil {
		err = to.model.CheckSegment(a.Segment)
	}
	if err == nil && !to.offer.IsPlain() {
		err = to.offer.Check(choice.Answer{Question: o.Shown, Picks: o.Picks}, to.arms.Arms.Len())
	}
	if err != nil {
		return study.Outcome{}, study.Invalid(fmt.Sprintf("answers[%d]", i), err.Error())
	}
	return o, nil
}

// outcome returns the answer as an outcome of the log.
func (f ImportedAnswer) outcome(number func(id string) (int, bool), now time.Time) (study.Outcome, error) {
	o := study.Outcome{
		Position: study.OutsideDeck, Kind: study.Imported, Respondent: f.Respondent, Segment: f.Segment, Asked: f.Asked, At: f.At,
		Note: f.Note,
	}
	if o.At.IsZero() {
		o.At = now
	}
	if len(f.Shown) < 2 || len(f.Shown) > study.MaxShown {
		return o, fmt.Errorf("%d arms are shown, but must be 2 to %d", len(f.Shown), study.MaxShown)
	}
	for _, arm := range f.Shown {
		n, known := number(arm)
		switch {
		case !known:
			return o, fmt.Errorf("there is no arm %q", arm)
		case slices.Contains(o.Shown, n):
			return o, fmt.Errorf("arm %q is shown twice", arm)
		}
		o.Shown = append(o.Shown, n)
	}
	for _, arm := range f.Picks {
		slot := slices.Index(f.Shown, arm)
		if slot < 0 {
			return o, fmt.Errorf("arm %q is picked but was not shown", arm)
		}
		o.Picks = append(o.Picks, slot)
	}
	if err := study.CheckPicks(o.Picks, len(o.Shown), max(1, min(len(o.Picks), len(o.Shown)-1))); err != nil {
		return o, err
	}
	return o, o.CheckForm()
}

// maxPriorFeatures is the most features of a study with a prior. A study is stored and read as a whole,
// and its prior has d + d(d+1)/2 numbers.
const maxPriorFeatures = 64

// SetPrior replaces the prior of a draft without answers by a summary of recorded choices: see
// [racing.Prior]. read receives the arms and what respondents may answer, and returns the choices. A
// study with a prior has no fallback. With Any, read may be called again.
func (s *Owner) SetPrior(
	ctx context.Context, id string, version int, read func(*choice.Catalogue, choice.Offer) (*choice.Tally, error),
) (study.Study, error) {
	return s.change(ctx, id, version, func(st *study.Study) (*archive.Catalogue, error) {
		if st.State != study.Draft || st.Imported {
			return nil, study.ErrStarted
		}
		arms, err := s.Live.Catalogue(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := mayHavePrior(st.Settings, arms.Arms); err != nil {
			return nil, err
		}
		settings := &st.Settings.Strategy
		tally, err := read(arms.Arms, settings.Offer)
		if err != nil {
			return nil, err
		}
		if settings.Prior, err = racing.NewPrior(arms.Arms, tally); err != nil {
			return nil, refusedPrior(err.Error())
		}
		settings.Fallback, settings.Fakes = 0, 0 // the fakes are about the fallback
		return nil, s.checkStudy(*st, arms)
	})
}

// RemovePrior removes the prior of a draft. It is idempotent.
func (s *Owner) RemovePrior(ctx context.Context, id string, version int) (study.Study, error) {
	return s.change(ctx, id, version, func(st *study.Study) (*archive.Catalogue, error) {
		if st.State != study.Draft {
			return nil, study.ErrStarted
		}
		st.Settings.Strategy.Prior = nil
		return nil, nil
	})
}

// mayHavePrior returns an error if settings or arms rule out a prior. The strategy checks the others.
func mayHavePrior(s study.Settings, arms *choice.Catalogue) error {
	switch {
	case s.Strategy.Assume == strategy.Majority:
		return refusedPrior("a prior needs a study that assumes linear, and this study assumes majority")
	case arms.Dim() > maxPriorFeatures:
		return refusedPrior(fmt.Sprintf("a prior needs arms with at most %d features, got %d", maxPriorFeatures, arms.Dim()))
	}
	return nil
}

// refusedPrior returns the error of a refused prior.
func refusedPrior(why string) error { return study.Invalid("prior", why) }
