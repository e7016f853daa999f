package api

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/api/wire"
	"bestpick/study"
)

func (a *api) registerRespondents() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "ask", Method: http.MethodPost, Path: "/studies/{study}/questions", Tags: []string{tagRespondents},
		Summary: "Ask for a question", Description: "It is the respondent's until it expires. While there is none, which takes a moment when many come at once, the reply is 503 with Retry-After.",
	}, a.ask)
	huma.Register(a.huma, huma.Operation{
		OperationID: "answer", Method: http.MethodPost, Path: "/studies/{study}/answers", Tags: []string{tagRespondents},
		Summary: "Answer a question", Description: "When the reply comes the answer is on disk. The same again gets the same reply; another one is a conflict.",
	}, a.answer)
	huma.Register(a.huma, huma.Operation{
		OperationID: "skip", Method: http.MethodPost, Path: "/studies/{study}/skips", Tags: []string{tagRespondents},
		Summary: "Skip a question that one cannot decide",
	}, func(ctx context.Context, in *tokenInput) (*outcomeReply, error) {
		return a.outcome(study.Skipped, a.studies.Skip(ctx, in.Study, in.Body.Token))
	})
	huma.Register(a.huma, huma.Operation{
		OperationID: "undo", Method: http.MethodPost, Path: "/studies/{study}/undos", Tags: []string{tagRespondents},
		Summary: "Take an answer back", Description: "As long as it is not counted: see grace_seconds. The question can then be answered again, with the same token.",
	}, func(ctx context.Context, in *tokenInput) (*outcomeReply, error) {
		return a.outcome(study.Undone, a.studies.Undo(ctx, in.Study, in.Body.Token))
	})
}

type tokenInput struct {
	StudyPath

	Body wire.Token
}

type outcomeReply struct{ Body wire.Outcome }

func (a *api) outcome(kind study.Kind, err error) (*outcomeReply, error) {
	if err != nil {
		return nil, a.problem(err)
	}
	return &outcomeReply{wire.Outcome{Kind: string(kind)}}, nil
}

func (a *api) ask(ctx context.Context, in *struct {
	StudyPath

	Body wire.Ask
}) (*struct{ Body wire.Question }, error) {
	respondent := in.Body.Respondent
	if respondent == "" {
		respondent = strings.ToLower(rand.Text())
	}
	lease, err := a.studies.Ask(ctx, in.Study, respondent, in.Body.Segment)
	if err != nil {
		return nil, a.problem(err)
	}
	arms, err := a.studies.Arms(ctx, lease.Study)
	if err != nil {
		return nil, a.problem(err)
	}
	question := wire.Question{
		Token: lease.Token, Respondent: respondent, Prompt: lease.Study.Prompt, Picks: lease.Picks, Expires: lease.Expires,
		Done: lease.Done, Each: lease.Study.Settings.Each,
	}
	for _, arm := range lease.Shown {
		question.Arms = append(question.Arms, writeArm(arms.Card(arm)))
	}
	return &struct{ Body wire.Question }{question}, nil
}

func (a *api) answer(ctx context.Context, in *struct {
	StudyPath

	Body wire.Answer
}) (*outcomeReply, error) {
	picks, err := a.slots(ctx, in.Study, in.Body)
	if err == nil {
		err = a.studies.Answer(ctx, in.Study, in.Body.Token, picks)
	}
	return a.outcome(study.Answered, err)
}

// slots finds the arms that were picked among those shown.
func (a *api) slots(ctx context.Context, id string, answer wire.Answer) ([]int, error) {
	s, err := a.studies.Study(ctx, id)
	if err != nil {
		return nil, err
	}
	shown, err := a.studies.Shown(id, answer.Token)
	if err != nil {
		return nil, err
	}
	arms, err := a.studies.Arms(ctx, s)
	if err != nil {
		return nil, err
	}
	slots := make([]int, len(answer.Picks))
	for i, pick := range answer.Picks {
		slots[i] = slices.IndexFunc(shown, func(arm int) bool { return arms.Arms.ID(arm) == pick })
		if slots[i] < 0 {
			return nil, &study.FieldError{Field: "picks", Problem: "an arm was picked that was not shown"}
		}
	}
	return slots, nil
}
