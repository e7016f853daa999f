package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"bestpick/internal/study"
)

// A DivergedError reports a plan that does not follow from the log before it. Field names the field
// that differs, if there is exactly one.
type DivergedError struct {
	Plan            int
	Field           string
	Found, Expected string
	Problem         string
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("study: plan %d: %s", e.Plan, mismatch(e.Field, e.Found, e.Expected, e.Problem))
}

// mismatch describes a field that differs from its expected value, or else a problem.
func mismatch(field, found, expected, problem string) string {
	if field == "" {
		return problem
	}
	text := fmt.Sprintf("field %s: found %s, expected %s", field, found, expected)
	if problem != "" {
		text += ": " + problem
	}
	return text
}

// apply repeats a plan and compares the questions and the verdict with the recorded ones. log has
// the outcomes that were known but not counted before.
func (r *Replayer) apply(p study.Plan, log []study.Outcome) error {
	if err := r.prepare(p); err != nil {
		return err
	}
	if err := r.tell(log, p.LastCounted, func() error { return nil }); err != nil {
		return &DivergedError{Plan: p.Number, Problem: err.Error()}
	}
	return r.compare(p)
}

// prepare repeats the part of a plan before it counts outcomes.
func (r *Replayer) prepare(p study.Plan) error {
	if err := r.adopt(p); err != nil {
		return err
	}
	if p.Restart != nil {
		if err := r.Begin(p); err != nil {
			return &DivergedError{Plan: p.Number, Problem: err.Error()}
		}
	}
	if err := r.follows(p); err != nil {
		return err
	}
	arms := p.Arms
	if arms == 0 {
		arms = r.State.Arms
		if r.strategy == nil {
			arms = r.Arms.Arms.Len()
		}
	}
	if err := r.change(arms, p.Withdrawn, p.People); err != nil {
		return &DivergedError{Plan: p.Number, Problem: err.Error()}
	}
	return nil
}

// compare repeats the part of a plan after it has counted outcomes, and compares the questions and the verdict.
func (r *Replayer) compare(p study.Plan) error {
	if r.State.LastCounted != p.LastCounted {
		return differs(p, "upto", p.LastCounted, r.State.LastCounted)
	}
	if _, err := r.endIdle(r.handsEnded); err != nil {
		return err
	}
	questions, err := r.Ask(len(p.Questions))
	if err != nil {
		return err
	}
	if !slices.EqualFunc(questions, p.Questions, slices.Equal) {
		return otherQuestions(p, questions)
	}
	verdict := r.Conclude(p)
	r.State.Plans = p.Number
	if verdict = asRecorded(verdict, p); p.Verdict != nil && !bytes.Equal(p.Verdict, verdict.Written()) {
		return otherVerdict(p, verdict)
	}
	return nil
}

// asRecorded returns a recomputed verdict in the form of that of a plan: complete, or pruned with or without settings.
func asRecorded(v study.Verdict, p study.Plan) study.Verdict {
	var recorded study.Verdict
	if json.Unmarshal(p.Verdict, &recorded) != nil || recorded.Pruned == "" {
		return v
	}
	if v = v.Prune(); recorded.Settings == "" {
		v.Settings = ""
	}
	return v
}

// adopt takes from a plan's verdict the digest of the settings, if they have changed, which hands ended, and whether
// the study had ended, which only the planner knew.
func (r *Replayer) adopt(p study.Plan) error {
	var recorded study.Verdict
	if p.Verdict != nil {
		if err := json.Unmarshal(p.Verdict, &recorded); err != nil {
			return &DivergedError{Plan: p.Number, Problem: "the verdict cannot be read: " + err.Error()}
		}
	}
	r.State.Ended, r.State.Settings = recorded.Ended, cmp.Or(recorded.Settings, r.State.Settings)
	if r.handsEnded = recorded.HandsEnded; r.handsEnded.After(p.At) {
		return differs(p, "verdict.hands_ended", r.handsEnded, "at most the time of the plan")
	}
	return nil
}

// follows returns an error unless a plan has the next number and position.
func (r *Replayer) follows(p study.Plan) error {
	switch {
	case p.Number != r.State.Plans+1:
		return differs(p, "number", p.Number, r.State.Plans+1)
	case p.First != r.State.Next:
		return differs(p, "first", p.First, r.State.Next)
	case p.LastCounted < r.State.LastCounted:
		return differs(p, "upto", p.LastCounted, fmt.Sprintf("at least %d", r.State.LastCounted))
	case p.LastSeen < p.LastCounted:
		return differs(p, "known", p.LastSeen, fmt.Sprintf("at least %d", p.LastCounted))
	}
	return nil
}

// differs reports a field of a plan with an unexpected value.
func differs(p study.Plan, field string, found, expected any) error {
	return &DivergedError{Plan: p.Number, Field: field, Found: fmt.Sprint(found), Expected: fmt.Sprint(expected)}
}

// otherQuestions names the first arm in which a plan's questions differ from the recomputed ones.
func otherQuestions(p study.Plan, recomputed [][]int) error {
	e := DivergedError{Plan: p.Number, Problem: "the questions do not follow from the log up to here"}
	e.Field, e.Found, e.Expected = firstDifference("questions", p.Questions, recomputed)
	return &e
}

// otherVerdict names the first field in which a plan's verdict differs from the recomputed one.
func otherVerdict(p study.Plan, recomputed study.Verdict) error {
	field, found, expected := firstDifference("verdict", p.Verdict, recomputed.Written())
	problem := ""
	switch field {
	case "verdict.catalogue":
		problem = "the options are not those of the study"
	case "verdict.digest", "verdict.hash":
		problem = "the study, an option, an outcome or a plan up to here was altered"
	}
	return &DivergedError{Plan: p.Number, Field: field, Found: found, Expected: expected, Problem: problem}
}
