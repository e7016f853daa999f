package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/study"
)

// registerStates registers an operation for each state that owners can set.
func (a *api) registerStates() {
	for _, way := range []struct {
		verb, summary, about string
		to                   study.State
	}{
		{"open", "Open a study to respondents", "A study that is done can be opened again unless its verdict is decided. That removes a budget that is spent and a deadline that has passed. Where the end of the study has completed respondents, it takes until their sessions would be over.", study.Open},
		{"pause", "Pause a study; open questions can still be answered", "", study.Paused},
		{"close", "Close a study", "", study.Done},
	} {
		huma.Register(a.huma, huma.Operation{
			OperationID: way.verb + "-study", Method: http.MethodPost, Path: oneStudy + "/" + way.verb, Tags: []string{tagStudies}, Security: owners(),
			Summary: way.summary, Description: way.about,
		}, func(ctx context.Context, in *GuardedPath) (*studyReply, error) {
			version, err := a.version(ctx, *in)
			if err != nil {
				return nil, err
			}
			return a.reply(a.studies.Owner.SetState(ctx, in.Study, version, way.to))
		})
	}
}
