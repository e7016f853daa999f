package owner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"bestpick/internal/jobs"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/replay"
)

// Erase deletes the data of a respondent in a study: it erases their outcomes in the log, removes
// them from the panel, and discards everything that was computed with their answers. Open questions
// are lost, for all respondents. Erase is idempotent; for an unknown respondent it deletes nothing.
//
// An erasure whose process is killed is completed as a background job. Concurrent calls for one respondent share one
// erasure and its result.
//
// The plan that restarts the strategy counts one slice of the log, and the planner counts the rest. A done study has no planner,
// so Erase counts the whole log before it deletes anything, in bounded memory. Respondents can ask and answer meanwhile.
func (s *Owner) Erase(ctx context.Context, id, respondent string) (Erasure, error) {
	if err := study.CheckText(respondent); err != nil {
		return Erasure{}, study.Invalid("respondent", err.Error())
	}
	if respondent == "" {
		return Erasure{}, study.Invalid("respondent", "the name of a respondent is required")
	}
	if study.CheckText(id) != nil {
		return Erasure{}, study.ErrNotFound
	}
	return s.ensure(ctx, jobs.Erasure{Study: id, Respondent: respondent})
}

// eraseShared erases a respondent, once for all concurrent calls. It tries again after a concurrent change.
func (s *Owner) eraseShared(ctx context.Context, id, respondent string) (Erasure, error) {
	result, err, _ := s.erasing.Do(id+"\x00"+respondent, func() (e any, err error) {
		for range maxAttempts {
			if e, err = s.erase(ctx, id, respondent); !errors.Is(err, study.ErrChanged) {
				break
			}
		}
		switch {
		case errors.Is(err, study.ErrChanged):
			err = &study.Error{Code: study.CodeBusy, Message: "the study changes too often; nothing was deleted, try again"}
		case err == nil:
			s.Forget(id, respondent)
		}
		return e, err
	})
	e, _ := result.(Erasure)
	return e, err
}

