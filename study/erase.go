package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Erase deletes what a respondent has done in a study, and them from its panel: their outcomes are erased in the log, and everything
// that was computed with them is computed anew. Questions that are out are lost, whoever has them. Of one who is
// not known nothing is deleted, so that it may be asked for again.
//
// It takes as long as telling a strategy all answers. Whoever asks and answers meanwhile does not notice.
func (s *Service) Erase(ctx context.Context, id, respondent string) (e Erasure, err error) {
	if err := checkText(respondent); err != nil {
		return e, refusedRespondent(err.Error())
	}
	if respondent == "" {
		return e, refusedRespondent("it must be known whose data it is")
	}
	for range attempts {
		if e, err = s.erase(ctx, id, respondent); !errors.Is(err, ErrChanged) {
			break
		}
	}
	if err == nil {
		s.forget(id, respondent)
	}
	return e, err
}

// erase tries once. It returns ErrChanged if something came in between.
func (s *Service) erase(ctx context.Context, id, respondent string) (e Erasure, err error) {
	before, err := s.Progress(ctx, id)
	if err != nil {
		return e, err
	}
	log, err := logBetween(ctx, s.store, id, 0, math.MaxInt64)
	if err != nil {
		return e, err
	}
	began := s.clock()
	e = take(log, respondent, began)
	e.Before, e.After = before, before
	if !e.Any() {
		removed, err := s.RemoveMembers(ctx, id, respondent)
		if err == nil && removed > 0 {
			e.Member = true
			e.After.Study, err = s.store.Study(ctx, id)
		}
		return e, err
	}
	members, err := s.store.MembersNamed(ctx, id, []string{respondent})
	if err != nil {
		return e, err
	}
	e.Member = len(members) > 0
	plan, r := Plan{Version: before.Study.Version, At: began}, (*runner)(nil)
	if before.Study.State != Draft {
		if plan, r, err = s.afresh(ctx, before.Study, log, began); err != nil {
			return e, err
		}
	}
	if plan, err = s.store.Erase(ctx, id, respondent, plan); err != nil {
		return e, err
	}
	s.rang(id)
	e.After.Study = plan.Begin(before.Study)
	if r != nil {
		e.After.Verdict, e.After.Plan, e.After.At = r.verdict(), plan.Number, plan.At
		s.begun(ctx, e.After, r, plan, began)
	}
	return e, nil
}

// afresh makes the plan that comes in place of all before, out of a log in which somebody is erased already. It
// is guessed which number and position it will get.
func (s *Service) afresh(ctx context.Context, study Study, log []Outcome, now time.Time) (Plan, *runner, error) {
	saved, err := s.store.Catalogue(ctx, study.ID)
	if err != nil {
		return Plan{}, nil, err
	}
	r, err := newRunner(study, saved)
	if err != nil {
		return Plan{}, nil, err
	}
	first, err := s.store.Plans(ctx, study.ID, 0, 1)
	if err != nil {
		return Plan{}, nil, err
	}
	last, err := s.store.Last(ctx, study.ID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Plan{}, nil, err
	}
	plan := Plan{
		Number: last.Number + 1, First: last.First + Position(len(last.Questions)), Version: study.Version, At: now,
		Afresh: &Afresh{Arms: cmp.Or(study.Arms, r.arms.Arms.Len()), Seed: randomSeed()},
	}
	for _, p := range first {
		plan.Afresh.Arms = cmp.Or(p.Arms, plan.Afresh.Arms)
		if p.Afresh != nil {
			plan.Afresh.Arms = p.Afresh.Arms
		}
	}
	if err := r.planAfresh(study, log, &plan); err != nil {
		return Plan{}, nil, err
	}
	return plan, r, nil
}

// begun tells who needs to know of a plan that begins afresh, and keeps a snapshot, so that the planner need not
// do all of it again.
func (s *Service) begun(ctx context.Context, after Progress, r *runner, plan Plan, began time.Time) {
	if after.Study.State != Done { // of which nobody needs to be told any more
		s.observer.Planned(Planned{
			Study: after.Study.ID, Verdict: after.Verdict, Evidence: after.Verdict.share(after.Study.Settings.Strategy.Delta), Deck: len(plan.Questions),
			Took: s.clock().Sub(began),
		})
	}
	r.place(plan)
	state, err := r.snapshot()
	if err == nil {
		err = s.store.SaveSnapshot(ctx, after.Study.ID, plan.Number, state)
	}
	if err != nil && ctx.Err() == nil {
		s.report(after.Study.ID, fmt.Errorf("study: no snapshot was kept: %w", err))
	}
}
