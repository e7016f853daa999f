package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"bestpick/access"
	"bestpick/catalogue"
	"bestpick/study"
)

// What can be done to a study. The words are in addresses, and in messages.
const (
	openDeed     = "open"
	pauseDeed    = "pause"
	closeDeed    = "close"
	editDeed     = "edit"
	addDeed      = "add"
	withdrawDeed = "withdraw"
	deleteDeed   = "delete"
	conflictDeed = "conflict" // nothing was done, because somebody else was faster
	refusedDeed  = "refused"  // nothing was done, because it cannot be
)

// deeds are those that the page of a study can speak of.
func deeds() []string {
	return []string{openDeed, pauseDeed, closeDeed, editDeed, addDeed, withdrawDeed, conflictDeed, refusedDeed}
}

// registerActions has the addresses of all that changes a study. Each takes the version that the owner has seen, so that
// two of them do not overwrite each other's changes, and a form of another site changes nothing.
func (p *Pages) registerActions() {
	own := http.NewCrossOriginProtection()
	act := func(deed string, do func(http.ResponseWriter, *http.Request, access.Token)) {
		p.mux.Handle("POST "+studiesPath+"{study}/"+deed, own.Handler(p.signedIn(access.Owner, do)))
	}
	ask := func(deed string) {
		p.mux.HandleFunc("GET "+studiesPath+"{study}/"+deed, p.signedIn(access.Owner, func(w http.ResponseWriter, r *http.Request, _ access.Token) {
			p.askFor(w, r, deed)
		}))
	}
	for deed, to := range map[string]study.State{openDeed: study.Open, pauseDeed: study.Paused, closeDeed: study.Done} {
		act(deed, func(w http.ResponseWriter, r *http.Request, who access.Token) {
			p.change(w, r, who, deed, deed+"-study", func(ctx context.Context, id string, version int) (string, error) {
				_, err := p.studies.Move(ctx, id, version, to)
				return "", err
			})
		})
	}
	for _, deed := range []string{closeDeed, editDeed, addDeed, withdrawDeed, deleteDeed} {
		ask(deed)
	}
	act(editDeed, p.edit)
	act(addDeed, p.addArms)
	act(withdrawDeed, p.withdraw)
	act(deleteDeed, p.delete)
}

// change does something to a study, records it, and goes back to its page.
func (p *Pages) change(w http.ResponseWriter, r *http.Request, who access.Token, deed, operation string, do func(ctx context.Context, id string, version int) (detail string, err error)) {
	if r.MultipartForm == nil && !parse(w, r) {
		return
	}
	id := r.PathValue("study")
	version, err := strconv.Atoi(r.PostFormValue("version"))
	if err != nil || version < 1 || !isText(id) {
		p.fail(w, r, study.ErrNotFound)
		return
	}
	detail, err := do(r.Context(), id, version)
	state, wrongState := errors.AsType[*study.StateError](err)
	switch {
	case errors.Is(err, study.ErrChanged), wrongState && state != nil, errors.Is(err, study.ErrNotOpen):
		p.back(w, r, id, conflictDeed)
	case err == nil:
		p.record(r.Context(), who, operation, id, detail)
		p.back(w, r, id, deed)
	case isFieldError(err):
		p.back(w, r, id, refusedDeed)
	default:
		p.fail(w, r, err)
	}
}

func isFieldError(err error) bool {
	_, is := errors.AsType[*study.FieldError](err)
	return is
}

// record adds an entry to what was done. What is done is done, so if that fails the request does not.
func (p *Pages) record(ctx context.Context, who access.Token, operation, id, detail string) {
	entry := access.Entry{By: who.Name, Operation: operation, Study: id, Detail: detail}
	if err := access.Record(ctx, p.Audit, entry); err != nil {
		p.Log.Error("what was done could not be recorded", "by", entry.By, "operation", operation, "study", id, "detail", detail, "error", err)
	}
}

// back goes to the page of a study, which says what was done.
func (p *Pages) back(w http.ResponseWriter, r *http.Request, id, did string) {
	query := url.Values{"did": {did}}
	if chosen := r.FormValue("lang"); chosen != "" {
		query.Set("lang", chosen)
	}
	p.goTo(w, r, studiesPath+url.PathEscape(id)+"?"+query.Encode())
}

