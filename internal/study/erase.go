package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Erase deletes the data of a respondent in a study: it erases their outcomes in the log, removes them from the
// panel, and discards everything that was computed with their answers. Open questions are lost, for all
// respondents. Erase is idempotent: of an unknown respondent nothing is deleted.
//
// The plan that begins afresh tells one slice of the log, and the planner counts the rest. A study that is done has
// no planner, so Erase counts the whole log before it deletes anything; the memory that takes does not depend on
// the length of the log. Respondents can ask and answer meanwhile.
func (s *Owner) Erase(ctx context.Context, id, respondent string) (e Erasure, err error) {
	if err := checkText(respondent); err != nil {
		return e, Invalid("respondent", err.Error())
	}
	if respondent == "" {
		return e, Invalid("respondent", "it must be known whose data it is")
	}
	for range attempts {
		if e, err = s.erase(ctx, id, respondent); !errors.Is(err, ErrChanged) {
			break
		}
	}
	switch {
	case errors.Is(err, ErrChanged):
		err = &Error{Code: CodeBusy, Message: "the study changes too often at the moment; nothing was deleted"}
	case err == nil:
		s.Forget(id, respondent)
	}
	return e, err
}

// erase tries once. It returns ErrChanged if something came in between.
func (s *Owner) erase(ctx context.Context, id, respondent string) (e Erasure, err error) {
	before, err := s.Reader.Progress(ctx, id)
	if err != nil {
		return e, err
	}
	began, standing := s.Clock(), map[Position]bool{}
	for o, err := range Log(ctx, s.Store, id, 0, math.MaxInt64) {
		if err != nil {
			return e, err
		}
		countErased(&e, o, respondent, standing)
	}
	e.Before, e.After = before, before
	if !e.Any() {
		removed, err := s.RemoveMembers(ctx, id, respondent)
		if err == nil && removed > 0 {
			e.Member = true
			e.After.Study, err = s.Store.Study(ctx, id)
		}
		return e, err
	}
	members, err := s.Store.MembersNamed(ctx, id, []string{respondent})
	if err != nil {
		return e, err
	}
	e.Member = len(members) > 0
	plan, r := Plan{Version: before.Study.Version, At: began}, (*runner)(nil)
	if before.Study.State != Draft {
		if plan, r, err = s.afresh(ctx, before.Study, respondent, began); err != nil {
			return e, err
		}
	}
	if plan, err = s.Store.Erase(ctx, id, respondent, plan); err != nil {
		return e, err
	}
	s.Live.Changed(id)
	e.After.Study = plan.Begin(before.Study)
	if r != nil {
		e.After.Verdict, e.After.Plan, e.After.At, e.After.upto = r.verdict(), plan.Number, plan.At, plan.Upto
		s.begun(ctx, e.After, r, plan, began)
		e.After.Uncounted, err = s.Reader.uncounted(ctx, e.After.Study, plan.Upto)
	}
	return e, err
}

// afresh makes the plan that replaces all plans before, without the outcomes of a respondent. The store decides
// which number and position it gets; until then they are guesses.
func (s *Owner) afresh(ctx context.Context, study Study, respondent string, now time.Time) (Plan, *runner, error) {
	saved, err := s.Store.Catalogue(ctx, study.ID)
	if err != nil {
		return Plan{}, nil, err
	}
	r, err := newRunner(study, saved)
	if err != nil {
		return Plan{}, nil, err
	}
	first, err := s.Store.Plans(ctx, study.ID, 0, 1)
	if err != nil {
		return Plan{}, nil, err
	}
	last, err := s.Store.Last(ctx, study.ID)
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
	if err := r.begin(plan); err != nil {
		return Plan{}, nil, err
	}
	if err := r.follow(study, &plan); err != nil {
		return Plan{}, nil, err
	}
	more, err := s.recount(ctx, r, study, respondent, &plan)
	if err != nil {
		return Plan{}, nil, err
	}
	return plan, r, finishAfresh(r, study, &plan, more)
}

// recount tells a runner that has begun afresh a slice of the log, or the whole log if the study is done. It reports
// whether more can be told right away.
func (s *Owner) recount(ctx context.Context, r *runner, study Study, respondent string, plan *Plan) (more bool, err error) {
	length, err := s.Store.Length(ctx, study.ID) // an undo that comes later makes the store refuse the plan
	if err != nil {
		return false, err
	}
	theirs := map[Position]bool{}
	for first := true; first || more && study.State == Done; first = false {
		untold, err := readSlice(ctx, s.Store, study.ID, nil, r.state.Upto, int(min(int64(s.Slice), length-r.state.Upto)))
		if err != nil {
			return false, err
		}
		without(untold.log, respondent, plan.At, theirs)
		if plan.Known = untold.known(r.state.Upto); study.State == Done {
			plan.Known = length
		}
		err = s.Cores.use(ctx, heavy, func(pause func() error) (err error) {
			if study.State != Done {
				pause = patience(nil, pause)
			}
			more, err = r.count(study, untold, plan.At, pause)
			return err
		})
		if err != nil {
			return false, err
		}
		more = more && r.state.Upto < length
	}
	return more, nil
}

// begun announces a plan that begins afresh, and saves a snapshot, so that the planner need not apply the plan
// again.
func (s *Owner) begun(ctx context.Context, after Progress, r *runner, plan Plan, began time.Time) {
	if after.Study.State != Done { // of which nobody needs to be told any more
		s.Observer.Planned(Planned{
			Study: after.Study.ID, Verdict: after.Verdict, Evidence: after.Verdict.share(after.Study.Settings.Strategy.Delta), Deck: len(plan.Questions),
			Took: s.Clock().Sub(began),
		})
	}
	r.place(plan)
	var state []byte
	err := s.Cores.use(ctx, heavy, func(func() error) (err error) {
		state, err = r.snapshot()
		return err
	})
	if err == nil {
		err = s.Store.SaveSnapshot(ctx, after.Study.ID, plan.Number, state)
	}
	if err != nil && ctx.Err() == nil {
		s.Report(after.Study.ID, fmt.Errorf("study: no snapshot was kept: %w", err))
	}
}

// finishAfresh fills in the rest of a plan that begins afresh, once outcomes are told. more says that there are
// more to tell; then nothing ends yet.
func finishAfresh(r *runner, study Study, plan *Plan, more bool) (err error) {
	plan.Upto = r.state.Upto
	reason := r.reason(study.Settings.Budget)
	switch {
	case study.State != Done && !more:
		plan.Done = reason
	case study.State == Done && study.Reason != Stopped:
		plan.Done = cmp.Or(reason, Lapsed)
	}
	if study.State == Open && reason == "" {
		plan.Questions, err = r.ask(firstQuestions(r.state.Answers))
	}
	plan.Verdict = r.conclude(*plan).written()
	return err
}
