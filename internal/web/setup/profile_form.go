package setup

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// A profileView is the page on which an owner sets the profile questions.
type profileView struct {
	page.OwnerView

	Study    study.Study
	Version  int // that the owner has seen
	Problem  string
	Conflict bool // another owner has changed the study
}

// A profileSlot is a question of the form.
type profileSlot struct {
	study.ProfileQuestion

	At    int
	Lines string // the choices
}

// Slots returns the questions, and empty ones to fill in.
func (v profileView) Slots() (slots []profileSlot) {
	const spare = 2
	for at := range min(len(v.Study.Profile)+spare, study.MaxProfile) {
		slot := profileSlot{At: at}
		if at < len(v.Study.Profile) {
			slot.ProfileQuestion = v.Study.Profile[at]
			slot.Lines = choiceLines(slot.Choices)
		}
		slots = append(slots, slot)
	}
	return slots
}

// Number returns the number of the question on the page.
func (s profileSlot) Number() int { return s.At + 1 }

// Limit returns the maximum length of a name and of a question.
func (profileView) Limit() int { return study.MaxName }

// Segments reports whether the study has segments.
func (v profileView) Segments() bool { return len(v.Study.Settings.Strategy.Model.Segments) > 0 }

// registerProfile registers the page on which an owner sets the profile questions.
func (p *Pages) registerProfile() {
	const path = page.StudiesPath + "{study}/profile"
	p.HandleOwners("GET "+path, func(w http.ResponseWriter, r *http.Request, who access.Token) {
		s, err := p.StudyOf(r)
		if err != nil {
			p.Fail(w, r, who, err)
			return
		}
		p.Show(w, http.StatusOK, "profile", page.Whole, profileView{OwnerView: p.OwnerView(r, who), Study: s, Version: s.Version})
	})
	p.HandleOwners("POST "+path, p.changeProfile)
}

// changeProfile saves the profile questions.
func (p *Pages) changeProfile(w http.ResponseWriter, r *http.Request, who access.Token) {
	if !page.ParseForm(w, r) {
		return
	}
	version, err := strconv.Atoi(r.PostFormValue("version"))
	if err != nil || version < 1 {
		page.Unreadable(w)
		return
	}
	s, err := p.StudyOf(r)
	if err != nil {
		p.Fail(w, r, who, err)
		return
	}
	v := profileView{OwnerView: p.OwnerView(r, who), Study: s, Version: version}
	v.Study.Profile = typedProfile(r)
	_, err = p.Owner.Change(r.Context(), s.ID, version, func(s *study.Study) error {
		s.Profile = v.Study.Profile
		return nil
	})
	switch {
	case errors.Is(err, study.ErrChanged):
		v.Conflict, v.Version = true, s.Version
		p.Show(w, http.StatusConflict, "profile", page.Whole, v)
	case errors.Is(err, study.ErrInvalid):
		v.Problem = study.Coded(err).Message
		p.Show(w, http.StatusUnprocessableEntity, "profile", page.Whole, v)
	case err != nil:
		p.Fail(w, r, who, err)
	default:
		p.Record(r.Context(), who, "change-study", s.ID, "profile")
		p.RedirectToStudy(w, r, s.ID, profileDeed)
	}
}

// typedProfile returns the profile questions of a form, without empty ones.
func typedProfile(r *http.Request) (questions []study.ProfileQuestion) {
	for at := range study.MaxProfile {
		typed := func(field string) string { return strings.TrimSpace(r.PostFormValue(field + ":" + strconv.Itoa(at))) }
		q := study.ProfileQuestion{
			Name: typed("name"), Text: typed("text"), Choices: readChoices(typed("choices")), After: typed("after") == page.Yes, Segment: typed("segment") == page.Yes,
		}
		if q.Name != "" || q.Text != "" || q.Choices != nil {
			questions = append(questions, q)
		}
	}
	return questions
}

// readChoices returns the choices in a text, one per line. A number after the last semicolon of a line is a quota.
func readChoices(text string) (choices []study.ProfileChoice) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		choice := study.ProfileChoice{Text: line}
		if at := strings.LastIndexByte(line, ';'); at > 0 {
			quota, err := strconv.Atoi(strings.TrimSpace(line[at+1:]))
			if before := strings.TrimSpace(line[:at]); err == nil && quota > 0 && before != "" {
				choice = study.ProfileChoice{Text: before, Quota: quota}
			}
		}
		choices = append(choices, choice)
	}
	return choices
}

// choiceLines returns the text that readChoices reads.
func choiceLines(choices []study.ProfileChoice) string {
	lines := make([]string, len(choices))
	for i, c := range choices {
		if lines[i] = c.Text; c.Quota > 0 {
			lines[i] += "; " + strconv.Itoa(c.Quota)
		}
	}
	return strings.Join(lines, "\n")
}
