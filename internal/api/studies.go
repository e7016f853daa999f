package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/wire"
)

// A StudyPath names a study.
type StudyPath struct {
	Study string `path:"study" maxLength:"100" doc:"The ID of the study."`
}

// A studyReply is a study with its ETag.
type studyReply = taggedReply[wire.Study]

// listStudies is the ID of an operation.
const listStudies = "list-studies"

func (a *api) registerStudies() {
	register(a, operation(
		listStudies, "GET "+allStudies, tagStudies, access.Viewer, "List studies, newest first",
		"A page of the studies that the token may read.",
	), a.listStudies)
	register(a, operation(
		"read-study", "GET "+oneStudy, tagStudies, access.Viewer, "Read a study",
		"Its settings, state and texts, with the ETag that a change needs.",
	), a.readStudy)
	register(a, operation(
		"change-study", "PATCH "+oneStudy, tagStudies, access.Owner, "Change a study",
		"Needs If-Match, so that two owners do not overwrite each other's changes.",
	), a.changeStudy)
	register(a, withStatus(http.StatusNoContent, operation(
		"delete-study", "DELETE "+oneStudy, tagStudies, access.Owner, "Delete a study with all its answers",
		"Nothing of it remains in the database. Export the log first to keep a proof of the verdict.",
	)), a.deleteStudy)
}

func (a *api) listStudies(ctx context.Context, in *ShortPage) (*reply[wire.Studies], error) {
	if only := holder(ctx).Study; only != "" {
		return a.onlyStudy(ctx, only)
	}
	found, err := a.studies.Store.List(ctx, in.Cursor, in.Limit+1)
	if errors.Is(err, study.ErrNotFound) {
		return nil, invalid("query.cursor", noCursor)
	}
	if err != nil {
		return nil, err
	}
	found, next := pageOf(found, in.Limit, func(s study.Study) string { return s.ID })
	page := wire.Studies{Studies: []wire.Study{}, Next: next}
	for _, s := range found {
		page.Studies = append(page.Studies, a.writeStudy(s))
	}
	return &reply[wire.Studies]{page}, nil
}

// onlyStudy returns the list for a viewer of a single study.
func (a *api) onlyStudy(ctx context.Context, id string) (*reply[wire.Studies], error) {
	page := wire.Studies{Studies: []wire.Study{}}
	s, err := a.studies.Store.Study(ctx, id)
	if errors.Is(err, study.ErrNotFound) {
		return &reply[wire.Studies]{page}, nil
	}
	page.Studies = append(page.Studies, a.writeStudy(s))
	return &reply[wire.Studies]{page}, err
}

func (a *api) readStudy(ctx context.Context, in *ReadPath) (*readReply[wire.Study], error) {
	s, err := a.studies.Store.Study(ctx, in.Study)
	return unlessKnown(*in, etag(s), a.writeStudy(s)), err
}

// A changeInput has a change of a study, also as the JSON that was sent: fields that it lacks stay the same.
type changeInput struct {
	GuardedPath

	Body    wire.Change
	RawBody []byte
}

func (a *api) changeStudy(ctx context.Context, in *changeInput) (*studyReply, error) {
	version, err := a.neededVersion(ctx, in.GuardedPath)
	if err != nil {
		return nil, err
	}
	var before wire.Study
	changed, err := a.studies.Owner.Change(ctx, in.Study, version, func(s *study.Study) error {
		before = a.writeStudy(*s)
		return a.change(ctx, s, in.Body, in.RawBody)
	})
	note(ctx, strings.Join(differences(before, a.writeStudy(changed)), ", "))
	return a.reply(changed, err)
}

// change applies an owner's changes to a study.
func (a *api) change(ctx context.Context, s *study.Study, c wire.Change, body []byte) error {
	if c.Name != nil {
		s.Name = *c.Name
	}
	if c.Prompt != nil {
		s.Prompt = *c.Prompt
	}
	if c.Page != nil {
		s.Page = convert[study.Presentation](c.Page)
	}
	if c.Profile != nil {
		s.Profile = nil
		if len(c.Profile.Questions) > 0 {
			s.Profile = convert[[]study.ProfileQuestion](c.Profile.Questions)
		}
	}
	if c.Settings == nil {
		return nil
	}
	merged, err := mergeSettings(*s, body)
	if err != nil {
		return err
	}
	settings, wanted, err := readSettings(merged)
	if err != nil {
		return err
	}
	current, picks := s.Settings.Strategy, s.Settings.Picks
	settings.Strategy.Prior = current.Prior // which the guarantee depends on
	s.Settings = settings
	if s.State != study.Draft {
		s.Settings.Picks = cmp.Or(settings.Picks, picks)
		s.Settings.Strategy = wanted.Keep(settings.Strategy, current)
		return nil
	}
	arms, err := a.studies.Live.Arms(ctx, *s)
	if err == nil {
		s.Settings = wanted.Apply(settings, arms.Arms)
	}
	return err
}

func (a *api) deleteStudy(ctx context.Context, in *GuardedPath) (*struct{}, error) {
	version, err := a.version(ctx, *in)
	if err == nil {
		err = a.studies.Owner.Delete(ctx, in.Study, version)
	}
	return &struct{}{}, err
}

// reply returns a study that was read or changed, with its ETag.
func (a *api) reply(s study.Study, err error) (*studyReply, error) {
	return &studyReply{etag(s), a.writeStudy(s)}, err
}

// link returns the path where respondents answer.
func link(id string) string { return "/s/" + id }

func (a *api) writeStudy(s study.Study) wire.Study {
	return wire.Study{
		ID: s.ID, Name: s.Name, Prompt: s.Prompt, State: string(s.State), Reason: string(s.Reason), Settings: writeSettings(s.Settings),
		Arms: s.Arms, Withdrawn: len(s.Withdrawn), Page: writePage(s.Page), Profile: writeProfile(s.Profile),
		Prior: s.Settings.Choices(), Link: a.Base + link(s.ID), Version: s.Version, Created: s.Created,
		Changed: s.Changed, Unnamed: s.Unnamed,
	}
}

// registerStates registers an operation for each state that owners can set.
func (a *api) registerStates() {
	for _, way := range []struct {
		verb, summary, about string
		to                   study.State
	}{
		{
			"open", "Open a study to respondents",
			"A study that is done can be opened again unless its verdict is decided, or names were removed. " +
				"That removes a budget that is spent and a deadline that has passed.",
			study.Open,
		},
		{"pause", "Pause a study", "Open questions can still be answered, and no new ones are dealt.", study.Paused},
		{"close", "Close a study", "It ends for good. Answers that were received still count.", study.Done},
	} {
		register(a, operation(
			way.verb+"-study", "POST "+oneStudy+"/"+way.verb, tagStudies, access.Owner, way.summary, way.about,
		), func(ctx context.Context, in *GuardedPath) (*studyReply, error) {
			version, err := a.version(ctx, *in)
			if err != nil {
				return nil, err
			}
			return a.reply(a.studies.Owner.SetState(ctx, in.Study, version, way.to))
		})
	}
}
