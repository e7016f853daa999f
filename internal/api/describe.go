package api

import (
	"maps"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/middleware"
	"bestpick/wire"
)

// describe completes the OpenAPI document with everything that the library does not know: problems,
// requests without a token, events and webhooks.
func (a *api) describe() {
	spec := a.huma.OpenAPI()
	spec.Servers[0].URL = a.Base + Prefix
	problems := map[string]*huma.MediaType{problemType: {Schema: a.schemaOf(reflect.TypeFor[wire.Problem]())}}
	spec.Components.Responses = map[string]*huma.Response{"Refused": {
		Description: "The request cannot be served. The type of the problem says why.", Content: problems,
	}}
	for _, item := range spec.Paths {
		for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if o == nil {
				continue
			}
			o.Responses["4XX"] = &huma.Response{Ref: "#/components/responses/Refused"}
			if o.RequestBody != nil {
				o.RequestBody.Required = true
			}
		}
	}
	spec.Webhooks = map[string]*huma.PathItem{"study-done": {Post: a.notice()}}
}

func (a *api) schemaOf(t reflect.Type) *huma.Schema {
	return a.huma.OpenAPI().Components.Schemas.Schema(t, true, "")
}

// notice describes the request of a webhook.
func (a *api) notice() *huma.Operation {
	header := func(name, doc string) *huma.Param {
		return &huma.Param{Name: name, In: "header", Required: true, Description: doc, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	return &huma.Operation{
		OperationID: "study-done", Tags: []string{tagResults}, Summary: "A study is done",
		Description: "Sent to the webhook of a study, signed as Standard Webhooks defines it, until the reply has a status of " +
			"200 to 299.",
		Security: []map[string][]string{},
		Parameters: []*huma.Param{
			header("webhook-id", "Identifies the notice, also when it is sent again."),
			header("webhook-timestamp", "The time of this attempt, in seconds since 1970."),
			header("webhook-signature", "v1, and the signature of ID, timestamp and body with the secret of the webhook, in base64."),
		},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			jsonType: {Schema: a.schemaOf(reflect.TypeFor[wire.Notice]())},
		}},
		Responses: map[string]*huma.Response{
			"2XX": {Description: "The notice has arrived."},
			"4XX": {Description: "The notice is sent again later."},
		},
	}
}

// streamed describes a reply with events: each element of the list is an event.
func (a *api) streamed() map[string]*huma.Response {
	event := func(name, doc string, data reflect.Type, more map[string]*huma.Schema) *huma.Schema {
		s := &huma.Schema{
			Type: huma.TypeObject, Description: doc, Required: []string{"event", "data"},
			Properties: map[string]*huma.Schema{"event": {Type: huma.TypeString, Enum: []any{name}}, "data": a.schemaOf(data)},
		}
		maps.Copy(s.Properties, more)
		return s
	}
	id := map[string]*huma.Schema{"id": {Type: huma.TypeInteger, Description: "The number of the plan."}}
	events := &huma.Schema{OneOf: []*huma.Schema{
		event("verdict", "The verdict has changed.", reflect.TypeFor[wire.Verdict](), id),
		event("problem", "The stream ends.", reflect.TypeFor[wire.Problem](), nil),
	}}
	return map[string]*huma.Response{"200": {
		Description: "Server-sent events. Each element of this list is an event, and data is in JSON.",
		Content:     map[string]*huma.MediaType{middleware.EventType: {Schema: &huma.Schema{Type: huma.TypeArray, Items: events}}},
	}}
}

// QuotaHeaders has the headers of replies to respondents, in addition to those about the address.
type QuotaHeaders struct {
	RateLimit       []string `header:"RateLimit" doc:"What is left of each policy, such as: \"respondent\";r=49;t=1. t is the time in seconds until all is available."`
	RateLimitPolicy []string `header:"RateLimit-Policy" doc:"How many requests each policy allows in how many seconds, such as: \"respondent\";q=50;w=10."`
}

func quotaHeaders(h http.Header) QuotaHeaders {
	return QuotaHeaders{h.Values("Ratelimit"), h.Values("Ratelimit-Policy")}
}
