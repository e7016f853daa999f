package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/study"
	"bestpick/wire"
)

func (a *api) registerErasures() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "erase-respondent", Method: http.MethodPost, Path: oneStudy + "/erasures", Tags: []string{tagRespondents}, Security: owners(),
		Summary: "Delete what is known of a respondent",
		Description: "Their answers are removed from the log, from all that was computed, and from exports, and the verdict is computed anew from those that are left. " +
			"Questions that are out, whoever has them, are not taken any more. They are no longer in the panel, either. If nothing is known of the respondent nothing happens. Files that were exported before, and backups, stay as they are.",
	}, a.eraseRespondent)
}

type eraseInput struct {
	StudyPath

	Body wire.Erase
}

// eraseRespondent goes on if the one who asked has gone: with very many answers it takes longer than a proxy on the way may wait.
func (a *api) eraseRespondent(ctx context.Context, in *eraseInput) (*reply[wire.Erased], error) {
	ctx = context.WithoutCancel(ctx)
	e, err := a.studies.Erase(ctx, in.Study, in.Body.Respondent)
	if err != nil {
		return nil, a.problem(err)
	}
	a.Respondents.Forget(study.Caller(in.Study, in.Body.Respondent, ""))
	note(ctx, fmt.Sprintf("%d answers, %d skips, %d taken back", e.Answers, e.Skips, e.TakenBack)) // and not whose
	arms, err := a.studies.ArmsWith(ctx, e.After.Study, append(e.Before.Verdict.Arms(), e.After.Verdict.Arms()...)...)
	if err != nil {
		return nil, a.problem(err)
	}
	card := a.studies.Cards(e.After.Study, arms)
	return &reply[wire.Erased]{wire.Erased{
		Answers: e.Answers, Skips: e.Skips, TakenBack: e.TakenBack, Member: e.Member, Before: writeVerdict(e.Before, arms, card), After: writeVerdict(e.After, arms, card),
		Sentence: e.Sentence(func(arm int) string { return cmp.Or(card(arm).Label, card(arm).ID) }),
	}}, nil
}
