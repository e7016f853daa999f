package web_test

import (
	"net/http"
	"testing"

	"bestpick/wire"
)

// TestLabelColumn: the page of a study shows the column of titles under the name that it has in the owner's file.
func TestLabelColumn(t *testing.T) {
	s := begin(t)
	for _, name := range []string{"title", "Name", "headline", "label"} {
		id := s.draft(name+",price\nOrb,10\nReed,20\nFold,40\n", wire.Settings{K: 2})
		p := s.signedInPerson()
		p.get(s.results(id) + "/edit")
		p.sees(http.StatusOK, `scope="row">`+name+`</th>`)
	}
}
