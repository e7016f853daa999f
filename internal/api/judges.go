package api

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/study/overview"
	"bestpick/wire"
)

func (a *api) registerJudges() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "judges", Method: http.MethodGet, Path: oneStudy + "/judges", Tags: []string{tagResults}, Security: owners(),
		Summary:     "Compare the respondents with one another",
		Description: "Reports how much judges agree, how closely each follows the consensus of all others, and which ones seem to answer at random. Computed on request from the last 100,000 outcomes, which can take seconds.",
	}, func(ctx context.Context, in *StudyPath) (*reply[wire.Judges], error) {
		judges, err := a.studies.Overview.Judges(ctx, in.Study)
		if err != nil {
			return nil, a.problem(err)
		}
		return &reply[wire.Judges]{a.writeJudges(judges)}, nil
	})
}

func (a *api) writeJudges(j *overview.Judges) wire.Judges {
	w := wire.Judges{
		Answers: j.Answers, Agreement: j.Agreement, Expected: j.Expected, Error: overview.JudgesError, Unjudged: j.Unjudged,
		Judges: []wire.Judge{}, Estimates: []wire.Estimate{},
	}
	for _, r := range j.Judges {
		w.Judges = append(w.Judges, wire.Judge{
			Respondent: r.Name, Kind: j.Kind(r.Name).String(), Answers: r.Answers, Agreement: r.Agreement, Expected: r.Expected, Chance: r.Chance,
			Scale: r.Scale, ScaleError: min(r.Error, math.MaxFloat64), P: r.P, Random: r.Random,
		})
	}
	card := a.studies.Live.Cards(j.Study, j.Arms)
	for arm, utility := range j.Utilities {
		w.Estimates = append(w.Estimates, wire.Estimate{Arm: writeArm(card(arm)), Utility: utility, Error: j.Errors[arm]})
	}
	slices.SortStableFunc(w.Estimates, func(x, y wire.Estimate) int { return cmp.Compare(y.Utility, x.Utility) })
	return w
}
