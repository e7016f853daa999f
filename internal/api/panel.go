package api

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/wire"
)

func (a *api) registerPanels() {
	register(a, operation(
		listPanel, "GET "+studyPanel, tagPanel, access.Owner, "List the members of a panel, with their links",
		"Ordered by when they were added. Only owners may read it, because it contains the keys.",
	), a.listPanel)
	register(a, operation(
		"add-members", "POST "+studyPanel, tagPanel, access.Owner, "Add respondents to the panel of a study",
		"Chooses the audience personal: only members may answer then, each with the key of their personal link. "+
			"Existing members keep their keys, and their segments unless the request has others. The operation is atomic.",
	), a.addMembers)
	register(a, upload(operation(
		"import-members", "POST "+studyPanel+"/import", tagPanel, access.Owner, "Add respondents to the panel from a file",
		"Like add-members, for many respondents. The operation is atomic.",
	)), a.importMembers)
	register(a, operation(
		"remove-members", "POST "+studyPanel+"/removals", tagPanel, access.Owner,
		"Remove respondents from the panel of a study",
		"Revokes their keys, also for open questions. Their answers still count. Unknown names are ignored. A "+
			"study whose panel is empty accepts no answers: use change-study to open it to anyone with the link.",
	), a.removeMembers)
	register(a, operation(
		"renew-key", "POST "+studyPanel+"/keys", tagPanel, access.Owner, "Replace the key of a member",
		"Revokes the old key, also for open questions.",
	), a.renewKey)
}

type panelInput struct {
	StudyPath
	ShortPage
}

func (a *api) listPanel(ctx context.Context, in *panelInput) (*reply[wire.Panel], error) {
	after, err := cursorNumber(in.Cursor, 0)
	if err != nil {
		return nil, err
	}
	found, err := a.studies.Store.Members(ctx, in.Study, after, in.Limit+1)
	if err != nil {
		return nil, err
	}
	found, next := pageOf(found, in.Limit, func(m study.Member) string { return strconv.FormatInt(m.Number, 10) })
	members, err := a.writeMembers(ctx, in.Study, found)
	return &reply[wire.Panel]{wire.Panel{Members: members, Next: next}}, err
}

func (a *api) addMembers(ctx context.Context, in *bodyInput[wire.NewMembers]) (*reply[wire.Panel], error) {
	people := make([]owner.NewMember, len(in.Body.Members))
	for i, m := range in.Body.Members {
		people[i] = owner.NewMember{Name: strings.TrimSpace(m.Name), Segment: m.Segment}
	}
	added, count, err := a.studies.Owner.AddMembers(ctx, in.Study, people)
	if err != nil {
		return nil, err
	}
	noteMembers(ctx, len(people), count)
	members, err := a.writeMembers(ctx, in.Study, added)
	return &reply[wire.Panel]{wire.Panel{Members: members}}, err
}

// noteMembers adds the numbers of named and new members to the audit entry. It omits names, because entries outlive erasures.
func noteMembers(ctx context.Context, named, added int) {
	note(ctx, fmt.Sprintf("%s, %d of them new", access.Counted(named, "member"), added))
}

func (a *api) removeMembers(ctx context.Context, in *bodyInput[wire.Removal]) (*reply[wire.Removed], error) {
	names := make([]string, len(in.Body.Names))
	for i, name := range in.Body.Names {
		names[i] = strings.TrimSpace(name)
	}
	removed, err := a.studies.Owner.RemoveMembers(ctx, in.Study, names...)
	if err != nil {
		return nil, err
	}
	note(ctx, access.Counted(removed, "member"))
	return &reply[wire.Removed]{wire.Removed{Removed: removed}}, nil
}

func (a *api) renewKey(ctx context.Context, in *bodyInput[wire.Renewal]) (*reply[wire.Member], error) {
	m, err := a.studies.Owner.RenewKey(ctx, in.Study, strings.TrimSpace(in.Body.Name))
	if err != nil {
		return nil, err
	}
	note(ctx, fmt.Sprintf("member %d", m.Number))
	members, err := a.writeMembers(ctx, in.Study, []study.Member{m})
	if err != nil {
		return nil, err
	}
	return &reply[wire.Member]{members[0]}, nil
}

// writeMembers returns members with the numbers of their answers.
func (a *api) writeMembers(ctx context.Context, id string, members []study.Member) ([]wire.Member, error) {
	done, err := a.studies.Owner.Histories(ctx, id, members)
	if err != nil {
		return nil, err
	}
	written := make([]wire.Member, len(members))
	for i, m := range members {
		written[i] = wire.Member{
			Name: m.Name, Segment: m.Segment, Key: m.Key, Link: link(id) + "?" + url.Values{"key": {m.Key}}.Encode(),
			Done: done[i].Questions, Added: m.Added,
		}
	}
	return written, nil
}

// A membersForm has a file of panel members.
type membersForm struct {
	Members huma.FormFile `form:"members" required:"true" doc:"CSV with a column name and, if the study has segments, a column segment. Other columns are ignored. At most 10,000 members."`
}

func (a *api) importMembers(ctx context.Context, in *formInput[membersForm]) (*reply[wire.Joined], error) {
	s, err := a.studies.Store.Study(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	file := in.RawBody.Data().Members
	people, err := owner.ReadMembers(file.File, file.Size, file.Filename, s.Settings.Strategy.Model)
	if err != nil {
		return nil, uploadProblem(inFile(err), inField(membersField))
	}
	_, added, err := a.studies.Owner.AddMembers(ctx, in.Study, people)
	if err != nil {
		return nil, problemOf(membersField, err)
	}
	noteMembers(ctx, len(people), added)
	return &reply[wire.Joined]{wire.Joined{Members: len(people), Added: added}}, nil
}
