package client

import (
	"context"

	"bestpick/wire"
)

// Tokens lists all tokens, sorted by name.
func (c *Client) Tokens(ctx context.Context) ([]wire.AccessToken, error) {
	list, err := get[wire.AccessTokens](ctx, c, "/tokens")
	return list.Tokens, err
}

// CreateToken creates a token with the role owner or viewer. Only this reply contains its secret.
func (c *Client) CreateToken(ctx context.Context, name, role string) (wire.CreatedToken, error) {
	return post[wire.CreatedToken](ctx, c, "/tokens", wire.NewToken{Name: name, Role: role})
}

// Invite creates an invitation, or a token, as described. Only this reply contains its link or secret.
func (c *Client) Invite(ctx context.Context, t wire.NewToken) (wire.CreatedToken, error) {
	return post[wire.CreatedToken](ctx, c, "/tokens", t)
}

// RevokeToken revokes the token with a name.
func (c *Client) RevokeToken(ctx context.Context, name string) error {
	return c.tell(ctx, "/revocations", wire.Revocation{Name: name})
}

// PublicKey reads the key that verifies the server's exported logs. It needs no token.
func (c *Client) PublicKey(ctx context.Context) (string, error) {
	key, err := get[wire.PublicKey](ctx, c, "/public-key")
	return key.PublicKey, err
}

// Audit reads a page of the audit log, newest entries first. An empty cursor reads the first page.
func (c *Client) Audit(ctx context.Context, cursor string) (wire.Audit, error) {
	return getPage[wire.Audit](ctx, c, "/audit", cursor)
}
