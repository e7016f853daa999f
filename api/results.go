package api

import (
	"context"
	"errors"
	"math"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/sse"

	"bestpick/api/wire"
	"bestpick/catalogue"
	"bestpick/study"
)

func (a *api) registerResults() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "verdict", Method: http.MethodGet, Path: "/studies/{study}/verdict", Tags: []string{tagResults}, Security: owners(),
		Summary: "Which arm is best, and how sure that is",
	}, func(ctx context.Context, in *StudyPath) (*struct{ Body wire.Verdict }, error) {
		verdict, err := a.verdict(ctx, in.Study)
		return &struct{ Body wire.Verdict }{verdict}, err
	})
	huma.Register(a.huma, huma.Operation{
		OperationID: "contenders", Method: http.MethodGet, Path: "/studies/{study}/contenders", Tags: []string{tagResults}, Security: owners(),
		Summary: "Arms that may still be better than the leader, the most doubtful first",
	}, func(ctx context.Context, in *StudyPath) (*struct{ Body wire.Contenders }, error) {
		verdict, err := a.verdict(ctx, in.Study)
		return &struct{ Body wire.Contenders }{wire.Contenders{Contenders: verdict.Contenders, Others: verdict.Others}}, err
	})
	sse.Register(a.huma, huma.Operation{
		OperationID: "events", Method: http.MethodGet, Path: "/studies/{study}/events", Tags: []string{tagResults}, Security: owners(),
		Summary: "The verdict whenever it changes, as server-sent events", Description: "The first comes at once. The stream ends when the study is deleted or the server stops.",
	}, map[string]any{"verdict": wire.Verdict{}, "problem": wire.Problem{}}, a.events)
}

func (a *api) verdict(ctx context.Context, id string) (wire.Verdict, error) {
	progress, err := a.studies.Progress(ctx, id)
	if err != nil {
		return wire.Verdict{}, a.problem(err)
	}
	arms, err := a.studies.Arms(ctx, progress.Study)
	if err != nil {
		return wire.Verdict{}, a.problem(err)
	}
	return writeVerdict(progress, arms), nil
}

// events tells the verdict until somebody has enough.
func (a *api) events(ctx context.Context, in *StudyPath, send sse.Sender) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(a.Closing, cancel)()
	err := a.studies.Watch(ctx, in.Study, func(p study.Progress) error {
		arms, err := a.studies.Arms(ctx, p.Study)
		if err != nil {
			return err
		}
		return send(sse.Message{ID: p.Plan, Data: writeVerdict(p, arms)})
	})
	if err == nil || ctx.Err() != nil {
		return
	}
	if told, ok := errors.AsType[*huma.ErrorModel](a.problem(err)); ok {
		_ = send.Data(wire.Problem{Type: told.Type, Title: told.Title, Status: told.Status, Detail: told.Detail}) // the stream ends in any case
	}
}

func writeVerdict(p study.Progress, arms *catalogue.Saved) wire.Verdict {
	v, settings := p.Verdict, p.Study.Settings.Strategy
	w := wire.Verdict{
		State: string(p.Study.State), Reason: string(p.Study.Reason), Status: v.Status, Contenders: []wire.Contender{}, Others: v.Others,
		Answers: v.Answered, Threshold: math.Log(1 / settings.Delta), Delta: settings.Delta, Epsilon: settings.Epsilon,
		Forecast: wire.Forecast{
			Known: v.Forecast.Known, Median: v.Forecast.Median, Low: v.Forecast.Low, High: v.Forecast.High,
			Hopeless: v.Forecast.Hopeless, Epsilon: v.Forecast.Epsilon,
		},
		Model: wire.Fit{Status: v.Model.Status.String(), Sentence: v.Model.Sentence, Remedy: v.Model.Remedy, Evidence: v.Model.Evidence},
		Plan:  p.Plan, At: p.At, Digest: v.Digest,
	}
	if v.Model.Sentence != "" {
		w.Model.Check = v.Model.Check.String()
	}
	if v.Leader >= 0 {
		leader := writeArm(arms.Card(v.Leader))
		w.Leader = &leader
	}
	w.Evidence = w.Threshold
	for i, c := range v.Contenders {
		w.Contenders = append(w.Contenders, wire.Contender{Arm: writeArm(arms.Card(c.Arm)), Evidence: c.Evidence, Lead: c.Lead, Low: c.Low, High: c.High})
		if i == 0 || c.Evidence < w.Evidence {
			w.Evidence = c.Evidence
		}
	}
	if p.Plan == 0 {
		w.Evidence = 0
	}
	return w
}
