package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"bestpick/wire"
)

// TestPriorPage: an owner uploads earlier answers for a draft, sees how many choices were read, and
// removes them. Files with problems change nothing.
func TestPriorPage(t *testing.T) {
	t.Parallel()
	s := begin(t)
	id, c := s.draft("id,x\na,1\nb,2\nc,4\n", wire.Settings{K: 2}), s.visit(s.secret)
	page := "/studies/" + id
	shows := func(path string, want bool, texts ...string) {
		t.Helper()
		_, text := s.ask(http.MethodGet, path, s.secret, nil)
		for _, part := range texts {
			if strings.Contains(text, part) != want {
				t.Errorf("%s shows %q: %v", path, part, !want)
			}
		}
	}
	shows(page, true, `id="do-prior"`)
	shows(page+"/prior", true, "Use earlier answers", `type="file"`)
	shows(page+"/prior", false, `id="remove-prior"`)
	for text, want := range map[string]string{
		"shown_1,shown_2,pick_1\na,z,a\nz,y,z\n": "there is no option “z”",
		"":                                       "Choose a file",
	} {
		if status, _, got := s.sendForm(c, page+"/prior", map[string]string{"version": "1", "pasted": text}); status != http.StatusUnprocessableEntity || !strings.Contains(got, want) {
			t.Errorf("%d, want %q", status, want)
		}
	}
	if status, _, _ := s.sendForm(c, page+"/prior", map[string]string{
		"version": "7",
		"pasted":  "shown_1,shown_2,pick_1\na,b,a\n",
	}); status != http.StatusConflict {
		t.Errorf("another version: %d", status)
	}
	status, location, _ := s.sendForm(c, page+"/prior", map[string]string{"version": "1"},
		sentFile{"file", "answers.csv", "shown_1,shown_2,pick_1\na,b,a\nb,c,b\n"})
	if status != http.StatusSeeOther || !strings.HasSuffix(location, "did=prior") {
		t.Errorf("%d %s", status, location)
	}
	shows(page+"?did=prior", true, "guide the questions", "2 choices")
	shows(page+"/prior", true, `id="remove-prior"`, "2 earlier choices")
	if status, text := s.ask(http.MethodPost, page+"/remove-prior", s.secret, url.Values{"version": {"2"}}); status != http.StatusSeeOther {
		t.Errorf("%d %.200s", status, text)
	}
	shows(page, false, "2 choices")
	if got := s.recorded(id); got != "set-prior remove-prior" {
		t.Errorf("the audit log has %s", got)
	}
	shows("/studies/"+s.draft(lamps(), wire.Settings{Assume: "majority"}), false, `id="do-prior"`)
}
