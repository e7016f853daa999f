package api

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
	"bestpick/internal/study"
	"bestpick/wire"
)

func (a *api) registerTokens() {
	register(a, operation(
		"list-tokens", "GET "+allTokens, tagAccess, access.Owner, "List tokens by name",
		"Without their secrets, which are not stored.",
	), a.listTokens)
	register(a, withStatus(http.StatusCreated, operation(
		"create-token", "POST "+allTokens, tagAccess, access.Owner, "Create a token or an invitation",
		"The reply contains the secret or the link, which is shown only once.",
	)), a.createToken)
	register(a, withStatus(http.StatusNoContent, operation(
		"revoke-token", "POST /revocations", tagAccess, access.Owner, "Revoke a token or an invitation",
		"Takes effect at once. The last token of an owner cannot be revoked.",
	)), a.revokeToken)
}

func (a *api) listTokens(ctx context.Context, _ *struct{}) (*reply[wire.AccessTokens], error) {
	found, err := a.Tokens.Tokens(ctx)
	list := wire.AccessTokens{Tokens: []wire.AccessToken{}}
	for _, t := range found {
		list.Tokens = append(list.Tokens, writeToken(t))
	}
	return &reply[wire.AccessTokens]{list}, err
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
		return nil, err
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
			return made, token, err
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
		return nil, err
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
		next(huma.WithValue(ctx, tokenKey{}, ctx.Header("Authorization")))
		return
	}
	token, err := a.token(ctx.Context(), ctx.Header("Authorization"))
	switch {
	case errors.Is(err, access.ErrUnknown):
		if middleware.Bearer(ctx.Header("Authorization")) != "" {
			a.refusals.Record(ctx.Context(), a.Audit, access.Entry{At: a.studies.Clock(), Operation: "token-refused"},
				middleware.AddressOf(ctx.Context()).String(), a.Log)
		}
		ctx.SetHeader("WWW-Authenticate", `Bearer realm="bestpick"`)
		a.refuse(ctx, unauthorized())
	case err != nil:
		a.refuse(ctx, a.problem(err))
	case !token.Role.May(role):
		a.refuse(ctx, problem(http.StatusForbidden, wire.Forbidden, "this operation needs the token of an owner, got one of a viewer"))
	case !token.Sees(ctx.Param("study")) && ctx.Operation().OperationID != listStudies: // the list has only studies that it may see
		a.refuse(ctx, a.problem(study.ErrNotFound))
	default:
		next(huma.WithValue(ctx, holderKey{}, token))
	}
}

// unauthorized returns the 401 problem for a missing or unknown token.
func unauthorized() *huma.ErrorModel {
	return problem(http.StatusUnauthorized, wire.Unauthorized, "a valid token is required in the header Authorization: Bearer …")
}

// tokenKey is the context key of the Authorization header of a request that needs no token. It is checked where a token
// allows more.
type tokenKey struct{}

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

// listPanel is the operation that reads the keys of a panel.
const listPanel = "list-panel"

// leavesEntry reports whether an operation is audited: all operations that need a token and change
// something, all exports, and reading the keys of a panel.
func leavesEntry(operation *huma.Operation) bool {
	return needed(operation) != "" && (operation.Method != http.MethodGet || slices.Contains(operation.Tags, tagFiles) ||
		operation.OperationID == listPanel)
}

// audit is middleware that adds an entry to the audit log after an operation has succeeded, before
// the reply. Operations need not do this, but may add details with note.
func (a *api) audit(ctx huma.Context, next func(huma.Context)) {
	if !leavesEntry(ctx.Operation()) || ctx.Method() == http.MethodHead {
		next(ctx)
		return
	}
	who := holder(ctx.Context())
	entry := &access.Entry{By: who.Name, Token: who.ID(), Operation: ctx.Operation().OperationID, Study: ctx.Param("study")}
	next(&recordedContext{huma.WithValue(ctx, entryKey{}, entry), a, entry})
}

// A recordedContext is the context of an audited request.
type recordedContext struct {
	humaContext

	api   *api
	entry *access.Entry
}

// A humaContext is embedded under this name, because one of its methods is called Context.
type humaContext huma.Context

// Unwrap returns the context of the library.
func (c *recordedContext) Unwrap() huma.Context { return c.humaContext }

// SetStatus adds the entry. The library calls it after the operation has succeeded, before it sends the reply.
func (c *recordedContext) SetStatus(status int) {
	if status < http.StatusMultipleChoices {
		c.entry.At = c.api.studies.Clock()
		access.Record(c.Context(), c.api.Audit, *c.entry, c.api.Log)
	}
	c.humaContext.SetStatus(status)
}

// entryKey is the key of the entry of a request.
type entryKey struct{}

// note adds details to the entry of a request. They must not contain tokens or data of respondents.
func note(ctx context.Context, detail string) { noted(ctx).Detail = detail }

func noted(ctx context.Context) *access.Entry {
	entry, ok := ctx.Value(entryKey{}).(*access.Entry)
	if !ok {
		return &access.Entry{} // the operation is not audited, such as HEAD
	}
	return entry
}

func (a *api) registerAudit() {
	register(a, operation(
		"read-audit", "GET /audit", tagAccess, access.Owner, "Read the audit log, newest first",
		"Sign-ins, refused tokens, all changes and exports are logged. Deleting a study does not delete its entries.",
	), a.readAudit)
}

func (a *api) readAudit(ctx context.Context, in *LongPage) (*reply[wire.Audit], error) {
	before, err := cursorNumber(in.Cursor, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	found, err := a.Audit.Entries(ctx, before, in.Limit+1)
	if err != nil {
		return nil, err
	}
	found, next := pageOf(found, in.Limit, func(e access.Entry) string { return strconv.FormatInt(e.Number, 10) })
	page := wire.Audit{Entries: []wire.Entry{}, Next: next}
	for _, e := range found {
		page.Entries = append(page.Entries, wire.Entry{
			At: e.At, By: e.By, Token: e.Token, Operation: e.Operation, Study: e.Study, Detail: e.Detail,
		})
	}
	return &reply[wire.Audit]{page}, nil
}

// differences returns the JSON names of the fields that differ between two versions of a study.
func differences(was, is wire.Study) (fields []string) {
	before, after := asFields(was), asFields(is)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if before[name] != after[name] {
			fields = append(fields, name)
		}
		delete(after, name)
	}
	return append(fields, slices.Sorted(maps.Keys(after))...)
}

// asFields returns the fields that owners can change by their JSON names, without empty ones.
func asFields(s wire.Study) map[string]string {
	fields := map[string]string{}
	own := wire.Change{Name: &s.Name, Prompt: &s.Prompt, Page: s.Page, Profile: s.Profile}
	for name, value := range convert[map[string]json.RawMessage](own) {
		fields[name] = string(value)
	}
	for name, value := range convert[map[string]json.RawMessage](s.Settings) {
		fields["settings."+name] = string(value)
	}
	return fields
}
