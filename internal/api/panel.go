package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/wire"
)

func (a *api) registerPanels() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "list-panel", Method: http.MethodGet, Path: studyPanel, Tags: []string{tagPanel}, Security: owners(),
		Summary: "List the members of a panel, with their links", Description: "In the order in which they were added. Only owners may: the keys are in it.",
	}, a.listPanel)
	huma.Register(a.huma, huma.Operation{
		OperationID: "add-members", Method: http.MethodPost, Path: studyPanel, Tags: []string{tagPanel}, Security: owners(),
		Summary:     "Put respondents into the panel of a study",
		Description: "From then on only members of the panel may answer, each with the key of their own link. Whoever is in there already keeps their key, and their segment unless another one is given. All are added or none.",
	}, a.addMembers)
	huma.Register(a.huma, upload(huma.Operation{
		OperationID: "import-members", Method: http.MethodPost, Path: studyPanel + "/import", Tags: []string{tagPanel}, Security: owners(),
		Summary: "Put respondents into the panel of a study, from a file", Description: "As add-members does, for many. All are added or none.",
	}), a.importMembers)
	huma.Register(a.huma, huma.Operation{
		OperationID: "remove-members", Method: http.MethodPost, Path: studyPanel + "/removals", Tags: []string{tagPanel}, Security: owners(),
		Summary:     "Remove respondents from the panel of a study",
		Description: "Their keys are worthless then, also for questions that they were asked before; what they have answered stays. Names of nobody are passed over. Where nobody is left, nobody may answer: change-study opens the study to everybody again.",
	}, a.removeMembers)
	huma.Register(a.huma, huma.Operation{
		OperationID: "renew-key", Method: http.MethodPost, Path: studyPanel + "/keys", Tags: []string{tagPanel}, Security: owners(),
		Summary: "Give a member another key", Description: "The old one is worthless then, also for questions that were asked with it.",
	}, a.renewKey)
}

type panelInput struct {
	StudyPath

	Cursor string `query:"cursor" maxLength:"20" doc:"The next of the page before."`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

func (a *api) listPanel(ctx context.Context, in *panelInput) (*reply[wire.Panel], error) {
	after := int64(0)
	if in.Cursor != "" {
		var err error
		if after, err = strconv.ParseInt(in.Cursor, 10, 64); err != nil || after < 1 {
			return nil, invalid("query.cursor", noCursor)
		}
	}
	found, err := a.studies.Store.Members(ctx, in.Study, after, in.Limit+1)
	if err != nil {
		return nil, a.problem(err)
	}
	next := ""
	if len(found) > in.Limit {
		found = found[:in.Limit]
		next = strconv.FormatInt(found[in.Limit-1].Number, 10)
	}
	members, err := a.writeMembers(ctx, in.Study, found)
	return &reply[wire.Panel]{wire.Panel{Members: members, Next: next}}, err
}

type newMembersInput struct {
	StudyPath

	Body wire.NewMembers
}

func (a *api) addMembers(ctx context.Context, in *newMembersInput) (*reply[wire.Panel], error) {
	people := make([]owner.NewMember, len(in.Body.Members))
	for i, m := range in.Body.Members {
		people[i] = owner.NewMember{Name: strings.TrimSpace(m.Name), Segment: m.Segment}
	}
	added, count, err := a.studies.Owner.AddMembers(ctx, in.Study, people)
	if err != nil {
		return nil, a.problem(err)
	}
	noteMembers(ctx, len(people), count)
	members, err := a.writeMembers(ctx, in.Study, added)
	return &reply[wire.Panel]{wire.Panel{Members: members}}, err
}

// noteMembers says how many came. Who they are is nothing for a log that stays when they are forgotten.
func noteMembers(ctx context.Context, named, added int) {
	note(ctx, fmt.Sprintf("%d members, %d of them new", named, added))
}

type removalInput struct {
	StudyPath

	Body wire.Removal
}

func (a *api) removeMembers(ctx context.Context, in *removalInput) (*reply[wire.Removed], error) {
	names := make([]string, len(in.Body.Names))
	for i, name := range in.Body.Names {
		names[i] = strings.TrimSpace(name)
	}
	removed, err := a.studies.Owner.RemoveMembers(ctx, in.Study, names...)
	if err != nil {
		return nil, a.problem(err)
	}
	note(ctx, fmt.Sprintf("%d members", removed))
	return &reply[wire.Removed]{wire.Removed{Removed: removed}}, nil
}

type renewalInput struct {
	StudyPath

	Body wire.Renewal
}

func (a *api) renewKey(ctx context.Context, in *renewalInput) (*reply[wire.Member], error) {
	m, err := a.studies.Owner.RenewKey(ctx, in.Study, strings.TrimSpace(in.Body.Name))
	if err != nil {
		return nil, a.problem(err)
	}
	note(ctx, fmt.Sprintf("member %d", m.Number))
	members, err := a.writeMembers(ctx, in.Study, []study.Member{m})
	if err != nil {
		return nil, err
	}
	return &reply[wire.Member]{members[0]}, nil
}

// writeMembers writes members with what they have done.
func (a *api) writeMembers(ctx context.Context, id string, members []study.Member) ([]wire.Member, error) {
	done, err := a.studies.Owner.Histories(ctx, id, members)
	if err != nil {
		return nil, a.problem(err)
	}
	written := make([]wire.Member, len(members))
	for i, m := range members {
		written[i] = wire.Member{
			Name: m.Name, Segment: m.Segment, Key: m.Key, Link: link(id) + "?" + url.Values{"key": {m.Key}}.Encode(), Done: done[i].Questions, Added: m.Added,
		}
	}
	return written, nil
}
