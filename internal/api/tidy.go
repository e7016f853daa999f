package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/wire"
)

// tidied gives problems of the library the form of ours.
func tidied(_ huma.Context, _ string, body any) (any, error) {
	if told, ok := body.(*huma.ErrorModel); ok {
		tidy(told)
	}
	return body, nil
}

// Limits of problems, whatever the size of the request.
const (
	mostDetails     = 20
	longestDetail   = 4000
	longestMessage  = 1000
	longestLocation = 500
)

// tidy removes values of the request from a problem, since they may be tokens, and shortens the
// problem.
func tidy(told *huma.ErrorModel) {
	told.Detail = brief(told.Detail, longestDetail)
	if more := len(told.Errors) - mostDetails; more > 0 {
		told.Errors = append(told.Errors[:mostDetails:mostDetails], &huma.ErrorDetail{Message: fmt.Sprintf("and %d more", more)})
	}
	for _, detail := range told.Errors {
		detail.Value = nil
		if field, is := strings.CutPrefix(detail.Location, "form."); is {
			detail.Location = "body." + field
		}
		detail.Location, detail.Message = brief(detail.Location, longestLocation), brief(detail.Message, longestMessage)
	}
	if told.Type == "" && (told.Status == http.StatusBadRequest || told.Status == http.StatusUnprocessableEntity) {
		told.Type = wire.Invalid
	}
}

// brief shortens a text to most bytes. It omits the middle, because the location is at the start
// and the reason at the end.
func brief(text string, most int) string {
	if len(text) <= most {
		return text
	}
	half := most / 2
	return strings.ToValidUTF8(text[:half], "") + "…" + strings.ToValidUTF8(text[len(text)-half:], "")
}
