package hostile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Description is what the OpenAPI document of an interface says about what can be sent.
type Description struct {
	oddities

	prefix     string // of all addresses
	operations []operation
	schemas    map[string]*schema
}

// An operation is one of it.
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

// A parameter is part of an address or a header.
type parameter struct {
	Name   string  `json:"name"`
	In     string  `json:"in"`
	Schema *schema `json:"schema"`
}

// A schema says what a value may be.
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

// Describe reads an OpenAPI document, in JSON.
func Describe(document []byte) (*Description, error) {
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
		return nil, fmt.Errorf("the document has %d servers and %d addresses", len(read.Servers), len(read.Paths))
	}
	d := &Description{oddities: newOddities(), prefix: read.Servers[0].URL, schemas: read.Components.Schemas}
	for _, path := range slices.Sorted(maps.Keys(read.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(read.Paths[path])) {
			one := read.Paths[path][method]
			one.method, one.path = strings.ToUpper(method), path
			d.operations = append(d.operations, one)
		}
	}
	return d, nil
}

// Operations are the names of all operations.
func (d *Description) Operations() []string {
	names := make([]string, len(d.operations))
	for i, o := range d.operations {
		names[i] = o.ID
	}
	return names
}

// resolved returns what a schema refers to, others as they are.
func (d *Description) resolved(s *schema) *schema {
	name, refers := strings.CutPrefix(s.Ref, "#/components/schemas/")
	if !refers {
		return s
	}
	return d.schemas[name]
}
