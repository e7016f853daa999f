package api

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/wire"
)

func (a *api) registerArms() {
	huma.Register(a.huma, operation(
		"list-arms", "GET "+studyArms, tagArms, access.Viewer, "List the arms of a study", "",
	), a.listArms)
	huma.Register(a.huma, operation(
		"withdraw-arm", "POST "+oneStudy+"/withdrawals", tagArms, access.Owner, "Withdraw an arm",
		"It is not shown any more and cannot win. Its answers still count.",
	), a.withdrawArm)
}

type armsPageInput struct {
	StudyPath
	LongPage
}

// studyWithArms returns a study with its arms.
func (a *api) studyWithArms(ctx context.Context, id string) (study.Study, *archive.Catalogue, error) {
	s, err := a.studies.Store.Study(ctx, id)
	if err != nil {
		return study.Study{}, nil, err
	}
	arms, err := a.studies.Live.Arms(ctx, s)
	return s, arms, err
}

func (a *api) listArms(ctx context.Context, in *armsPageInput) (*reply[wire.Arms], error) {
	s, arms, err := a.studyWithArms(ctx, in.Study)
	if err != nil {
		return nil, a.problem(err)
	}
	after, err := cursorNumber(in.Cursor, 0)
	if err != nil {
		return nil, err
	}
	if after > int64(arms.Arms.Len()) {
		return nil, invalid("query.cursor", noCursor)
	}
	first := int(after)
	page := wire.Arms{Arms: []wire.Arm{}}
	end, card := min(first+in.Limit, arms.Arms.Len()), a.studies.Live.Cards(s, arms)
	for arm := first; arm < end; arm++ {
		written := writeArm(card(arm))
		written.Withdrawn = slices.Contains(s.Withdrawn, arm)
		page.Arms = append(page.Arms, written)
	}
	if end < arms.Arms.Len() {
		page.Next = strconv.Itoa(end)
	}
	return &reply[wire.Arms]{page}, nil
}

func (a *api) withdrawArm(ctx context.Context, in *guardedBody[wire.Withdrawal]) (*studyReply, error) {
	version, err := a.version(ctx, in.GuardedPath)
	if err != nil {
		return nil, err
	}
	changed, err := a.studies.Owner.Withdraw(ctx, in.Study, version, in.Body.Arm)
	if err != nil {
		return nil, a.problemOf("arm", err)
	}
	note(ctx, fmt.Sprintf("option %.100q", in.Body.Arm))
	return a.reply(changed, nil)
}

// writeArms returns arms with their cards.
func writeArms(arms []int, card func(arm int) archive.Card) []wire.Arm {
	written := make([]wire.Arm, len(arms))
	for i, arm := range arms {
		written[i] = writeArm(card(arm))
	}
	return written
}

func writeArm(card archive.Card) wire.Arm {
	arm := wire.Arm{ID: card.ID, Label: card.Label, Description: card.Description, Image: card.Image, Text: card.Text}
	for _, attribute := range card.Attributes {
		arm.Attributes = append(arm.Attributes, wire.Attribute(attribute))
	}
	return arm
}
