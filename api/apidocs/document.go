package apidocs

import (
	"encoding/json"
	"strings"
)

// A document is what the page shows of an OpenAPI document.
type document struct {
	Info struct {
		Title       string `json:"title"`
		Version     string `json:"version"`
		Description string `json:"description"`
	} `json:"info"`
	Servers []struct {
		URL string `json:"url"`
	} `json:"servers"`
	Tags []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tags"`
	Paths      map[string]pathItem `json:"paths"`
	Security   []requirement       `json:"security"`
	Components struct {
		Schemas         map[string]*schema        `json:"schemas"`
		Parameters      map[string]*parameter     `json:"parameters"`
		Headers         map[string]*parameter     `json:"headers"`
		RequestBodies   map[string]*requestBody   `json:"requestBodies"`
		Responses       map[string]*response      `json:"responses"`
		SecuritySchemes map[string]securityScheme `json:"securitySchemes"`
	} `json:"components"`
}

// A pathItem has the operations of a path.
type pathItem struct {
	Parameters []*parameter      `json:"parameters"`
	Get        *documentedMethod `json:"get"`
	Head       *documentedMethod `json:"head"`
	Post       *documentedMethod `json:"post"`
	Put        *documentedMethod `json:"put"`
	Patch      *documentedMethod `json:"patch"`
	Delete     *documentedMethod `json:"delete"`
	Options    *documentedMethod `json:"options"`
	Trace      *documentedMethod `json:"trace"`
}

// A documentedMethod is an operation as it is described.
type documentedMethod struct {
	ID          string               `json:"operationId"`
	Tags        []string             `json:"tags"`
	Summary     string               `json:"summary"`
	Description string               `json:"description"`
	Deprecated  bool                 `json:"deprecated"`
	Parameters  []*parameter         `json:"parameters"`
	RequestBody *requestBody         `json:"requestBody"`
	Responses   map[string]*response `json:"responses"`

	// Security is nil where that of the document goes, and empty where there is none.
	Security *[]requirement `json:"security"`
}

// A requirement is schemes that are needed together, each with its scopes.
type requirement map[string][]string

// A securityScheme is a way to say who one is.
type securityScheme struct {
	Type        string `json:"type"`
	Description string `json:"description"`
	Name        string `json:"name"`
	In          string `json:"in"`
	Scheme      string `json:"scheme"`
}

// A parameter is one of a request, or a header of a response.
type parameter struct {
	Ref         string  `json:"$ref"`
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Description string  `json:"description"`
	Required    bool    `json:"required"`
	Deprecated  bool    `json:"deprecated"`
	Schema      *schema `json:"schema"`
	Example     any     `json:"example"`
}

type requestBody struct {
	Ref         string               `json:"$ref"`
	Description string               `json:"description"`
	Required    bool                 `json:"required"`
	Content     map[string]mediaType `json:"content"`
}

type response struct {
	Ref         string                `json:"$ref"`
	Description string                `json:"description"`
	Headers     map[string]*parameter `json:"headers"`
	Content     map[string]mediaType  `json:"content"`
}

type mediaType struct {
	Schema   *schema `json:"schema"`
	Example  any     `json:"example"`
	Encoding map[string]struct {
		ContentType string `json:"contentType"`
	} `json:"encoding"`
}

// A schema says what a value may be.
type schema struct {
	Ref              string             `json:"$ref"`
	Type             typeNames          `json:"type"`
	Title            string             `json:"title"`
	Description      string             `json:"description"`
	Format           string             `json:"format"`
	ContentEncoding  string             `json:"contentEncoding"`
	ContentMediaType string             `json:"contentMediaType"`
	Default          any                `json:"default"`
	Example          any                `json:"example"`
	Examples         []any              `json:"examples"`
	Enum             []any              `json:"enum"`
	Const            any                `json:"const"`
	Minimum          *json.Number       `json:"minimum"`
	Maximum          *json.Number       `json:"maximum"`
	ExclusiveMinimum *json.Number       `json:"exclusiveMinimum"`
	ExclusiveMaximum *json.Number       `json:"exclusiveMaximum"`
	MultipleOf       *json.Number       `json:"multipleOf"`
	MinLength        *int               `json:"minLength"`
	MaxLength        *int               `json:"maxLength"`
	MinItems         *int               `json:"minItems"`
	MaxItems         *int               `json:"maxItems"`
	MinProperties    *int               `json:"minProperties"`
	MaxProperties    *int               `json:"maxProperties"`
	UniqueItems      bool               `json:"uniqueItems"`
	Pattern          string             `json:"pattern"`
	ReadOnly         bool               `json:"readOnly"`
	WriteOnly        bool               `json:"writeOnly"`
	Deprecated       bool               `json:"deprecated"`
	Items            *schema            `json:"items"`
	Properties       map[string]*schema `json:"properties"`
	Required         []string           `json:"required"`
	OneOf            []*schema          `json:"oneOf"`
	AnyOf            []*schema          `json:"anyOf"`
	AllOf            []*schema          `json:"allOf"`

	// Additional is whether there may be other properties, or what they are.
	Additional additional `json:"additionalProperties"`
}

// typeNames are the types that a value may have: a name or a list of them.
type typeNames []string

// UnmarshalJSON reads either.
func (t *typeNames) UnmarshalJSON(text []byte) error {
	var name string
	if json.Unmarshal(text, &name) == nil {
		*t = typeNames{name}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(t))
}

// additional is what properties without a name of their own are, nil where nothing is said.
type additional struct{ schema *schema }

// UnmarshalJSON reads true, false or a schema.
func (a *additional) UnmarshalJSON(text []byte) error {
	var allowed bool
	if json.Unmarshal(text, &allowed) == nil {
		return nil
	}
	return json.Unmarshal(text, &a.schema)
}

// refName returns the last part of a reference such as #/components/schemas/Study.
func refName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// parameterOf returns the parameter that one refers to, or itself.
func (d *document) parameterOf(p *parameter) *parameter {
	components := d.Components.Parameters
	if strings.Contains(p.Ref, "/headers/") {
		components = d.Components.Headers
	}
	if there := components[refName(p.Ref)]; p.Ref != "" && there != nil {
		return there
	}
	return p
}

// bodyOf returns the body that one refers to, or itself.
func (d *document) bodyOf(b *requestBody) *requestBody {
	if there := d.Components.RequestBodies[refName(b.Ref)]; b.Ref != "" && there != nil {
		return there
	}
	return b
}

// responseOf returns the response that one refers to, or itself.
func (d *document) responseOf(r *response) *response {
	if there := d.Components.Responses[refName(r.Ref)]; r.Ref != "" && there != nil {
		return there
	}
	return r
}
