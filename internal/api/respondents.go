package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/wire"
)

func (a *api) registerRespondents() {
	register(a, operation(
		"ask", "POST "+oneStudy+"/questions", tagRespondents, "", "Ask for a question",
		"Leases a question to the respondent until it expires. People outside the audience of the study get 403. Only a "+
			"request with an owner's token may name respondents. If no question is available, which "+
			"can happen briefly under load, the reply is 503 "+
			"with Retry-After. A respondent can have 32 open questions, but no more than they may still answer; after that, an "+
			"open question is repeated. The type of a 409 problem says whether the respondent has answered enough, or the study "+
			"is a draft, paused, done or lapsed.",
	), a.ask)
	register(a, operation(
		"welcome", "GET "+oneStudy+"/welcome", tagRespondents, "", "Read the welcome",
		"What respondents read before the first question, and the text of consent if the study asks for it. If anyone with "+
			"the link may answer, also a name for one respondent, with a signature.",
	), a.welcome)
	register(a, operation(
		"answer-profile", "POST "+oneStudy+"/profiles", tagRespondents, "", "Answer the profile questions",
		"Stores what a respondent says about themselves, which a study with profile questions needs before it "+
			"asks. The first profile of a respondent stays. A respondent whose group is full gets 409 of type quota-full.",
	), a.answerProfile)
	register(a, operation(
		"answer", "POST "+oneStudy+"/answers", tagRespondents, "", "Answer a question",
		"The answer is on disk before the reply is sent. The operation is idempotent; a different answer to the "+
			"same question is a conflict. A repeated answer keeps its first rationale and metadata. A respondent who has reached "+
			"the study's limit of answers gets 409 of type enough, even with open questions. With next, the reply contains the "+
			"next question if one is available; otherwise ask for it.",
	), a.answer)
	register(a, operation(
		"skip", "POST "+oneStudy+"/skips", tagRespondents, "", "Skip a question",
		"With next, the reply contains the next question if one is available; otherwise ask for it.",
	), a.skip)
	register(a, operation(
		"undo", "POST "+oneStudy+"/undos", tagRespondents, "", "Take an answer back",
		"Possible until the answer is counted: see grace_seconds. The question can then be answered again, with "+
			"the same token.",
	), a.undo)
}

// A limitedReply is a body with what is left of the rate limit.
type limitedReply[T any] struct {
	QuotaHeaders

	Body T
}

