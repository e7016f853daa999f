package api

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/choice"
	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/recorded"
	"bestpick/internal/study"
	"bestpick/internal/table"
	"bestpick/wire"
)

func (a *api) registerArms() {
	register(a, operation(
		"list-arms", "GET "+studyArms, tagArms, access.Viewer, "List the arms of a study",
		"A page of the options in the order of the file, with what their cards show.",
	), a.listArms)
	register(a, operation(
		"withdraw-arm", "POST "+oneStudy+"/withdrawals", tagArms, access.Owner, "Withdraw an arm",
		"It is not shown any more and cannot win. Its answers still count.",
	), a.withdrawArm)
}

type armsPageInput struct {
	StudyPath
	LongPage
}

func (a *api) listArms(ctx context.Context, in *armsPageInput) (*reply[wire.Arms], error) {
	s, arms, err := a.studies.Live.StudyWithArms(ctx, in.Study)
	if err != nil {
		return nil, err
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
		return nil, problemOf("arm", err)
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

// registerDraftFiles registers the operations on files that a draft may have besides its arms: contexts and the prior.
func (a *api) registerDraftFiles() {
	registerWithRows(a, operation(
		"set-contexts", "PUT "+oneStudy+"/contexts", tagArms, access.Owner, "Set the contexts of a draft",
		"Each question then shows the texts of its arms in one context, such as the replies of models to one "+
			"prompt, and not the arms themselves. Every context is asked equally often. Replaces earlier contexts; possible while "+
			"the study has no answers. The texts are a file, or objects in JSON of at most 8 MB.",
	), func(ctx context.Context, in *guardedForm[contextsForm]) (*taggedReply[wire.Contexts], error) {
		return a.setContexts(ctx, in.GuardedPath, *in.RawBody.Data())
	}, func(ctx context.Context, in *guardedBody[wire.NewContexts]) (*taggedReply[wire.Contexts], error) {
		return a.setContexts(ctx, in.GuardedPath, contextsForm{rowsFile("texts.jsonl", in.Body.Texts), in.Body.Format})
	})
	const prior = oneStudy + "/prior"
	registerWithRows(a, operation(
		"set-prior", "PUT "+prior, tagArms, access.Owner, "Set the prior of a draft",
		"Recorded choices inform the questions and predictions of the study and are no evidence: certificates "+
			"rest on its own answers. Only with racing under linear, without segments, for at most 64 features; the fallback is "+
			"turned off. Replaces an earlier prior; possible while the study has no answers. A study with a prior cannot import "+
			"answers, and replacing its arms removes the prior. The choices are a file, or objects in JSON of at most 8 MB.",
	), func(ctx context.Context, in *guardedForm[priorForm]) (*taggedReply[wire.Prior], error) {
		return a.setPrior(ctx, in.GuardedPath, in.RawBody.Data().Answers)
	}, func(ctx context.Context, in *guardedBody[wire.NewPrior]) (*taggedReply[wire.Prior], error) {
		return a.setPrior(ctx, in.GuardedPath, rowsFile("answers.jsonl", in.Body.Answers))
	})
	register(a, operation(
		"remove-prior", "DELETE "+prior, tagArms, access.Owner, "Remove the prior of a draft", "The fallback stays off.",
	), func(ctx context.Context, in *GuardedPath) (*studyReply, error) {
		version, err := a.version(ctx, *in)
		if err != nil {
			return nil, err
		}
		return a.reply(a.studies.Owner.RemovePrior(ctx, in.Study, version))
	})
}

// A contextsForm has a file of texts.
type contextsForm struct {
	Texts  huma.FormFile `form:"texts" required:"true" doc:"A table with the columns arm (its id), context and text, with one row for each arm in each context: CSV, .xlsx or JSON Lines. At most 100,000 rows, 10,000 contexts and 8 MB."`
	Format string        `form:"format" required:"false" enum:"plain,markdown" doc:"How the pages show contexts and texts. Defaults to plain."`
}

func (a *api) setContexts(ctx context.Context, in GuardedPath, form contextsForm) (*taggedReply[wire.Contexts], error) {
	version, err := a.version(ctx, in)
	if err != nil {
		return nil, err
	}
	format, err := archive.ParseTextFormat(form.Format)
	if err != nil {
		return nil, study.Invalid("format", err.Error())
	}
	var contexts *archive.Contexts
	changed, err := a.studies.Owner.SetContexts(ctx, in.Study, version, func(arms *archive.Catalogue) (*archive.Contexts, error) {
		contexts, err = arms.ReadContexts(uploaded(form.Texts, table.ContextsLimits()), format)
		return contexts, inFile(err)
	})
	if err != nil {
		return nil, uploadProblem(err, inField(textsField))
	}
	note(ctx, access.Counted(len(contexts.Names), "context"))
	return &taggedReply[wire.Contexts]{etag(changed), wire.Contexts{
		Contexts: len(contexts.Names), Texts: len(contexts.Names) * changed.Arms, Format: string(contexts.Format),
	}}, nil
}

// A priorForm has a file of recorded choices.
type priorForm struct {
	Answers huma.FormFile `form:"answers" required:"true" doc:"CSV or JSON Lines, with the arms shown and picked as in an export. At most 100,000 rows and 32 MB."`
}

func (a *api) setPrior(ctx context.Context, in GuardedPath, answers huma.FormFile) (*taggedReply[wire.Prior], error) {
	version, err := a.version(ctx, in)
	if err != nil {
		return nil, err
	}
	open := func(arms *choice.Catalogue, offer choice.Offer) (*choice.Tally, error) {
		tally, err := recorded.UploadedTally(uploaded(answers, table.PriorLimits()), arms, offer)
		return tally, inFile(err)
	}
	changed, err := a.studies.Owner.SetPrior(ctx, in.Study, version, open)
	if err != nil {
		return nil, uploadProblem(err, inField(answersField))
	}
	choices := changed.Settings.Choices()
	note(ctx, access.Counted(choices, "choice"))
	return &taggedReply[wire.Prior]{etag(changed), wire.Prior{Choices: choices}}, nil
}

// uploaded returns a file of a form with its limits.
func uploaded(file huma.FormFile, limits table.Limits) read.Upload {
	return read.Upload{Name: file.Filename, Contents: file, Size: file.Size, Limits: limits}
}
