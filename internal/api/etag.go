package api

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/wire"
)

// A GuardedPath names a study, and perhaps the version that it must have.
type GuardedPath struct {
	StudyPath

	IfMatch string `header:"If-Match" doc:"The ETag of the study as it was read, or a list of them. If the study has been changed since, nothing happens. * is for any version."`
}

// etag is that of a study: its version.
func etag(s study.Study) string { return strconv.Quote(strconv.Itoa(s.Version)) }

// version returns the one that a study must have.
func (a *api) version(ctx context.Context, in GuardedPath) (int, error) {
	if in.IfMatch == "" || in.IfMatch == "*" {
		return owner.Any, nil
	}
	versions, ok := parseIfMatch(in.IfMatch)
	switch {
	case !ok:
		return 0, invalid("header.If-Match", `this is neither a list of ETags, such as "3", nor *`)
	case len(versions) == 0:
		return 0, a.problem(study.ErrChanged)
	case len(versions) == 1:
		return versions[0], nil
	}
	s, err := a.studies.Store.Study(ctx, in.Study)
	if err == nil && !slices.Contains(versions, s.Version) {
		err = study.ErrChanged
	}
	if err != nil {
		return 0, a.problem(err)
	}
	return s.Version, nil
}

// neededVersion is for changes that would overwrite those of somebody else.
func (a *api) neededVersion(ctx context.Context, in GuardedPath) (int, error) {
	if in.IfMatch == "" {
		return 0, problem(http.StatusPreconditionRequired, wire.NoVersion, "this needs If-Match with the ETag of the study")
	}
	return a.version(ctx, in)
}

// listedTag is an ETag with what separates it from the next, as in RFC 9110.
var listedTag = regexp.MustCompile(`^[ \t,]*(W/)?"([\x21\x23-\x7e\x80-\x{10ffff}]*)"[ \t]*(?:,[ \t,]*|$)`)

// parseIfMatch returns the versions that a list of ETags allows, and whether it is one. Tags that are weak, or
// not of a study, match nothing.
func parseIfMatch(list string) (versions []int, ok bool) {
	for list != "" {
		tag := listedTag.FindStringSubmatch(list)
		if tag == nil {
			return nil, false
		}
		list = list[len(tag[0]):]
		version, err := strconv.Atoi(tag[2])
		if err == nil && version > 0 && strconv.Itoa(version) == tag[2] && tag[1] == "" {
			versions = append(versions, version)
		}
	}
	return versions, true
}
