package client

import (
	"context"

	"bestpick/wire"
)

// Ask returns a question for a respondent.
func (c *Client) Ask(ctx context.Context, study string, ask wire.Ask) (wire.Question, error) {
	return post[wire.Question](ctx, c, at(study, "questions"), ask)
}

// AnswerProfile sends what a respondent says about themselves, and returns the respondent's name. A study with profile
// questions requires it before Ask.
func (c *Client) AnswerProfile(ctx context.Context, study string, profile wire.ProfileAnswers) (string, error) {
	admitted, err := post[wire.Admission](ctx, c, at(study, "profiles"), profile)
	return admitted.Respondent, err
}

// Answer answers a question with the ids of arms, best first. It is idempotent.
func (c *Client) Answer(ctx context.Context, study, token string, picks ...string) error {
	return c.tell(ctx, at(study, "answers"), wire.Answer{Token: token, Picks: picks})
}

// AnswerAndAsk answers a question and returns the next one. The next question is nil if none is
// available; Ask then returns the reason.
func (c *Client) AnswerAndAsk(ctx context.Context, study, token string, picks ...string) (*wire.Question, error) {
	outcome, err := post[wire.Outcome](ctx, c, at(study, "answers"), wire.Answer{Token: token, Picks: picks, Next: true})
	return outcome.Next, err
}

// Reply answers a question in any way that the question offers. It is idempotent. The next question
// is in the outcome if the answer asks for it and one is available.
func (c *Client) Reply(ctx context.Context, study string, answer wire.Answer) (wire.Outcome, error) {
	return post[wire.Outcome](ctx, c, at(study, "answers"), answer)
}

// Skip records that the respondent cannot decide.
func (c *Client) Skip(ctx context.Context, study, token string) error {
	return c.tell(ctx, at(study, "skips"), wire.Skip{Token: token})
}

// Undo takes an answer back, if it is not yet counted.
func (c *Client) Undo(ctx context.Context, study, token string) error {
	return c.tell(ctx, at(study, "undos"), wire.Undo{Token: token})
}
