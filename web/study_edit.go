package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"bestpick/access"
	"bestpick/study"
)

// The bounds of texts, as over the interface.
const (
	longestStudyName = 200
	longestPrompt    = 2000
)

// edit changes name and prompt. Who was slower sees what the other wrote, and keeps what they wrote.
func (p *Pages) edit(w http.ResponseWriter, r *http.Request, who access.Token) {
	if !parse(w, r) {
		return
	}
	v, err := p.askView(r, editDeed)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	v.Name, v.Prompt = strings.TrimSpace(r.PostFormValue("name")), strings.TrimSpace(strings.ReplaceAll(r.PostFormValue("prompt"), "\r\n", "\n"))
	if problem := checkTexts(v.Name, v.Prompt); problem != "" {
		v.Problems = []string{v.must(problem, "name", v.Count(longestStudyName), "prompt", v.Count(longestPrompt))}
		p.show(w, http.StatusUnprocessableEntity, askPage, "layout", v)
		return
	}
	version, _ := strconv.Atoi(r.PostFormValue("version")) // 0 is none that there is
	var changed []string
	_, err = p.studies.Change(r.Context(), v.Study.ID, max(1, version), func(s *study.Study) error {
		changed = nil
		if s.Name != v.Name {
			changed = append(changed, "name")
		}
		if s.Prompt != v.Prompt {
			changed = append(changed, "prompt")
		}
		s.Name, s.Prompt = v.Name, v.Prompt
		return nil
	})
	switch {
	case errors.Is(err, study.ErrChanged):
		v.Conflict = true
		p.show(w, http.StatusConflict, askPage, "layout", v)
	case err != nil:
		p.fail(w, r, err)
	default:
		p.record(r.Context(), who, "change-study", v.Study.ID, strings.Join(changed, ", "))
		p.back(w, r, v.Study.ID, editDeed)
	}
}

// checkTexts returns the message of what is wrong with name and prompt, or nothing.
func checkTexts(name, prompt string) string {
	switch {
	case name == "":
		return "edit.no-name"
	case !isText(name) || !isText(prompt) || len([]rune(name)) > longestStudyName || len([]rune(prompt)) > longestPrompt:
		return "edit.too-long"
	}
	return ""
}
