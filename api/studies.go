package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/api/wire"
	"bestpick/strategy"
	"bestpick/study"
)

// A StudyPath names a study.
type StudyPath struct {
	Study string `path:"study" maxLength:"100" doc:"The id of the study."`
}

// A GuardedPath names a study, and perhaps the version that it must have.
type GuardedPath struct {
	StudyPath

	IfMatch string `header:"If-Match" doc:"The ETag of the study as it was read. If it has been changed since, nothing happens."`
}

// version returns the one that a study must have.
func (g GuardedPath) version() (int, error) {
	tag := strings.TrimSpace(g.IfMatch)
	if tag == "" || tag == "*" {
		return study.Any, nil
	}
	version, err := strconv.Atoi(strings.Trim(strings.TrimPrefix(tag, "W/"), `"`))
	if err != nil || version < 1 {
		return 0, problem(http.StatusPreconditionFailed, wire.Changed, "If-Match is not the ETag of a study")
	}
	return version, nil
}

// A studyReply is a study with its ETag.
type studyReply struct {
	ETag string `header:"ETag"`
	Body wire.Study
}

func (a *api) registerStudies() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "list-studies", Method: http.MethodGet, Path: "/studies", Tags: []string{tagStudies}, Security: owners(),
		Summary: "List studies, newest first",
	}, a.listStudies)
	huma.Register(a.huma, huma.Operation{
		OperationID: "read-study", Method: http.MethodGet, Path: "/studies/{study}", Tags: []string{tagStudies}, Security: owners(),
		Summary: "Read a study",
	}, a.readStudy)
	huma.Register(a.huma, huma.Operation{
		OperationID: "change-study", Method: http.MethodPatch, Path: "/studies/{study}", Tags: []string{tagStudies}, Security: owners(),
		Summary: "Change a study", Description: "Needs If-Match, so that two owners do not overwrite each other's changes.",
	}, a.changeStudy)
	huma.Register(a.huma, huma.Operation{
		OperationID: "delete-study", Method: http.MethodDelete, Path: "/studies/{study}", Tags: []string{tagStudies}, Security: owners(),
		Summary: "Delete a study with all its answers", DefaultStatus: http.StatusNoContent,
	}, a.deleteStudy)
}

func (a *api) listStudies(ctx context.Context, in *struct {
	Cursor string `query:"cursor" maxLength:"100" doc:"The next of the page before."`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}) (*struct{ Body wire.Studies }, error) {
	found, err := a.studies.List(ctx, in.Cursor, in.Limit+1)
	if errors.Is(err, study.ErrNotFound) {
		return nil, invalid("query.cursor", "this is not the cursor of a page")
	}
	if err != nil {
		return nil, a.problem(err)
	}
	reply := &struct{ Body wire.Studies }{Body: wire.Studies{Studies: []wire.Study{}}}
	if len(found) > in.Limit {
		found = found[:in.Limit]
		reply.Body.Next = found[in.Limit-1].ID
	}
	for _, s := range found {
		reply.Body.Studies = append(reply.Body.Studies, writeStudy(s))
	}
	return reply, nil
}

func (a *api) readStudy(ctx context.Context, in *StudyPath) (*studyReply, error) {
	return a.reply(a.studies.Study(ctx, in.Study))
}

func (a *api) changeStudy(ctx context.Context, in *struct {
	GuardedPath

	Body wire.Change
}) (*studyReply, error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	if version == study.Any {
		return nil, problem(http.StatusPreconditionRequired, wire.NoVersion, "a change needs If-Match with the ETag of the study")
	}
	return a.reply(a.studies.Change(ctx, in.Study, version, func(s *study.Study) error {
		if in.Body.Name != nil {
			s.Name = *in.Body.Name
		}
		if in.Body.Prompt != nil {
			s.Prompt = *in.Body.Prompt
		}
		if in.Body.Settings != nil {
			seed := s.Settings.Strategy.Seed
			s.Settings = readSettings(*in.Body.Settings)
			if s.Settings.Strategy.Seed == 0 {
				s.Settings.Strategy.Seed = seed
			}
		}
		return nil
	}))
}

func (a *api) deleteStudy(ctx context.Context, in *GuardedPath) (*struct{}, error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	if err := a.studies.Delete(ctx, in.Study, version); err != nil {
		return nil, a.problem(err)
	}
	return nil, nil
}

// reply is what is said about a study that was read or changed.
func (a *api) reply(s study.Study, err error) (*studyReply, error) {
	if err != nil {
		return nil, a.problem(err)
	}
	return &studyReply{etag(s), writeStudy(s)}, nil
}

func etag(s study.Study) string { return strconv.Quote(strconv.Itoa(s.Version)) }

func writeStudy(s study.Study) wire.Study {
	return wire.Study{
		ID: s.ID, Name: s.Name, Prompt: s.Prompt, State: string(s.State), Reason: string(s.Reason), Settings: writeSettings(s.Settings),
		Arms: s.Arms, Withdrawn: len(s.Withdrawn), Link: "/s/" + s.ID, Version: s.Version, Created: s.Created, Changed: s.Changed,
	}
}

func writeSettings(s study.Settings) wire.Settings {
	w := wire.Settings{
		K: s.Strategy.K, Picks: s.Picks, Delta: s.Strategy.Delta, Epsilon: s.Strategy.Epsilon, Verify: s.Strategy.Verify,
		Budget: s.Budget, Each: s.Each, Lease: s.Lease.Seconds(), Grace: s.Grace.Seconds(), Seed: s.Strategy.Seed,
	}
	if s.Grace < 0 {
		w.Grace = -1
	}
	m := s.Strategy.Model
	if m.Slots || m.Intercepts || m.Clicks || len(m.Segments) > 0 {
		w.Model = &wire.Model{Slots: m.Slots, Intercepts: m.Intercepts, Clicks: m.Clicks}
		for _, segment := range m.Segments {
			w.Model.Segments = append(w.Model.Segments, wire.Segment(segment))
		}
	}
	return w
}

// readSettings turns settings over the wire into those of a study. What is left out gets its default
// there.
func readSettings(w wire.Settings) study.Settings {
	s := study.Settings{
		Strategy: strategy.Settings{K: w.K, Delta: w.Delta, Epsilon: w.Epsilon, Verify: w.Verify, Seed: w.Seed},
		Picks:    w.Picks, Budget: w.Budget, Each: w.Each, Lease: seconds(w.Lease), Grace: seconds(w.Grace),
	}
	if w.Model != nil {
		s.Strategy.Model = strategy.Model{Slots: w.Model.Slots, Intercepts: w.Model.Intercepts, Clicks: w.Model.Clicks}
		for _, segment := range w.Model.Segments {
			s.Strategy.Model.Segments = append(s.Strategy.Model.Segments, strategy.Segment(segment))
		}
	}
	return s
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
