package study

import (
	"fmt"
	"unicode/utf8"
)

// A Note adds a rationale, metadata and the kind of respondent to an answer. Decisions do not depend on it.
type Note struct {
	Rationale string            `json:"rationale,omitempty"`
	Metadata  map[string]string `json:"metadata,omitempty"`
	Judge     Judge             `json:"judge,omitempty"`
}

// A Judge is the kind of a respondent. It is a [Person] unless an answer says otherwise.
type Judge string

// The kinds of respondents.
const (
	Person Judge = "" // called person in the API and in files
	Model  Judge = "model"
)

// ParseJudge returns the kind of a respondent with a name, which may be unknown. Defaults to [Person].
func ParseJudge(name string) Judge {
	if name == Person.String() {
		return Person
	}
	return Judge(name)
}

// String returns the name of the kind.
func (j Judge) String() string {
	if j == Person {
		return "person"
	}
	return string(j)
}

// IsZero reports whether the note says nothing.
func (n Note) IsZero() bool {
	return n.Rationale == "" && len(n.Metadata) == 0 && n.Judge == Person
}

// Check returns an error unless the note is within the limits, and all stores can keep it.
func (n Note) Check() error {
	if utf8.RuneCountInString(n.Rationale) > MaxRationale || !isStorable(n.Rationale) {
		return Invalid("rationale", fmt.Sprintf("must be UTF-8 with at most %d characters and no zero bytes", MaxRationale))
	}
	if len(n.Metadata) > MaxMetadata {
		return Invalid("metadata", fmt.Sprintf("at most %d entries are possible, got %d", MaxMetadata, len(n.Metadata)))
	}
	bytes := 0
	for key, value := range n.Metadata {
		if key == "" || !isStorable(key) || !isStorable(value) {
			return Invalid("metadata", "names must not be empty, and texts must be UTF-8 without zero bytes")
		}
		bytes += len(key) + len(value)
	}
	if bytes > MaxMetadataBytes {
		return Invalid("metadata", fmt.Sprintf("at most %d bytes are possible, got %d", MaxMetadataBytes, bytes))
	}
	if n.Judge != Person && n.Judge != Model {
		return Invalid("judge", "must be person or model")
	}
	return nil
}