func (p *Pages) goTo(w http.ResponseWriter, r *http.Request, address string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, address, http.StatusSeeOther)
}

// withdraw takes an arm out of a study.
func (p *Pages) withdraw(w http.ResponseWriter, r *http.Request, who access.Token) {
	p.change(w, r, who, withdrawDeed, "withdraw-arm", func(ctx context.Context, id string, version int) (string, error) {
		arm := r.PostFormValue("arm")
		_, err := p.studies.Withdraw(ctx, id, version, arm)
		return fmt.Sprintf("arm %.100q", arm), err
	})
}

// delete removes a study, if its name was typed.
func (p *Pages) delete(w http.ResponseWriter, r *http.Request, who access.Token) {
	if !parse(w, r) {
		return
	}
	v, err := p.askView(r, deleteDeed)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	if strings.TrimSpace(r.PostFormValue("name")) != strings.TrimSpace(v.Study.Name) {
		v.Problems = []string{v.must("delete.wrong-name")}
		p.show(w, http.StatusUnprocessableEntity, askPage, "layout", v)
		return
	}
	version, _ := strconv.Atoi(r.PostFormValue("version")) // 0 is none that there is
	if err := p.studies.Delete(r.Context(), v.Study.ID, max(1, version)); errors.Is(err, study.ErrChanged) {
		p.back(w, r, v.Study.ID, conflictDeed)
		return
	} else if err != nil {
		p.fail(w, r, err)
		return
	}
	p.record(r.Context(), who, "delete-study", v.Study.ID, "")
	p.goTo(w, r, "/")
}

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

// An askView is a page that asks back, or for something, before a study is changed.
type askView struct {
	words

	Deed     string
	Chosen   string
	Study    study.Study
	Name     string // as typed
	Prompt   string
	Pasted   string
	Arm      string // to be withdrawn: its id
	ArmName  string
	Conflict bool     // somebody else was faster
	Problems []string // what is wrong with what was sent
}

// Address is where something of the study is.
func (v askView) Address(path string) string {
	return studyView{Progress: study.Progress{Study: v.Study}, Chosen: v.Chosen}.Address(path)
}

// askView reads what a page that asks back has to know.
func (p *Pages) askView(r *http.Request, deed string) (askView, error) {
	id := r.PathValue("study")
	if !isText(id) {
		return askView{}, study.ErrNotFound
	}
	s, err := p.studies.Study(r.Context(), id)
	if err != nil {
		return askView{}, err
	}
	chosen := r.FormValue("lang")
	return askView{words: p.languages.of(r, chosen), Deed: deed, Chosen: chosen, Study: s, Name: s.Name, Prompt: s.Prompt}, nil
}

// askFor shows the page that asks back.
func (p *Pages) askFor(w http.ResponseWriter, r *http.Request, deed string) {
	v, err := p.askView(r, deed)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	if deed == deleteDeed {
		v.Name = ""
	}
	if deed == withdrawDeed {
		arms, err := p.studies.Arms(r.Context(), v.Study)
		if err != nil {
			p.fail(w, r, err)
			return
		}
		v.Arm = r.FormValue("arm")
		number, known := arms.Arms.Index(v.Arm)
		if !known {
			p.fail(w, r, study.ErrNotFound)
			return
		}
		v.ArmName = armName(arms, arms.Card(number))
	}
	p.show(w, http.StatusOK, askPage, "layout", v)
}

// certified is the status of a verdict that is.
const certified = string(study.Certified)

// Changeable reports whether arms may come and go.
func (v studyView) Changeable() bool {
	return v.Study.State == study.Draft || v.Study.State != study.Done && !v.Study.Settings.Strategy.Model.Clicks
}

// Addable reports whether arms may be added.
func (v studyView) Addable() bool { return v.Changeable() && v.arms.Profiles == nil }

// State is that of the study, as messages call it.
func (v studyView) State() string { return string(v.Study.State) }

// pasted is a table that was pasted: from a spreadsheet, with tabs, or as CSV.
func pasted(text string) catalogue.Upload {
	reader := strings.NewReader(text)
	return catalogue.Upload{Name: "pasted.csv", Contents: reader, Size: reader.Size()}
}
