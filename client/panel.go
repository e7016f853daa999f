package client

import (
	"context"
	"net/http"

	"bestpick/wire"
)

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
	return upload[wire.Joined](ctx, c, request{method: http.MethodPost, path: at(study, "panel", "import")}, nil, map[string]File{"members": members})
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
