package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/wire"
)

func (a *api) registerTokens() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "list-tokens", Method: http.MethodGet, Path: allTokens, Tags: []string{tagAccess}, Security: owners(),
		Summary: "List tokens by name", Description: "Without their secrets, which are not stored.",
	}, a.listTokens)
	huma.Register(a.huma, huma.Operation{
		OperationID: "create-token", Method: http.MethodPost, Path: allTokens, Tags: []string{tagAccess}, Security: owners(),
		Summary: "Create a token", Description: "The reply contains the secret, which is shown only once.", DefaultStatus: http.StatusCreated,
	}, a.createToken)
	huma.Register(a.huma, huma.Operation{
		OperationID: "revoke-token", Method: http.MethodPost, Path: "/revocations", Tags: []string{tagAccess}, Security: owners(),
		Summary: "Revoke a token", Description: "Takes effect at once. The last token of an owner cannot be revoked.", DefaultStatus: http.StatusNoContent,
	}, a.revokeToken)
}

func (a *api) listTokens(ctx context.Context, _ *struct{}) (*reply[wire.AccessTokens], error) {
	found, err := a.Tokens.Tokens(ctx)
	if err != nil {
		return nil, a.problem(err)
	}
	list := wire.AccessTokens{Tokens: []wire.AccessToken{}}
	for _, t := range found {
		list.Tokens = append(list.Tokens, writeToken(t))
	}
	return &reply[wire.AccessTokens]{list}, nil
}

type newTokenInput struct{ Body wire.NewToken }

func (a *api) createToken(ctx context.Context, in *newTokenInput) (*reply[wire.CreatedToken], error) {
	name := strings.TrimSpace(in.Body.Name)
	if err := access.CheckName(name); err != nil {
		return nil, invalid("body.name", err.Error())
	}
	secret, token := access.New(name, access.Role(in.Body.Role), time.Now())
	err := a.Tokens.AddToken(ctx, token)
	if errors.Is(err, access.ErrTaken) {
		return nil, problem(http.StatusConflict, wire.Taken, "a token with this name exists already")
	}
	if err != nil {
		return nil, a.problem(err)
	}
	note(ctx, fmt.Sprintf("%q, %s", token.Name, token.Role))
	return &reply[wire.CreatedToken]{wire.CreatedToken{AccessToken: writeToken(token), Secret: secret}}, nil
}

type revocationInput struct{ Body wire.Revocation }

func (a *api) revokeToken(ctx context.Context, in *revocationInput) (*struct{}, error) {
	err := a.Tokens.RemoveToken(ctx, in.Body.Name)
	switch {
	case errors.Is(err, access.ErrUnknown):
		return nil, problem(http.StatusNotFound, wire.NotFound, "there is no token with this name")
	case errors.Is(err, access.ErrLast):
		return nil, problem(http.StatusConflict, wire.LastOwner, "this is the last token of an owner: create another one first")
	case err != nil:
		return nil, a.problem(err)
	}
	note(ctx, strconv.Quote(in.Body.Name))
	return &struct{}{}, nil
}

func writeToken(t access.Token) wire.AccessToken {
	return wire.AccessToken{Name: t.Name, Role: string(t.Role), Created: t.Created}
}
