package client

import (
	"context"
	"net/http"

	"bestpick/wire"
)

// Ask returns a question for a respondent. The first question of a respondent with a name deals all questions of their
// session. Without a name the respondent is another person each time, with this one question.
func (c *Client) Ask(ctx context.Context, study string, ask wire.Ask) (wire.Question, error) {
	return post[wire.Question](ctx, c, at(study, "questions"), ask)
}

// Welcome returns what respondents read before the first question. If a text asks for consent, its id must be in the
// respondent's first request.
func (c *Client) Welcome(ctx context.Context, study string) (wire.Welcome, error) {
	return get[wire.Welcome](ctx, c, at(study, "welcome"))
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

// Panel reads a page of a study's panel, with the links of its members. An empty cursor reads the
// first page.
func (c *Client) Panel(ctx context.Context, study, cursor string) (wire.Panel, error) {
	return getPage[wire.Panel](ctx, c, at(study, "panel"), cursor)
}

// AddMembers adds at most 300 respondents to the panel of a study and returns them with their
// links. From then on only members may answer. Existing members keep their links.
func (c *Client) AddMembers(ctx context.Context, study string, members ...wire.NewMember) ([]wire.Member, error) {
	panel, err := post[wire.Panel](ctx, c, at(study, "panel"), wire.NewMembers{Members: members})
	return panel.Members, err
}

// ImportMembers adds the members in a file of delimited text, like AddMembers.
func (c *Client) ImportMembers(ctx context.Context, study string, members File) (wire.Joined, error) {
	return upload[wire.Joined](
		ctx, c, request{method: http.MethodPost, path: at(study, "panel", "import")}, nil, map[string]File{"members": members},
	)
}

// RemoveMembers removes respondents from the panel of a study, and returns how many of them were
// members.
func (c *Client) RemoveMembers(ctx context.Context, study string, names ...string) (int, error) {
	done, err := post[wire.Removed](ctx, c, at(study, "panel", "removals"), wire.Removal{Names: names})
	return done.Removed, err
}

// RenewKey gives a member a new key and revokes the old one.
func (c *Client) RenewKey(ctx context.Context, study, name string) (wire.Member, error) {
	return post[wire.Member](ctx, c, at(study, "panel", "keys"), wire.Renewal{Name: name})
}
