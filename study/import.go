package study

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"bestpick/catalogue"
)

// A Foreign is an answer that was recorded elsewhere: which arms were shown, in which order, and which
// were picked, best first.
type Foreign struct {
	Shown, Picks        []string // ids of arms
	Respondent, Segment string
	Asked, At           time.Time // may be unknown
}

// Import adds answers that were recorded elsewhere, all of them or none. A batch of the same name is
// imported once: if it is there already, Import returns ErrTaken. The guarantee of the study then rests on the
// answers' being complete: whether one is among them must not depend on what was picked.
func (s *Service) Import(ctx context.Context, id, batch string, answers []Foreign) error {
	outcomes, err := s.translate(ctx, id, answers)
	if err != nil {
		return err
	}
	if err := s.store.Import(ctx, id, batch, outcomes); err != nil {
		return err
	}
	s.work.ring(id)
	return nil
}

// translate returns answers as they go to the log, where arms have numbers. From then on arms keep
// their numbers, and the model stays the one under which the answers were found to be good.
func (s *Service) translate(ctx context.Context, id string, answers []Foreign) (outcomes []Outcome, err error) {
	_, err = s.change(ctx, id, Any, func(study *Study) (arms *catalogue.Saved, err error) {
		study.Imported = true
		outcomes, err = s.outcomes(ctx, *study, answers)
		return nil, err
	})
	return outcomes, err
}

// outcomes returns answers as they go to the log, if all of them can be counted.
func (s *Service) outcomes(ctx context.Context, study Study, answers []Foreign) ([]Outcome, error) {
	if study.State == Done {
		return nil, study.notOpen()
	}
	model := study.Settings.Strategy.Model
	if err := model.CheckImport(); err != nil {
		return nil, &FieldError{"answers", strings.TrimPrefix(err.Error(), "strategy: ")}
	}
	arms, err := s.Catalogue(ctx, study.ID)
	if err != nil {
		return nil, err
	}
	now := s.clock()
	outcomes := make([]Outcome, len(answers))
	for i, a := range answers {
		if outcomes[i], err = a.outcome(arms.Arms.Index, now); err == nil {
			err = model.CheckSegment(a.Segment)
		}
		if err != nil {
			return nil, &FieldError{fmt.Sprintf("answers[%d]", i), strings.TrimPrefix(err.Error(), "strategy: ")}
		}
	}
	return outcomes, nil
}

// mostShown is more than anybody can choose between.
const mostShown = 1000

// outcome is the answer as it goes to the log.
func (f Foreign) outcome(number func(id string) (int, bool), now time.Time) (Outcome, error) {
	o := Outcome{Position: Elsewhere, Kind: Imported, Respondent: f.Respondent, Segment: f.Segment, Asked: f.Asked, At: f.At}
	if o.At.IsZero() {
		o.At = now
	}
	if len(f.Shown) < 2 || len(f.Shown) > mostShown {
		return o, fmt.Errorf("%d arms are shown, there must be 2 to %d", len(f.Shown), mostShown)
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
			return o, fmt.Errorf("arm %q is picked and was not shown", arm)
		}
		o.Picks = append(o.Picks, slot)
	}
	if err := checkPicks(o.Picks, len(o.Shown), max(1, min(len(o.Picks), len(o.Shown)-1))); err != nil {
		return o, err
	}
	return o, o.checkForm()
}
