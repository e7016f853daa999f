package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/wiring"
	"bestpick/wire"
)

func (a *api) registerResults() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "verdict", Method: http.MethodGet, Path: oneStudy + "/verdict", Tags: []string{tagResults}, Security: viewers(),
		Summary: "Read the verdict",
	}, func(ctx context.Context, in *StudyPath) (*reply[wire.Verdict], error) {
		verdict, err := a.verdict(ctx, in.Study)
		return &reply[wire.Verdict]{verdict}, err
	})
	huma.Register(a.huma, huma.Operation{
		OperationID: "contenders", Method: http.MethodGet, Path: oneStudy + "/contenders", Tags: []string{tagResults}, Security: viewers(),
		Summary: "List the arms that may still be best, closest to the leader first",
	}, func(ctx context.Context, in *StudyPath) (*reply[wire.Contenders], error) {
		verdict, err := a.verdict(ctx, in.Study)
		return &reply[wire.Contenders]{wire.Contenders{Contenders: verdict.Contenders, Others: verdict.Others}}, err
	})
}

func (a *api) verdict(ctx context.Context, id string) (wire.Verdict, error) {
	progress, err := a.studies.Overview.Progress(ctx, id)
	if err != nil {
		return wire.Verdict{}, a.problem(err)
	}
	verdict, err := verdictOf(ctx, a.studies, progress)
	if err != nil {
		return wire.Verdict{}, a.problem(err)
	}
	return verdict, nil
}

func verdictOf(ctx context.Context, studies *wiring.Service, p overview.Progress) (wire.Verdict, error) {
	arms, err := studies.Live.ArmsWith(ctx, p.Study, p.Verdict.Arms()...)
	if err != nil {
		return wire.Verdict{}, err
	}
	return writeVerdict(p, arms, studies.Live.Cards(p.Study, arms)), nil
}

// writeVerdict returns a verdict over arms, with the cards of the arms that it names.
func writeVerdict(p overview.Progress, arms *archive.Catalogue, card func(arm int) archive.Card) wire.Verdict {
	v, settings, forecast := p.Verdict, p.Study.Settings.Strategy, p.Verdict.Forecast.Shown(p.Verdict.Answered)
	w := wire.Verdict{
		State: string(p.Study.State), Reason: string(p.Study.Reason), Status: v.Status, Contenders: []wire.Contender{}, Others: v.Others,
		Answers: v.Answered, Delta: settings.Delta, Epsilon: settings.Epsilon,
		Forecast: wire.Forecast{
			Known: forecast.Known, Median: forecast.Median, Low: forecast.Low, High: forecast.High,
			Hopeless: forecast.Hopeless, Epsilon: forecast.Epsilon,
		},
		Model: wire.Fit{Status: v.Model.Status.String(), Sentence: v.Model.Sentence, Remedy: v.Model.Remedy, Evidence: v.Model.Evidence},
		Plan:  p.Plan, At: p.At, Digest: v.Digest,
	}
	if p.Uncounted > 0 {
		w.Counting = &wire.Counting{Counted: p.Counted(), Total: p.Counted() + p.Uncounted}
	}
	if v.Model.Sentence != "" {
		w.Model.Check = v.Model.Check.String()
	}
	if v.Leader >= 0 {
		leader := writeArm(card(v.Leader))
		w.Leader = &leader
	}
	for _, c := range v.Contenders {
		w.Contenders = append(w.Contenders, wire.Contender{Arm: writeArm(card(c.Arm)), Evidence: c.Evidence, Lead: c.Lead, Low: c.Low, High: c.High})
	}
	w.Evidence, w.Threshold = p.Evidence()
	elimination := p.Elimination(arms.Arms)
	w.Rivals, w.Eliminated, w.Progress = elimination.Rivals, elimination.Eliminated, elimination.Share()
	return w
}
