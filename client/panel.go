package client

import (
	"context"
	"net/http"

	"bestpick/wire"
)

// Panel reads a page of a study's panel, with the links of its members. An empty cursor reads the
// first page.
func (c *Client) Panel(ctx context.Context, study, cursor string) (page wire.Panel, err error) {
	err = c.call(ctx, request{method: http.MethodGet, path: at(study, "panel"), query: pageAt(cursor)}, &page)
	return page, err
}

// AddMembers adds at most 300 respondents to the panel of a study and returns them with their
// links. From then on only members may answer. Existing members keep their links.
func (c *Client) AddMembers(ctx context.Context, study string, members ...wire.NewMember) ([]wire.Member, error) {
	var panel wire.Panel
	err := c.post(ctx, at(study, "panel"), wire.NewMembers{Members: members}, &panel)
	return panel.Members, err
}

// ImportMembers adds the members in a file of delimited text, like AddMembers.
func (c *Client) ImportMembers(ctx context.Context, study string, members File) (done wire.Joined, err error) {
	err = c.upload(ctx, request{method: http.MethodPost, path: at(study, "panel", "import")}, nil, map[string]File{"members": members}, &done)
	return done, err
}

// RemoveMembers removes respondents from the panel of a study, and returns how many of them were
// members.
func (c *Client) RemoveMembers(ctx context.Context, study string, names ...string) (int, error) {
	var done wire.Removed
	err := c.post(ctx, at(study, "panel", "removals"), wire.Removal{Names: names}, &done)
	return done.Removed, err
}

// RenewKey gives a member a new key and revokes the old one.
func (c *Client) RenewKey(ctx context.Context, study, name string) (m wire.Member, err error) {
	err = c.post(ctx, at(study, "panel", "keys"), wire.Renewal{Name: name}, &m)
	return m, err
}
