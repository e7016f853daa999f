package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/api/wire"
	"bestpick/catalogue"
)

func (a *api) registerArms() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "list-arms", Method: http.MethodGet, Path: "/studies/{study}/arms", Tags: []string{tagArms}, Security: owners(),
		Summary: "List the arms of a study",
	}, a.listArms)
	huma.Register(a.huma, huma.Operation{
		OperationID: "withdraw-arm", Method: http.MethodPost, Path: "/studies/{study}/arms/{arm}/withdraw", Tags: []string{tagArms}, Security: owners(),
		Summary: "Withdraw an arm", Description: "It is not asked about any more and cannot win. Answers about it stay.",
	}, a.withdrawArm)
}

func (a *api) listArms(ctx context.Context, in *struct {
	StudyPath

	Cursor string `query:"cursor" maxLength:"20" doc:"The next of the page before."`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}) (*struct{ Body wire.Arms }, error) {
	s, err := a.studies.Study(ctx, in.Study)
	if err != nil {
		return nil, a.problem(err)
	}
	arms, err := a.studies.Arms(ctx, s)
	if err != nil {
		return nil, a.problem(err)
	}
	first := 0
	if in.Cursor != "" {
		if first, err = strconv.Atoi(in.Cursor); err != nil || first < 0 || first > arms.Arms.Len() {
			return nil, invalid("query.cursor", "this is not the cursor of a page")
		}
	}
	reply := &struct{ Body wire.Arms }{Body: wire.Arms{Arms: []wire.Arm{}}}
	end := min(first+in.Limit, arms.Arms.Len())
	for arm := first; arm < end; arm++ {
		written := writeArm(arms.Card(arm))
		written.Withdrawn = slices.Contains(s.Withdrawn, arm)
		reply.Body.Arms = append(reply.Body.Arms, written)
	}
	if end < arms.Arms.Len() {
		reply.Body.Next = strconv.Itoa(end)
	}
	return reply, nil
}

func (a *api) withdrawArm(ctx context.Context, in *struct {
	GuardedPath

	Arm string `path:"arm" maxLength:"1000" doc:"The id of the arm."`
}) (*studyReply, error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	return a.reply(a.studies.Withdraw(ctx, in.Study, version, in.Arm))
}

func writeArm(card catalogue.Card) wire.Arm {
	arm := wire.Arm{ID: card.ID, Label: card.Label, Description: card.Description, Image: card.Image}
	for _, attribute := range card.Attributes {
		arm.Attributes = append(arm.Attributes, wire.Attribute(attribute))
	}
	return arm
}
