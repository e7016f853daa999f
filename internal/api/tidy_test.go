package api

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// TestTidy: problems are short and contain no values of the request, only locations.
func TestTidy(t *testing.T) {
	long := strings.Repeat("é", 10_000)
	told := problem(422, "", "start "+long+" end")
	for i := range 500 {
		told.Errors = append(told.Errors, &huma.ErrorDetail{Location: fmt.Sprintf("form.x[%d]%s", i, long), Message: long, Value: "secret"})
	}
	tidy(told)
	if !strings.HasPrefix(told.Detail, "start é") || !strings.HasSuffix(told.Detail, "é end") || len(told.Detail) > 4010 || !utf8.ValidString(told.Detail) {
		t.Errorf("the detail is %s", told.Detail)
	}
	if len(told.Errors) != 21 || told.Errors[20].Message != "and 480 more" {
		t.Errorf("got %d errors, the last is %+v", len(told.Errors), told.Errors[len(told.Errors)-1])
	}
	for i, detail := range told.Errors[:20] {
		if !strings.HasPrefix(detail.Location, fmt.Sprintf("body.x[%d]", i)) || len(detail.Location) > 510 || len(detail.Message) > 1010 || detail.Value != nil {
			t.Errorf("an error is %+v", detail)
		}
	}
}
