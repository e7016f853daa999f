package archive_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/testsupport"
)

// TestReopened: what there was to say about arms can be said again of the saved ones.
func TestReopened(t *testing.T) {
	for name, file := range map[string]string{
		"numbers.csv":  "id,a,b,colour\n1,1,2,red\n2,2,4.01,red\n3,3,6,blue\n4,900,8,red\n5,5,10,green\n6,5,10,green\n",
		"e.jsonl":      embeddings(),
		"profile.yaml": "price: [10, 12, 15]\nbrand: [acme, zenith]\n",
	} {
		t.Run(name, func(t *testing.T) {
			first, err := archive.OpenUpload(uploaded(name, file), catalogue.Options{}, 2)
			testsupport.NoError(t, err)
			loaded, err := load(save(t, &first.Catalogue))
			testsupport.NoError(t, err)
			if again := loaded.Reopened(); !slices.Equal(again.Warnings, first.Warnings) {
				t.Errorf("%v, at first %v", again.Warnings, first.Warnings)
			}
			if len(first.Warnings) == 0 && first.Profiles == nil {
				t.Error("there is nothing to say")
			}
		})
	}
}

// embeddings are arms with vectors whose variance is in all directions.
func embeddings() string {
	var text strings.Builder
	for i := range 12 {
		vector := make([]string, 12)
		for k := range vector {
			vector[k] = "0"
		}
		vector[i] = "1"
		fmt.Fprintf(&text, "{\"id\":\"%d\",\"e\":[%s]}\n", i, strings.Join(vector, ","))
	}
	return text.String()
}