func (a *api) welcome(ctx context.Context, in *StudyPath) (*reply[wire.Welcome], error) {
	st, err := a.studies.Live.CachedStudy(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	welcome := wire.Welcome{Texts: map[string]wire.WelcomeTexts{}, Privacy: st.Page.Privacy}
	if st.Settings.Audience == study.Anyone {
		welcome.Respondent = a.studies.Dispatch.Pass(st.ID, study.NewName())
	}
	for language := range st.Page.Texts {
		t := st.Page.In(language)
		welcome.Texts[language] = wire.WelcomeTexts{Welcome: t.Welcome, Consent: t.Consent, ConsentID: study.ConsentID(t.Consent)}
	}
	return &reply[wire.Welcome]{welcome}, nil
}

// agree stores the consent in a request, if there is one.
func (a *api) agree(ctx context.Context, id string, who dispatch.Who, consent string) error {
	if consent == "" {
		return nil
	}
	return a.studies.Dispatch.Agree(ctx, id, who, consent)
}

func (a *api) answerProfile(ctx context.Context, in *bodyInput[wire.ProfileAnswers]) (*limitedReply[wire.Admission], error) {
	sent := in.Body
	who, err := a.who(ctx, in.Study, sent.Respondent, dispatch.Who{Key: sent.Key, ID: sent.PID, Signature: sent.Signature})
	if err != nil {
		return nil, err
	}
	if err := a.agree(ctx, in.Study, who, sent.Consent); err != nil {
		return nil, err
	}
	name, err := a.studies.Dispatch.Admit(ctx, in.Study, who, sent.After, sent.Answers)
	quota := a.studies.Dispatch.Quota(who.Caller(in.Study))
	if err != nil {
		return nil, a.limited(err, quota)
	}
	return &limitedReply[wire.Admission]{
		quotaHeaders(quota),
		wire.Admission{Respondent: a.sent(in.Study, name, name != who.Name)},
	}, nil
}

func (a *api) ask(ctx context.Context, in *bodyInput[wire.Ask]) (*limitedReply[wire.Question], error) {
	lease, quota, err := a.lease(ctx, in.Study, in.Body)
	if err != nil {
		return nil, err
	}
	question, err := a.question(ctx, lease, in.Body.Key != "" || lease.Study.Settings.Audience != study.PlainIDs)
	return &limitedReply[wire.Question]{quotaHeaders(quota), question}, err
}

// question returns a question with the cards that the respondent may see. It contains the number of done questions only for
// callers that are known to be the respondent, not for callers that merely claim an id.
func (a *api) question(ctx context.Context, lease dispatch.Lease, known bool) (wire.Question, error) {
	arms, err := a.studies.Live.ArmsWith(ctx, lease.Study, lease.Shown...)
	if err != nil {
		return wire.Question{}, err
	}
	question := wire.Question{
		Token: lease.Token, Prompt: lease.Study.Prompt, Picks: lease.Picks(), Expires: lease.Expires,
		Each:       lease.Study.Settings.PerRespondent,
		Respondent: a.sent(lease.Study.ID, lease.Respondent, lease.Key != "" || lease.Study.Settings.Audience != study.Anyone),
	}
	if offer := lease.Study.Settings.Strategy.Offer; !offer.IsPlain() {
		question.None, question.Tie, question.Worst = offer.Outside, offer.Ties, offer.BestWorst
		if offer.BestWorst {
			question.Picks = 1 // the worst arm is a field of its own
		}
	}
	if known && question.Each != study.NoLimit {
		question.Done = &lease.Done
	}
	scene, card := a.studies.Live.QuestionCards(lease.Study, arms, lease.Position)
	question.Context, question.Format = scene.Name, string(scene.Format)
	question.Arms = writeArms(lease.Shown, card)
	return question, nil
}

// lease leases a question to a respondent. It also returns the headers about the rate limit.
func (a *api) lease(ctx context.Context, id string, ask wire.Ask) (lease dispatch.Lease, quota http.Header, err error) {
	who, err := a.who(ctx, id, ask.Respondent, dispatch.Who{Key: ask.Key, ID: ask.PID, Signature: ask.Signature})
	if err != nil {
		return lease, nil, err
	}
	if err = a.agree(ctx, id, who, ask.Consent); err == nil {
		lease, err = a.studies.Dispatch.AskAs(ctx, id, who, ask.Segment)
	}
	quota = a.studies.Dispatch.Quota(who.Caller(id))
	return lease, quota, a.limited(err, quota)
}

// who adds the name of an open link to a respondent: the one in a pass, the one in a request with an owner's token, or
// without one a new name.
func (a *api) who(ctx context.Context, id, respondent string, who dispatch.Who) (dispatch.Who, error) {
	name, ok := a.studies.Dispatch.Named(id, respondent)
	switch {
	case respondent == "":
		who.Name, who.Once = study.NewName(), who.ID == ""
	case ok:
		who.Name = name
	case who.Key != "" || who.ID != "": // which name the respondent
	default:
		header, _ := ctx.Value(tokenKey{}).(string)
		token, err := a.token(ctx, header)
		if err != nil && !errors.Is(err, access.ErrUnknown) {
			return who, err
		}
		if err != nil || !token.Role.May(access.Owner) {
			return who, problem(http.StatusForbidden, wire.Forbidden, "only an owner's token may name respondents: "+
				"send the respondent in the reply to welcome, or leave it out")
		}
		who.Name = respondent
	}
	return who, nil
}

// name returns the name of a respondent that an owner names, or whose pass they have.
func (a *api) name(id, respondent string) string {
	if name, ok := a.studies.Dispatch.Named(id, respondent); ok {
		return name
	}
	return respondent
}

// sent returns a name as a respondent sends it again: with a signature if the server has chosen it, and neither a key
// nor an id stands for it.
func (a *api) sent(id, name string, known bool) string {
	if known || !study.IsNewName(name) {
		return name
	}
	return a.studies.Dispatch.Pass(id, name)
}

// limited adds the headers about the rate limit to the error of a respondent who exceeds it.
func (a *api) limited(err error, quota http.Header) error {
	if err != nil && study.Coded(err).Code == study.CodeTooMany {
		return huma.ErrorWithHeaders(a.problem(err), quota)
	}
	return err
}

func (a *api) answer(ctx context.Context, in *bodyInput[wire.Answer]) (*limitedReply[wire.Outcome], error) {
	answer := in.Body
	return a.recordOutcome(ctx, in.Study, answer.Token, wire.KindAnswered, answer.Next, func(t dispatch.Ticket) error {
		picks, err := a.picks(ctx, t, answer)
		if err != nil {
			return err
		}
		return a.studies.Dispatch.AnswerWith(ctx, t, picks, noteOf(answer.Note))
	})
}

func (a *api) skip(ctx context.Context, in *bodyInput[wire.Skip]) (*limitedReply[wire.Outcome], error) {
	return a.recordOutcome(ctx, in.Study, in.Body.Token, wire.KindSkipped, in.Body.Next, func(t dispatch.Ticket) error {
		return a.studies.Dispatch.Skip(ctx, t)
	})
}

func (a *api) undo(ctx context.Context, in *bodyInput[wire.Undo]) (*limitedReply[wire.Outcome], error) {
	return a.recordOutcome(ctx, in.Study, in.Body.Token, wire.KindUndone, false, func(t dispatch.Ticket) error {
		return a.studies.Dispatch.Undo(ctx, t)
	})
}

// recordOutcome opens a token and records the outcome of its question. With next it deals another one, with the same ticket.
func (a *api) recordOutcome(
	ctx context.Context, id, token, kind string, next bool, record func(dispatch.Ticket) error,
) (*limitedReply[wire.Outcome], error) {
	t, err := a.studies.Dispatch.OpenTicket(ctx, id, token)
	if err == nil {
		err = record(t)
	}
	if err != nil {
		return nil, a.limited(err, a.studies.Dispatch.Quota(t.Caller()))
	}
	outcome := wire.Outcome{Kind: kind}
	if next {
		outcome.Next = a.next(ctx, t)
	}
	return &limitedReply[wire.Outcome]{quotaHeaders(a.studies.Dispatch.Quota(t.Caller())), outcome}, nil
}

// next leases another question to the respondent of a token that was just answered or skipped. It returns nil if that fails: the
// outcome is recorded, and the client learns the reason when it asks.
func (a *api) next(ctx context.Context, t dispatch.Ticket) *wire.Question {
	lease, err := a.studies.Dispatch.Next(ctx, t, 0)
	if err != nil {
		return nil
	}
	question, err := a.question(ctx, lease, true)
	if err != nil {
		return nil
	}
	return &question
}

// noteOf returns a note as the log has it.
func noteOf(n wire.Note) study.Note {
	return study.Note{Rationale: n.Rationale, Metadata: n.Metadata, Judge: study.ParseJudge(n.Judge)}
}

// picks returns the picks of an answer, as the log has them.
func (a *api) picks(ctx context.Context, t dispatch.Ticket, answer wire.Answer) ([]int, error) {
	given := slices.Clone(answer.Picks)
	if answer.Worst != "" {
		given = append(given, answer.Worst)
	}
	offer, instead := t.Study.Settings.Strategy.Offer, answer.None || answer.Tie
	switch {
	case answer.None && !offer.Outside, answer.Tie && !offer.Ties:
		return nil, study.Invalid("picks", "the study offers neither none nor tie, or not this one")
	case answer.None && answer.Tie, instead && len(given) > 0:
		return nil, study.Invalid("picks", "none, tie and picks exclude each other")
	case answer.None:
		return []int{study.None}, nil
	case answer.Tie:
		return []int{study.Tie}, nil
	case (answer.Worst != "") != offer.BestWorst:
		return nil, study.Invalid("worst", "the worst arm must be named if the question asks for it, and only then")
	}
	return a.slots(ctx, t, given)
}

// slots returns the slots of the picked arms.
func (a *api) slots(ctx context.Context, t dispatch.Ticket, picks []string) ([]int, error) {
	arms, err := a.studies.Live.ArmsWith(ctx, t.Study, t.Shown...)
	if err != nil {
		return nil, err
	}
	slots := make([]int, 0, len(picks))
	for i, pick := range picks {
		slot := slices.IndexFunc(t.Shown, func(arm int) bool { return arms.Arms.ID(arm) == pick })
		switch at := fmt.Sprintf("picks[%d]", i); {
		case slot < 0:
			return nil, study.Invalid(at, "the arm must be one of the arms shown")
		case slices.Contains(slots, slot):
			return nil, study.Invalid(at, "each arm can be picked once")
		}
		slots = append(slots, slot)
	}
	return slots, nil
}

func (a *api) registerErasures() {
	register(a, operation(
		"erase-respondent", "POST "+oneStudy+"/erasures", tagRespondents, access.Owner, "Erase the data of a respondent",
		"Removes their answers from the log, from derived data and from future exports, and recomputes the "+
			"verdict from the remaining answers. "+
			"All open questions of the study expire. The respondent is removed from the panel. The operation is idempotent. It "+
			"does not change earlier exports and backups.",
	), a.eraseRespondent)
	register(a, operation(
		"exclude-respondent", "POST "+oneStudy+"/exclusions", tagRespondents, access.Owner, "Exclude a respondent by hand",
		"For people whom you distrust after you have seen answers. A verdict is certified only if it holds with and without "+
			"them: their answers can no longer help an option to win, but still count against it. Possible until the study is "+
			"done, for at most 10 people, under majority without weights and without top. It cannot be undone. The log says "+
			"which arrival was excluded, and verification repeats it. Their answers use up no budget. The operation is idempotent.",
	), a.excludeRespondent)
}

func (a *api) excludeRespondent(ctx context.Context, in *guardedBody[wire.Exclude]) (*studyReply, error) {
	version, err := a.version(ctx, in.GuardedPath)
	if err != nil {
		return nil, err
	}
	changed, err := a.studies.Owner.Exclude(ctx, in.Study, version, a.name(in.Study, in.Body.Respondent))
	if err != nil {
		return nil, problemOf("respondent", err)
	}
	note(ctx, fmt.Sprintf("%d so far", len(changed.Excluded))) // without the respondent's name
	return a.reply(changed, nil)
}

// eraseRespondent continues if the client disconnects: with very many answers it may exceed the timeout of a proxy.
func (a *api) eraseRespondent(ctx context.Context, in *bodyInput[wire.Erase]) (*reply[wire.Erased], error) {
	ctx = context.WithoutCancel(ctx)
	e, err := a.studies.Owner.Erase(ctx, in.Study, a.name(in.Study, in.Body.Respondent))
	if err != nil {
		return nil, err
	}
	// without the respondent's name
	answers, skips := access.Counted(e.Answers, "answer"), access.Counted(e.Skips, "skip")
	note(ctx, fmt.Sprintf("%s, %s, %d taken back", answers, skips, e.TakenBack))
	arms, err := a.studies.Live.ArmsWith(ctx, e.After.Study, append(e.Before.Verdict.Arms(), e.After.Verdict.Arms()...)...)
	if err != nil {
		return nil, err
	}
	card := a.studies.Live.Cards(e.After.Study, arms)
	return &reply[wire.Erased]{wire.Erased{
		Answers: e.Answers, Skips: e.Skips, TakenBack: e.TakenBack, Member: e.Member, Before: writeVerdict(e.Before, arms, card),
		After:    writeVerdict(e.After, arms, card),
		Sentence: e.Sentence(func(arm int) string { return cmp.Or(card(arm).Label, card(arm).ID) }),
	}}, nil
}
