package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
	"bestpick/internal/study"
	"bestpick/wire"
)

// tokenScheme is the name of the security scheme for tokens.
const tokenScheme = "token"

// needed returns the role that an operation needs, or an empty string if it needs no token.
func needed(operation *huma.Operation) access.Role {
	if len(operation.Security) == 0 {
		return ""
	}
	return access.Role(operation.Security[0][tokenScheme][0])
}

// authorise rejects requests whose token lacks the role that the operation needs.
func (a *api) authorise(ctx huma.Context, next func(huma.Context)) {
	role := needed(ctx.Operation())
	if role == "" {
		next(ctx)
		return
	}
	token, err := a.token(ctx.Context(), ctx.Header("Authorization"))
	switch {
	case errors.Is(err, access.ErrUnknown):
		ctx.SetHeader("WWW-Authenticate", `Bearer realm="bestpick"`)
		a.refuse(ctx, unauthorized())
	case err != nil:
		a.refuse(ctx, a.problem(err))
	case !token.Role.May(role):
		a.refuse(ctx, problem(http.StatusForbidden, wire.Forbidden, "this operation needs the token of an owner, got one of a viewer"))
	case !seesOperation(ctx, token):
		a.refuse(ctx, a.problem(study.ErrNotFound))
	default:
		next(huma.WithValue(ctx, holderKey{}, token))
	}
}

// seesOperation reports whether a token that may be restricted to one study allows the operation. The list of
// studies has only those that the token sees.
func seesOperation(ctx huma.Context, token access.Token) bool {
	return token.Sees(ctx.Param("study")) || ctx.Operation().OperationID == listStudies
}

// unauthorized returns the 401 problem for a missing or unknown token.
func unauthorized() *huma.ErrorModel {
	return problem(http.StatusUnauthorized, wire.Unauthorized, "a valid token is required in the header Authorization: Bearer …")
}

// holderKey is the context key of the request's token.
type holderKey struct{}

// holder returns the token of a request. It is empty if the operation needs none.
func holder(ctx context.Context) access.Token {
	token, _ := ctx.Value(holderKey{}).(access.Token)
	return token
}

// token returns the token of an Authorization header.
func (a *api) token(ctx context.Context, header string) (access.Token, error) {
	secret := middleware.Bearer(header)
	if secret == "" {
		return access.Token{}, access.ErrUnknown
	}
	return a.Tokens.Token(ctx, access.Hash(secret))
}
