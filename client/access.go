package client

import (
	"context"
	"net/http"

	"bestpick/wire"
)

// Tokens lists all tokens, sorted by name.
func (c *Client) Tokens(ctx context.Context) ([]wire.AccessToken, error) {
	var list wire.AccessTokens
	err := c.call(ctx, request{method: http.MethodGet, path: "/tokens"}, &list)
	return list.Tokens, err
}

// CreateToken creates a token with the role owner or viewer. Only this reply contains its secret.
func (c *Client) CreateToken(ctx context.Context, name, role string) (created wire.CreatedToken, err error) {
	err = c.post(ctx, "/tokens", wire.NewToken{Name: name, Role: role}, &created)
	return created, err
}

// RevokeToken revokes the token with a name.
func (c *Client) RevokeToken(ctx context.Context, name string) error {
	return c.post(ctx, "/revocations", wire.Revocation{Name: name}, nil)
}

// PublicKey reads the key that verifies the server's exported logs. It needs no token.
func (c *Client) PublicKey(ctx context.Context) (string, error) {
	var key wire.PublicKey
	err := c.call(ctx, request{method: http.MethodGet, path: "/public-key"}, &key)
	return key.PublicKey, err
}

// Audit reads a page of the audit log, newest entries first. An empty cursor reads the first page.
func (c *Client) Audit(ctx context.Context, cursor string) (page wire.Audit, err error) {
	err = c.call(ctx, request{method: http.MethodGet, path: "/audit", query: pageAt(cursor)}, &page)
	return page, err
}
