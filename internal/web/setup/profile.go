package setup

import (
	"net/http"
	"strconv"
	"strings"

	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// A profileView is the page on which an owner sets the profile questions.
type profileView struct{ partView }

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
	p.handlePart(part{
		path: "profile", action: profileAction, detail: "profile",
		read: func(r *http.Request, v *partView) (problem string, err error) {
			v.Study.Profile = typedProfile(r)
			return "", nil
		},
		set:   func(to *study.Study, typed study.Study) { to.Profile = typed.Profile },
		wrong: func(_ partView, err *study.Error) string { return err.Message },
		show: func(w http.ResponseWriter, _ *http.Request, status int, v partView) error {
			return p.Show(w, status, "profile", page.Whole, profileView{v})
		},
	})
}

// typedProfile returns the profile questions of a form, without empty ones.
func typedProfile(r *http.Request) (questions []study.ProfileQuestion) {
	for at := range study.MaxProfile {
		typed := func(field string) string { return page.Typed(r, field+":"+strconv.Itoa(at)) }
		q := study.ProfileQuestion{
			Name: typed("name"), Text: typed("text"), Choices: readChoices(typed("choices")),
			After: typed("after") == page.Yes, Segment: typed("segment") == page.Yes,
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
