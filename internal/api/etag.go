package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/wire"
)

// A GuardedPath names a study, and optionally the version that it must have.
type GuardedPath struct {
	StudyPath

	IfMatch string `header:"If-Match" doc:"The ETag of the study, or a list of ETags. If the study has changed since, the operation fails. * matches any version."`
}

// etag returns the ETag of a study: its version.
func etag(s study.Study) string { return strconv.Quote(strconv.Itoa(s.Version)) }

// version returns the version that a study must have, or 0 for any.
func (a *api) version(ctx context.Context, in GuardedPath) (int, error) {
	if in.IfMatch == "" || in.IfMatch == "*" {
		return owner.Any, nil
	}
	versions, ok := parseIfMatch(in.IfMatch)
	switch {
	case !ok:
		return 0, invalid("header.If-Match", `If-Match must be * or a list of ETags, such as "3"`)
	case len(versions) == 0:
		return 0, study.ErrChanged
	case len(versions) == 1:
		return versions[0], nil
	}
	s, err := a.studies.Store.Study(ctx, in.Study)
	if err == nil && !slices.Contains(versions, s.Version) {
		err = study.ErrChanged
	}
	return s.Version, err
}

// neededVersion is version for changes that must not overwrite concurrent ones: it requires If-Match.
func (a *api) neededVersion(ctx context.Context, in GuardedPath) (int, error) {
	if in.IfMatch == "" {
		return 0, problem(http.StatusPreconditionRequired, wire.NoVersion, "the header If-Match with the ETag of the study is required")
	}
	return a.version(ctx, in)
}

// listedTag matches an ETag and the separator after it, as in RFC 9110.
var listedTag = regexp.MustCompile(`^[ \t,]*(W/)?"([\x21\x23-\x7e\x80-\x{10ffff}]*)"[ \t]*(?:,[ \t,]*|$)`)

// parseIfMatch returns the versions in a list of ETags, and whether the list is valid. Weak tags
// and tags that are not versions match nothing.
func parseIfMatch(list string) (versions []int, ok bool) {
	tags, ok := listedTags(list)
	for _, tag := range tags {
		version, err := strconv.Atoi(tag[2])
		if err == nil && version > 0 && strconv.Itoa(version) == tag[2] && tag[1] == "" {
			versions = append(versions, version)
		}
	}
	return versions, ok
}

// listedTags returns the matches of a list of ETags up to the first part that is none, and whether the list is valid.
func listedTags(list string) (tags [][]string, ok bool) {
	for list != "" {
		tag := listedTag.FindStringSubmatch(list)
		if tag == nil {
			return tags, false
		}
		tags, list = append(tags, tag), list[len(tag[0]):]
	}
	return tags, true
}

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
	listed, _ := listedTags(list)
	return slices.ContainsFunc(listed, func(found []string) bool { return strconv.Quote(found[2]) == tag })
}

// hashTag returns the ETag of a body without a version.
func hashTag(body any) string {
	text, err := json.Marshal(body)
	must(err)
	sum := sha256.Sum256(text)
	const enough = 16 // bytes
	return strconv.Quote(hex.EncodeToString(sum[:enough]))
}

// createOnce creates a study. With an idempotency key, a repeated request returns the study that the
// first one created. Nothing is stored for that: the ID of the study depends on the key and the token.
func (a *api) createOnce(ctx context.Context, key string, form *studyForm, draft owner.Draft) (study.Study, error) {
	var request owner.Request
	if key != "" {
		hash, err := form.hash()
		if err != nil {
			return study.Study{}, err
		}
		request = owner.Request{ID: a.studyID(ctx, key), Hash: hash}
	}
	created, err := a.studies.Owner.CreateDraft(ctx, request, draft)
	if errors.Is(err, owner.ErrReused) {
		return created, invalid("header.Idempotency-Key", "the key was used for a request with another body")
	}
	return created, err
}

// studyID returns the ID of the study that a key creates, which only this store can compute.
func (a *api) studyID(ctx context.Context, key string) string {
	mac := hmac.New(sha256.New, a.studies.Secret)
	_, _ = io.WriteString(mac, "study\n"+holder(ctx).Hash+"\n"+key) // never fails
	const length = 26                                               // as of random IDs: 130 bits
	return strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil))[:length])
}

// hash returns the hash of a request to create a study.
func (f *studyForm) hash() (string, error) {
	sum := sha256.New()
	fields := []any{f.Name, f.Prompt, f.Catalogue.Filename, f.Sheet, f.Settings, f.Columns, f.Dimensions}
	must(json.NewEncoder(sum).Encode(fields))
	for _, file := range []huma.FormFile{f.Catalogue, f.IDs} {
		if !file.IsSet {
			continue
		}
		part, err := hash(file)
		if err != nil {
			return "", err
		}
		_, _ = io.WriteString(sum, part+"\n") // never fails
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
