package owner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bestpick/internal/jobs"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/strategy"
)

// An Erasure says which data of a respondent was deleted, and the study's progress before and after.
type Erasure struct {
	Answers   int // standing ones, including imported ones
	Skips     int
	TakenBack int  // answers that the respondent had undone
	Arrived   bool // the respondent was dealt questions
	Member    bool // the respondent was in the panel

	Before, After overview.Progress
}

// Any reports whether the log had data of the respondent.
func (e Erasure) Any() bool { return e.Arrived || e.Answers+e.Skips+e.TakenBack > 0 }

// countErased adds an outcome of the log to an erasure. standing has the questions that the respondent has answered so far.
func countErased(e *Erasure, o study.Outcome, respondent string, standing map[study.Position]bool) {
	switch {
	case o.Kind == study.Undone && standing[o.Position]:
		delete(standing, o.Position)
		e.Answers--
		e.TakenBack++
	case o.Respondent != respondent:
	case o.Kind == study.Arrived:
		e.Arrived = true
	case o.Kind == study.Answered:
		standing[o.Position] = true
		e.Answers++
	case o.Kind == study.Imported:
		e.Answers++
	case o.Kind == study.Skipped:
		e.Skips++
	}
}

// without replaces the outcomes of a respondent, and the undos of their answers, by Erased ones, as
// stores do. theirs has the questions whose last answer before log is the respondent's.
func without(log []study.Outcome, respondent string, at time.Time, theirs map[study.Position]bool) {
	for i, o := range log {
		if o.Kind == study.Answered {
			theirs[o.Position] = o.Respondent == respondent
		}
		if o.Respondent == respondent || o.Kind == study.Undone && theirs[o.Position] {
			log[i] = o.Erased(at)
		}
	}
}

// Sentence describes what an erasure did to the verdict. name returns the name of an arm.
func (e Erasure) Sentence(name func(arm int) string) string {
	switch {
	case !e.Any() && e.Member:
		return "This respondent was in the panel, and had answered nothing: the verdict is the same."
	case !e.Any():
		return "Nothing was recorded of this respondent, so nothing has changed."
	case e.After.Uncounted > 0:
		return "The answers that are left are being counted again; the verdict is provisional until then."
	case e.After.Verdict.Leader < 0:
		return "There was no verdict yet, and there is none."
	}
	return e.compare(name)
}

// compareCycles describes how the verdict differs from the previous one, if one of them is that there is no favourite.
func (e Erasure) compareCycles(name func(arm int) string) string {
	switch before, after := e.Before.Verdict.Status, e.After.Verdict.Status; {
	case before == after:
		return "The verdict is the same: there is no favourite."
	case after == strategy.Cyclic.String():
		return "Without these answers it is certified that there is no favourite."
	case after == strategy.Certified.String():
		return fmt.Sprintf(
			"It was certified that there is no favourite; without these answers %s is certified as best.", name(e.After.Verdict.Leader),
		)
	}
	return fmt.Sprintf(
		"It was certified that there is no favourite; without these answers nothing is certified, and %s.", standing(e.After, name),
	)
}

// compare describes how the verdict differs from the previous one.
func (e Erasure) compare(name func(arm int) string) string {
	before, after := e.Before.Verdict, e.After.Verdict
	certified, decided := strategy.Certified.String(), strategy.Decided.String()
	if cyclic := strategy.Cyclic.String(); before.Status == cyclic || after.Status == cyclic {
		return e.compareCycles(name)
	}
	switch {
	case before.Status == certified && after.Status == certified && before.Leader == after.Leader:
		return fmt.Sprintf("The verdict is the same: %s is certified as best.", name(after.Leader))
	case before.Status == certified && after.Status == certified:
		return fmt.Sprintf("%s was certified as best; without these answers %s is.", name(before.Leader), name(after.Leader))
	case before.Status == certified:
		return fmt.Sprintf(
			"%s was certified as best; without these answers nothing is certified, and %s.", name(before.Leader), standing(e.After, name),
		)
	case after.Status == certified:
		return fmt.Sprintf("Nothing was certified; without these answers %s is certified as best.", name(after.Leader))
	case before.Status == decided && after.Status == decided:
		return "The verdict is the same: the answers do not fit the model, so nothing can be certified."
	case before.Status == decided:
		return fmt.Sprintf("The answers did not fit the model; those that are left do not refute it, and %s.", standing(e.After, name))
	case after.Status == decided:
		return "Nothing was certified; the answers that are left do not fit the model, so nothing can be."
	case standing(e.Before, name) == standing(e.After, name):
		return fmt.Sprintf("The verdict is the same: nothing is certified, and %s.", standing(e.After, name))
	}
	return fmt.Sprintf("Nothing was certified, and nothing is; now %s.", standing(e.After, name))
}

