// Package apifuzz generates HTTP requests for fuzzing an API. It reads the OpenAPI document of the API and builds
// requests for every operation that are valid except for deliberate faults: in types, numbers, strings, files,
// tokens, headers, or the framing of the body. All choices come from bytes, so a failure can be reproduced and a
// fuzzer can search for more.
package apifuzz

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Spec holds the parts of an OpenAPI document that describe requests.
type Spec struct {
	prefix     string // of all paths
	operations []operation
	schemas    map[string]*schema
}

type operation struct {
	ID         string            `json:"operationId"`
	Security   []json.RawMessage `json:"security"`
	Parameters []parameter       `json:"parameters"`
	Body       struct {
		Content map[string]struct {
			Schema   *schema `json:"schema"`
			Encoding map[string]struct {
				ContentType string `json:"contentType"`
			} `json:"encoding"`
		} `json:"content"`
	} `json:"requestBody"`

	method, path string
}

type parameter struct {
	Name   string  `json:"name"`
	In     string  `json:"in"`
	Schema *schema `json:"schema"`
}

type schema struct {
	Ref        string             `json:"$ref"`
	Type       string             `json:"type"`
	Format     string             `json:"format"`
	Enum       []string           `json:"enum"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *schema            `json:"items"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
	MinItems   int                `json:"minItems"`
	MaxLength  int                `json:"maxLength"`
}

// Parse reads an OpenAPI document in JSON.
func Parse(document []byte) (*Spec, error) {
	var read struct {
		Servers []struct {
			URL string `json:"url"`
		} `json:"servers"`
		Paths      map[string]map[string]operation `json:"paths"`
		Components struct {
			Schemas map[string]*schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &read); err != nil {
		return nil, err
	}
	if len(read.Servers) != 1 || len(read.Paths) == 0 {
		return nil, fmt.Errorf("the document must have one server and at least one path, got %d and %d", len(read.Servers), len(read.Paths))
	}
	s := &Spec{prefix: read.Servers[0].URL, schemas: read.Components.Schemas}
	for _, path := range slices.Sorted(maps.Keys(read.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(read.Paths[path])) {
			o := read.Paths[path][method]
			o.method, o.path = strings.ToUpper(method), path
			s.operations = append(s.operations, o)
		}
	}
	return s, nil
}

// Operations returns the IDs of all operations.
func (s *Spec) Operations() []string {
	ids := make([]string, len(s.operations))
	for i, o := range s.operations {
		ids[i] = o.ID
	}
	return ids
}

// resolve follows a reference to a component.
func (s *Spec) resolve(v *schema) *schema {
	if name, refers := strings.CutPrefix(v.Ref, "#/components/schemas/"); refers {
		return s.schemas[name]
	}
	return v
}
