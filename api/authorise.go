package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/access"
	"bestpick/api/wire"
)

// ownerScheme is the name of the security scheme of owners.
const ownerScheme = "owner"

// owners marks an operation as one for owners, and for viewers if it only reads.
func owners() []map[string][]string { return []map[string][]string{{ownerScheme: {}}} }

// authorise lets nobody near the operations of owners who has not shown a token that allows them.
func (a *api) authorise(ctx huma.Context, next func(huma.Context)) {
	operation := ctx.Operation()
	if len(operation.Security) == 0 {
		next(ctx)
		return
	}
	token, err := a.token(ctx.Context(), ctx.Header("Authorization"))
	switch {
	case errors.Is(err, access.ErrUnknown):
		ctx.SetHeader("WWW-Authenticate", `Bearer realm="bestpick"`)
		a.refuse(ctx, problem(http.StatusUnauthorized, wire.Unauthorized, "this needs the token of an owner, as Authorization: Bearer …"))
	case err != nil:
		a.refuse(ctx, a.problem(err))
	case token.Role != access.Owner && operation.Method != http.MethodGet:
		a.refuse(ctx, problem(http.StatusForbidden, wire.Forbidden, "the token allows to read only"))
	default:
		next(ctx)
	}
}

// token returns the one that a header shows.
func (a *api) token(ctx context.Context, header string) (access.Token, error) {
	scheme, secret, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "bearer") || secret == "" {
		return access.Token{}, access.ErrUnknown
	}
	return a.Tokens.Token(ctx, access.Hash(secret))
}