// erase tries once. It returns ErrChanged after a concurrent change.
func (s *Owner) erase(ctx context.Context, id, respondent string) (e Erasure, err error) {
	before, err := s.Reader.Progress(ctx, id)
	if err != nil {
		return e, err
	}
	began, standing := study.Micro(s.Clock()), map[study.Position]bool{} // as the log has it
	for o, err := range study.Log(ctx, s.Store, id, 0, math.MaxInt64) {
		if err != nil {
			return e, err
		}
		countErased(&e, o, respondent, standing)
	}
	e.Before, e.After = before, before
	if !e.Any() {
		if err := s.Store.RemoveProfile(ctx, id, respondent); err != nil {
			return e, err
		}
		s.Live.ForgetProfiles(id)
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
	plan, r := study.Plan{Version: before.Study.Version, At: began}, (*replay.Replayer)(nil)
	if before.Study.State != study.Draft {
		if plan, r, err = s.restart(ctx, before, respondent, began); err != nil {
			return e, err
		}
	}
	if plan, err = s.Store.Erase(ctx, id, respondent, plan); err != nil {
		return e, err
	}
	s.Live.Changed(id)
	e.After.Study = plan.Begin(before.Study)
	if r != nil {
		e.After.Verdict, e.After.Plan, e.After.At, e.After.LastCounted = r.Verdict(), plan.Number, plan.At, plan.LastCounted
		s.begun(ctx, e.After, r, plan, began)
		e.After.Uncounted, err = s.Reader.Uncounted(ctx, e.After.Study, plan.LastCounted)
	}
	return e, err
}

// restart computes the plan that replaces all earlier plans, without the outcomes of a respondent.
// The store sets its number and position; until then they are guesses.
func (s *Owner) restart(
	ctx context.Context, before overview.Progress, respondent string, now time.Time,
) (study.Plan, *replay.Replayer, error) {
	st := before.Study
	saved, err := s.Store.Catalogue(ctx, st.ID)
	if err != nil {
		return study.Plan{}, nil, err
	}
	r, err := replay.New(st, saved)
	if err != nil {
		return study.Plan{}, nil, err
	}
	first, err := s.Store.Plans(ctx, st.ID, 0, 1)
	if err != nil {
		return study.Plan{}, nil, err
	}
	last, err := s.Store.LastPlan(ctx, st.ID)
	if err != nil && !errors.Is(err, study.ErrNotFound) {
		return study.Plan{}, nil, err
	}
	plan := study.Plan{
		Number: last.Number + 1, First: last.First + study.Position(len(last.Questions)), Version: st.Version, At: now,
		Restart: &study.Restart{Arms: cmp.Or(st.Arms, r.Arms.Arms.Len()), Seed: randomSeed()},
	}
	for _, p := range first {
		plan.Restart.Arms = cmp.Or(p.Arms, plan.Restart.Arms)
		if p.Restart != nil {
			plan.Restart.Arms = p.Restart.Arms
		}
	}
	if err := r.Begin(plan); err != nil {
		return study.Plan{}, nil, err
	}
	if err := r.Follow(st, &plan); err != nil {
		return study.Plan{}, nil, err
	}
	more, err := s.recount(ctx, r, st, respondent, &plan)
	if err != nil {
		return study.Plan{}, nil, err
	}
	return plan, r, finishRestart(r, before, &plan, more)
}

// recount counts a slice of the log in a replayer that has restarted, or the whole log if the
// study is done. It reports whether more outcomes can be counted now.
func (s *Owner) recount(
	ctx context.Context, r *replay.Replayer, st study.Study, respondent string, plan *study.Plan,
) (more bool, err error) {
	length, err := s.Store.Length(ctx, st.ID) // the store refuses the plan after a later undo
	if err != nil {
		return false, err
	}
	theirs := map[study.Position]bool{}
	for first := true; first || more && st.State == study.Done; first = false {
		untold, err := replay.ReadSlice(ctx, s.Store, st.ID, nil, r.State.LastCounted, length,
			int(min(int64(s.Slice), length-r.State.LastCounted)))
		if err != nil {
			return false, err
		}
		without(untold.Log, respondent, plan.At, theirs)
		if plan.LastSeen = untold.LastSeen(r.State.LastCounted); st.State == study.Done {
			plan.LastSeen = length
		}
		err = s.Cores.Use(ctx, replay.Heavy, func(pause func() error) (err error) {
			if st.State != study.Done {
				pause = replay.Patience(nil, pause)
			}
			more, err = r.Count(st, untold, plan.At, pause)
			return err
		})
		if err != nil {
			return false, err
		}
		more = more && r.State.LastCounted < length
	}
	return more, nil
}

// begun reports a plan that restarts the strategy, and saves a snapshot, so that the planner need not apply the plan again.
func (s *Owner) begun(ctx context.Context, after overview.Progress, r *replay.Replayer, plan study.Plan, began time.Time) {
	if after.Study.State != study.Done { // a done study is no longer observed
		s.Observer.Planned(study.Planned{
			Study: after.Study.ID, Verdict: after.Verdict, Evidence: after.Verdict.Share(after.Study.Settings.Strategy.Delta),
			Deck: len(plan.Questions),
			Took: s.Clock().Sub(began),
		})
	}
	r.Place(plan)
	var state []byte
	err := s.Cores.Use(ctx, replay.Heavy, func(func() error) (err error) {
		state, err = r.Snapshot()
		return err
	})
	if err == nil {
		err = s.Store.SaveSnapshot(ctx, after.Study.ID, plan.Number, state)
	}
	if err != nil && ctx.Err() == nil {
		s.Report(after.Study.ID, fmt.Errorf("study: the snapshot was not saved: %w", err))
	}
}

// finishRestart completes a plan that restarts the strategy, after its outcomes are counted. If more
// outcomes are left to count, the plan does not end the study.
func finishRestart(r *replay.Replayer, before overview.Progress, plan *study.Plan, more bool) (err error) {
	st := before.Study
	plan.LastCounted = r.State.LastCounted
	if _, err := r.EndHands(st, plan.At, more); err != nil {
		return err
	}
	reason := r.Reason(st.Settings.Budget)
	switch {
	case st.State != study.Done && !more:
		plan.Done = reason
	case st.State == study.Done && !st.Reason.Closed():
		plan.Done = cmp.Or(reason, study.Lapsed)
	}
	if st.State == study.Open && reason == "" {
		plan.Questions, err = r.Ask(planning.FirstQuestions(r.State.Answers, st.Settings.HandSize()))
	}
	plan.Verdict = r.Conclude(*plan).Written()
	return err
}
