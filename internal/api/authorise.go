package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
	"bestpick/wire"
)

// tokenScheme is the name of the security scheme of all who show a token.
const tokenScheme = "token"

// owners marks an operation as one for owners only.
func owners() []map[string][]string { return allowed(access.Owner) }

// viewers marks an operation as one for viewers, too.
func viewers() []map[string][]string { return allowed(access.Viewer) }

// allowed says in the description of an operation which role it needs.
func allowed(role access.Role) []map[string][]string {
	return []map[string][]string{{tokenScheme: {string(role)}}}
}

// needed returns the role that an operation needs, which is empty if everybody may.
func needed(operation *huma.Operation) access.Role {
	if len(operation.Security) == 0 {
		return ""
	}
	return access.Role(operation.Security[0][tokenScheme][0])
}

// authorise lets nobody near an operation who has not shown a token that allows it.
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
		a.refuse(ctx, problem(http.StatusForbidden, wire.Forbidden, "only an owner may do that, and the token is one of a viewer"))
	default:
		next(huma.WithValue(ctx, holderKey{}, token))
	}
}

// unauthorized is the problem of one whose token is none.
func unauthorized() *huma.ErrorModel {
	return problem(http.StatusUnauthorized, wire.Unauthorized, "this needs a token, as Authorization: Bearer …")
}

// holderKey is the key of the token that a request has shown.
type holderKey struct{}

// holder returns the token that a request has shown, which is empty where none is needed.
func holder(ctx context.Context) access.Token {
	token, _ := ctx.Value(holderKey{}).(access.Token)
	return token
}

// token returns the one that a header shows.
func (a *api) token(ctx context.Context, header string) (access.Token, error) {
	secret := middleware.Bearer(header)
	if secret == "" {
		return access.Token{}, access.ErrUnknown
	}
	return a.Tokens.Token(ctx, access.Hash(secret))
}
