package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/study/owner"
	"bestpick/wire"
)

// A membersForm has a file of panel members.
type membersForm struct {
	Members huma.FormFile `form:"members" required:"true" doc:"CSV with a column name and, if the study has segments, a column segment. Other columns are ignored. At most 10,000 members."`
}

type membersFileInput struct {
	StudyPath

	RawBody huma.MultipartFormFiles[membersForm]
}

func (a *api) importMembers(ctx context.Context, in *membersFileInput) (*reply[wire.Joined], error) {
	s, err := a.studies.Store.Study(ctx, in.Study)
	if err != nil {
		return nil, a.problem(err)
	}
	file := in.RawBody.Data().Members
	people, err := owner.ReadMembers(file.File, file.Size, file.Filename, s.Settings.Strategy.Model)
	if err != nil {
		return nil, a.inFiles(err, func(string) string { return membersField })
	}
	_, added, err := a.studies.Owner.AddMembers(ctx, in.Study, people)
	if err != nil {
		return nil, a.problemOf(membersField, err)
	}
	noteMembers(ctx, len(people), added)
	return &reply[wire.Joined]{wire.Joined{Members: len(people), Added: added}}, nil
}
