package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
	"bestpick/internal/study"
	"bestpick/wire"
)

func (a *api) registerTokens() {
	huma.Register(a.huma, operation(
		"list-tokens", "GET "+allTokens, tagAccess, access.Owner, "List tokens by name",
		"Without their secrets, which are not stored.",
	), a.listTokens)
	huma.Register(a.huma, withStatus(http.StatusCreated, operation(
		"create-token", "POST "+allTokens, tagAccess, access.Owner, "Create a token or an invitation",
		"The reply contains the secret or the link, which is shown only once.",
	)), a.createToken)
	huma.Register(a.huma, withStatus(http.StatusNoContent, operation(
		"revoke-token", "POST /revocations", tagAccess, access.Owner, "Revoke a token or an invitation",
		"Takes effect at once. The last token of an owner cannot be revoked.",
	)), a.revokeToken)
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
	made, token, err := a.newToken(ctx, name, in.Body)
	if err != nil {
		return nil, err
	}
	err = a.Tokens.AddToken(ctx, token)
	if errors.Is(err, access.ErrTaken) {
		return nil, problem(http.StatusConflict, wire.Taken, "a token with this name exists already")
	}
	if err != nil {
		return nil, a.problem(err)
	}
	note(ctx, token.Summary())
	return &reply[wire.CreatedToken]{made}, nil
}

// newToken returns the token or invitation that a request describes, and the reply.
func (a *api) newToken(
	ctx context.Context, name string, in wire.NewToken,
) (made wire.CreatedToken, token access.Token, err error) {
	role, now := access.Role(in.Role), a.studies.Clock()
	if in.Study != "" && role != access.Viewer {
		return made, token, invalid("body.study", "only viewers can be restricted to a study")
	}
	if in.Study != "" {
		if _, err := a.studies.Store.Study(ctx, in.Study); errors.Is(err, study.ErrNotFound) {
			return made, token, invalid("body.study", "there is no study with this ID")
		} else if err != nil {
			return made, token, a.problem(err)
		}
	}
	if in.Invite {
		var secret string
		secret, token = access.Invite(name, role, in.Study, now)
		made.Link = a.Base + "/join/" + secret
	} else {
		made.Secret, token = access.New(name, role, now)
		token.Study = in.Study
	}
	made.AccessToken = writeToken(token)
	return made, token, nil
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
	return wire.AccessToken{Name: t.Name, Role: string(t.Role), Created: t.Created, Study: t.Study, Expires: t.Expires}
}

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
