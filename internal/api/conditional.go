package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// A ReadPath names a study to read, and optionally the version that the caller has.
type ReadPath struct {
	StudyPath

	IfNoneMatch string `header:"If-None-Match" doc:"The ETag of an earlier reply, or a list of ETags. If the reply would be the same, it is 304 without a body."`
}

// A readReply is a reply with its ETag, or 304.
type readReply[T any] struct {
	Status int
	ETag   string `header:"ETag"`
	Body   T
}

// unlessKnown returns the reply to a conditional request.
func unlessKnown[T any](in ReadPath, tag string, body T) *readReply[T] {
	if matches(in.IfNoneMatch, tag) {
		return &readReply[T]{Status: http.StatusNotModified, ETag: tag}
	}
	return &readReply[T]{http.StatusOK, tag, body}
}

// matches reports whether an If-None-Match header lists an ETag, as in RFC 9110: weak tags match, too.
func matches(list, tag string) bool {
	if strings.TrimSpace(list) == "*" {
		return true
	}
	for list != "" {
		found := listedTag.FindStringSubmatch(list)
		if found == nil {
			return false
		}
		if list = list[len(found[0]):]; strconv.Quote(found[2]) == tag {
			return true
		}
	}
	return false
}

// hashTag returns the ETag of a body without a version.
func hashTag(body any) string {
	text, err := json.Marshal(body)
	must(err)
	sum := sha256.Sum256(text)
	const enough = 16 // bytes
	return strconv.Quote(hex.EncodeToString(sum[:enough]))
}
