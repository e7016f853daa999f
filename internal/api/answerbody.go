package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/wire"
)

// Answers are the most frequent requests. The library would parse their body twice, to validate and
// to bind it. Instead, readBody validates the body that it has decoded, and answerOf binds it.

// answerOperation adds the request body to the operation that takes answers. The limits are the
// library's defaults.
func (a *api) answerOperation(o huma.Operation) huma.Operation {
	schema := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[wire.Answer](), true, "")
	o.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{jsonType: {Schema: schema}}}
	o.SkipValidateBody, o.MaxBodyBytes, o.BodyReadTimeout = true, 1<<20, 5*time.Second
	return o
}

// validate returns the problem of a decoded body that does not fit the schema of its operation.
func (a *api) validate(operation *huma.Operation, body any) *huma.ErrorModel {
	at, found := huma.NewPathBuffer(nil, 0), huma.ValidateResult{}
	at.Push("body")
	huma.Validate(
		a.huma.OpenAPI().Components.Schemas, operation.RequestBody.Content[jsonType].Schema, at, huma.ModeWriteToServer, body, &found,
	)
	if len(found.Errors) == 0 {
		return nil
	}
	told, _ := errors.AsType[*huma.ErrorModel](huma.NewError(http.StatusUnprocessableEntity, "validation failed", found.Errors...))
	return told
}

// decodedBody is the key of a valid body in the context of a request.
type decodedBody struct{}

// answerOf returns the body of a request with an answer.
func answerOf(ctx context.Context) (answer wire.Answer) {
	body, _ := ctx.Value(decodedBody{}).(map[string]any)
	answer.Token, _ = body["token"].(string)
	answer.Next, _ = body["next"].(bool)
	answer.Worst, _ = body["worst"].(string)
	answer.None, _ = body["none"].(bool)
	answer.Tie, _ = body["tie"].(bool)
	picks, _ := body["picks"].([]any)
	for _, pick := range picks {
		id, _ := pick.(string)
		answer.Picks = append(answer.Picks, id)
	}
	answer.Rationale, _ = body["rationale"].(string)
	answer.Judge, _ = body["judge"].(string)
	metadata, _ := body["metadata"].(map[string]any)
	for name, value := range metadata {
		if answer.Metadata == nil {
			answer.Metadata = map[string]string{}
		}
		answer.Metadata[name], _ = value.(string)
	}
	return answer
}
