package api

import (
	"cmp"
	"context"
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/wire"
)

func (a *api) registerErasures() {
	huma.Register(a.huma, operation(
		"erase-respondent", "POST "+oneStudy+"/erasures", tagRespondents, access.Owner, "Erase the data of a respondent",
		"Removes their answers from the log, from derived data and from future exports, and recomputes the "+
			"verdict from the remaining answers. "+
			"All open questions of the study expire. The respondent is removed from the panel. The operation is idempotent. It "+
			"does not change earlier exports and backups.",
	), a.eraseRespondent)
}

// eraseRespondent continues if the client disconnects: with very many answers it may exceed the
// timeout of a proxy.
func (a *api) eraseRespondent(ctx context.Context, in *bodyInput[wire.Erase]) (*reply[wire.Erased], error) {
	ctx = context.WithoutCancel(ctx)
	e, err := a.studies.Owner.Erase(ctx, in.Study, in.Body.Respondent)
	if err != nil {
		return nil, a.problem(err)
	}
	// without the respondent's name
	answers, skips := access.Counted(e.Answers, "answer"), access.Counted(e.Skips, "skip")
	note(ctx, fmt.Sprintf("%s, %s, %d taken back", answers, skips, e.TakenBack))
	arms, err := a.studies.Live.ArmsWith(ctx, e.After.Study, append(e.Before.Verdict.Arms(), e.After.Verdict.Arms()...)...)
	if err != nil {
		return nil, a.problem(err)
	}
	card := a.studies.Live.Cards(e.After.Study, arms)
	return &reply[wire.Erased]{wire.Erased{
		Answers: e.Answers, Skips: e.Skips, TakenBack: e.TakenBack, Member: e.Member, Before: writeVerdict(e.Before, arms, card),
		After:    writeVerdict(e.After, arms, card),
		Sentence: e.Sentence(func(arm int) string { return cmp.Or(card(arm).Label, card(arm).ID) }),
	}}, nil
}