// standing describes who leads, and how many arms may still be better.
func standing(p overview.Progress, name func(arm int) string) string {
	leads := "it is too early to name a leader"
	if p.Verdict.HasLeader() {
		leads = name(p.Verdict.Leader) + " leads, "
		if n := p.Verdict.Possible(); n == 1 {
			leads += "1 other is possible"
		} else {
			leads += fmt.Sprintf("%d others are possible", n)
		}
	}
	if p.Study.Reason == study.Lapsed {
		leads += "; the study can be opened again"
	}
	return leads
}

// completeAfter is how long an erasure may take before its job repeats it. That does no harm: erasures are atomic and idempotent.
const completeAfter = time.Minute

// Jobs are the methods of a [jobs.Queue] that erasures need.
type Jobs interface {
	AddJob(ctx context.Context, args jobs.Args, delay time.Duration) error
	RemoveJob(ctx context.Context, args jobs.Args) error
}

// NoJobs stores no jobs.
type NoJobs struct{}

// AddJob does nothing.
func (NoJobs) AddJob(context.Context, jobs.Args, time.Duration) error { return nil }

// RemoveJob does nothing.
func (NoJobs) RemoveJob(context.Context, jobs.Args) error { return nil }

// ensure erases a respondent. Meanwhile a job exists, which completes the erasure if this process is killed.
func (s *Owner) ensure(ctx context.Context, job jobs.Erasure) (Erasure, error) {
	if err := s.Jobs.AddJob(ctx, job, completeAfter); err != nil {
		return Erasure{}, err
	}
	e, err := s.eraseShared(ctx, job.Study, job.Respondent)
	if failed := s.Jobs.RemoveJob(context.WithoutCancel(ctx), job); failed != nil {
		s.Report(job.Study, failed) // the job finds nothing to erase
	}
	return e, err
}

// CompleteErasure erases the respondent of a job, or without one removes the names of a study, if that is due.
func (s *Owner) CompleteErasure(ctx context.Context, job jobs.Erasure) (err error) {
	if job.Respondent == "" {
		err = s.removeNames(ctx, job.Study)
	} else {
		_, err = s.eraseShared(ctx, job.Study, job.Respondent)
	}
	if errors.Is(err, study.ErrNotFound) {
		return nil // the study was deleted, and the answers with it
	}
	return err
}

// removeNames removes the names, notes and profiles of a study, if that is due.
func (s *Owner) removeNames(ctx context.Context, id string) error {
	st, err := s.Store.Study(ctx, id)
	if now := s.Clock(); err == nil && st.NamesDue(now) {
		err = s.Store.RemoveNames(ctx, id, now)
		s.Live.ForgetProfiles(id)
		s.Live.Changed(id)
	}
	return err
}

// retainEvery is the time between two looks for names that are to be removed.
const retainEvery = time.Hour

// Retain has names removed that are due, until the context ends.
func (s *Owner) Retain(ctx context.Context) {
	for ctx.Err() == nil {
		if err := s.addRemovals(ctx); err != nil && ctx.Err() == nil {
			s.Report("", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(retainEvery):
		}
	}
}

// addRemovals adds the jobs that remove names.
func (s *Owner) addRemovals(ctx context.Context) error {
	for st, err := range study.AllStudies(ctx, s.Store.List, "") {
		if err == nil && st.NamesDue(s.Clock()) {
			err = s.Jobs.AddJob(ctx, jobs.Erasure{Study: st.ID}, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
