package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/table"
	"bestpick/internal/web/page"
	"bestpick/strategy"
	"bestpick/strategy/majority"
	"bestpick/strategy/racing"
)

// A formView is the page on which a new study or a draft is set up.
type formView struct {
	page.OwnerView
	studyForm

	Study    *study.Study // nil for a new one
	Template string       // the name of the chosen template; empty for none
	Table    string       // pasted text
	Arms     *armsView    // nil if there are none yet
	Preview  string       // the page of a question
	Rests    basis        // what the verdict can rest on
	Contexts bool         // respondents compare texts in contexts
	Notice   string       // the message key of a notice
	Theirs   []difference // changes of another owner
}

// Draft reports whether everything can be changed.
func (v formView) Draft() bool { return v.Study == nil || v.Study.State == study.Draft }

// Over reports whether only the texts can be changed.
func (v formView) Over() bool { return v.Study != nil && v.Study.State == study.Done }

// A formLimits has the largest values that fields accept.
type formLimits struct{ Name, Prompt, K, Picks, Each, Budget, People, Days, Fakes, Retention int }

// Limits returns the limits of the form.
func (formView) Limits() formLimits {
	return formLimits{
		study.MaxName, study.MaxPrompt, study.MaxShown, study.MaxPicks, study.MaxEach, study.MaxBudget, study.MaxPeople, study.MaxDays,
		majority.MaxFakes, study.MaxRetained,
	}
}

// Linear returns the settings of the strategy if the verdict rests on the model.
func (v formView) Linear() racing.Settings {
	s := newSettings(0)
	if v.Study != nil {
		s = v.Study.Settings
	}
	v.Rests.rest(&s, strategy.Linear, false)
	return s.Strategy
}

// Sure returns how sure a result is for a δ as typed.
func (v formView) Sure(delta string) string {
	d, err := strconv.ParseFloat(delta, 64)
	if err != nil {
		return delta
	}
	return v.Words.Sure(d)
}

// Largest returns the maximum size of a file in bytes.
func (formView) Largest() int { return table.MaxUploadBytes }

// registerNew registers the pages on which a study is set up.
func (p *Pages) registerNew() {
	p.HandleOwners("GET "+page.NewPath, func(w http.ResponseWriter, r *http.Request, who access.Token) error {
		view := formView{OwnerView: p.OwnerView(r, who), studyForm: newForm(), Rests: basisOf(nil, racing.Settings{})}
		return p.showForm(w, http.StatusOK, view.start(r.FormValue("template")))
	})
	p.HandleOwners("POST "+page.NewPath, p.withForm(true, p.create))
	p.HandleOwners("POST "+page.NewPath+"/look", p.withForm(false, p.preview))
}

func (p *Pages) showForm(w http.ResponseWriter, status int, view formView) error {
	return p.Show(w, status, "new", page.Whole, &view)
}

// withForm returns a handler of the form of a new study, which gets the form with its arms, and with keep their pictures.
func (p *Pages) withForm(
	keep bool, do func(w http.ResponseWriter, r *http.Request, who access.Token, view formView, sent sentArms) error,
) func(http.ResponseWriter, *http.Request, access.Token) error {
	return func(w http.ResponseWriter, r *http.Request, who access.Token) error {
		view := formView{OwnerView: p.OwnerView(r, who), Rests: basisOf(nil, racing.Settings{})}
		removeFiles, err := page.ParseUpload(w, r, table.MaxUploadBytes)
		defer removeFiles()
		_, tooLarge := errors.AsType[*http.MaxBytesError](err)
		tooLarge = tooLarge || errors.Is(err, multipart.ErrMessageTooLarge)
		if err != nil && !tooLarge {
			return page.ErrUnreadable
		}
		view.studyForm = typedForm(r, newForm(), p.Clock())
		if tooLarge {
			view.problem(view.Words, cataloguePart, "problem.large")
			return p.showForm(w, http.StatusRequestEntityTooLarge, view)
		}
		view.Table = r.PostFormValue(tablePart)
		sent, err := view.sentArms(view.Words, r, p.Pictures, keep)
		if err != nil {
			return err
		}
		if sent.Encoded != nil {
			view.Rests = basisOf(&sent.Catalogue, racing.Settings{})
			view.suggest(view.Rests)
		}
		return do(w, r, who, view, sent)
	}
}

// preview returns the recognised columns and the estimate as fragments of the page. It stores nothing.
func (p *Pages) preview(w http.ResponseWriter, r *http.Request, _ access.Token, view formView, sent sentArms) error {
	arms := cmp.Or(sent.Encoded, sent.asFound)
	if arms == nil {
		view.settings(view.Words, newSettings(0), view.Rests) // records problems
		if sent.layout != nil {
			view.Arms = &armsView{Words: view.Words, Layout: sent.layout}
		}
		return p.Show(w, http.StatusOK, "new", "looked", &view)
	}
	view.Arms = view.armsView(view.Words, newSettings(arms.Arms.Len()), arms)
	view.Arms.Layout = sent.layout
	if err := p.addPreview(&view, newSettings(arms.Arms.Len()), arms); err != nil {
		return err
	}
	if arms.Table != nil {
		view.Arms.offer(arms.Table, chosenColumns(r))
	}
	for i := range view.Arms.Columns {
		view.Arms.Columns[i].Problem = sent.wrong[view.Arms.Columns[i].Name]
	}
	return p.Show(w, http.StatusOK, "new", "looked", &view)
}

// addPreview adds the page of a question to a form, and records the problems of its settings.
func (p *Pages) addPreview(view *formView, s study.Settings, arms *archive.Encoded) (err error) {
	s = view.settings(view.Words, s, view.Rests)
	if len(view.Problems) == 0 {
		view.report(view.Words, s.Check(arms.Arms, 0, arms.Contexts != nil))
	}
	st := study.Study{Name: view.Fields[nameField], Prompt: view.Fields[promptField], Settings: s, Page: view.page}
	view.Preview, err = p.Respond.PreviewNew(view.Words, st, &arms.Catalogue)
	return err
}

// create creates a study from the form, and opens it if requested. If the form has problems besides the arms, an
// owner without JavaScript gets a draft, and need not choose the file again.
func (p *Pages) create(w http.ResponseWriter, r *http.Request, who access.Token, view formView, sent sentArms) error {
	arms, count := sent.Encoded, 0
	if arms != nil {
		count = arms.Arms.Len()
	}
	settings := view.settings(view.Words, newSettings(count), view.Rests)
	view.checkTexts(view.Words)
	if arms == nil || len(view.Problems) > 0 && page.WantsPart(r) {
		return p.showProblems(w, r, view)
	}
	title, prompt := view.Fields[nameField], view.Fields[promptField]
	if view.Wrong(nameField) {
		title = cmp.Or(sent.name, view.Must("field.untitled"))
	}
	if view.Wrong(promptField) {
		prompt = ""
	}
	created, err := p.createDraft(r.Context(), title, prompt, settings, sent, view.page.Cards)
	if errors.Is(err, study.ErrInvalid) {
		view.refused(view.Words, err)
		return p.showProblems(w, r, view)
	}
	if err != nil {
		return err
	}
	detail := fmt.Sprintf("%q, %s", created.Name, access.Counted(created.Arms, "option"))
	p.RecordCreated(r, who, created.ID, detail)
	if len(view.Problems) > 0 {
		view.Study, view.Notice, view.Table = &created, "kept", ""
		return p.showEdit(w, r, http.StatusUnprocessableEntity, view)
	}
	return p.openAndRedirect(w, r, who, created)
}

// createDraft creates a study whose settings include the guarantee.
func (p *Pages) createDraft(
	ctx context.Context, name, prompt string, s study.Settings, arms sentArms, cards study.CardContent,
) (study.Study, error) {
	r := s.Strategy
	wanted := owner.Guarantee{Assume: assumption(r), Epsilon: &r.Epsilon, Verify: &r.Verify, Fallback: &r.Fallback, Fakes: &r.Fakes}
	return p.Owner.CreateDraft(ctx, owner.Request{}, owner.Draft{
		Name: name, Prompt: prompt, Settings: s, Guarantee: wanted, Arms: arms.Encoded, Pictures: arms.pictures, Cards: cards,
	})
}

// newSettings returns the default settings of a study with a number of arms, before it is known what its verdict can
// rest on.
func newSettings(arms int) study.Settings {
	s := study.Settings{Strategy: racing.Settings{Assume: strategy.Majority}.WithDefaults()}
	s.Strategy.K = min(s.Strategy.K, max(2, arms))
	s.Picks = s.Strategy.DefaultPicks()
	return s.WithDefaults()
}

// openAndRedirect opens a saved study if the owner asked for that, and redirects to the page that shows the result.
func (p *Pages) openAndRedirect(w http.ResponseWriter, r *http.Request, who access.Token, s study.Study) error {
	address := page.StudiesPath + url.PathEscape(s.ID)
	switch r.PostFormValue("then") {
	case openAction:
		if _, err := p.Owner.SetState(r.Context(), s.ID, s.Version, study.Open); err != nil {
			return err
		}
		p.Record(r.Context(), who, "open-study", s.ID, "")
		address += "/share?did=" + openAction
	case "look":
		address += "/edit"
	}
	return p.Redirect(w, r, address)
}

// showProblems shows the form again with its problems, or returns them to JavaScript.
func (p *Pages) showProblems(w http.ResponseWriter, r *http.Request, view formView) error {
	if page.WantsPart(r) {
		page.Reply(w, page.FormReply{Problems: view.Problems})
		return nil
	}
	return p.showForm(w, http.StatusUnprocessableEntity, view)
}

// A studyTemplate is a starting point of a new study. Its name ends the message keys of its title and prompt.
type studyTemplate struct {
	Name    string
	K, Each string
}

// Templates returns the starting points of a new study, in the order of the page.
func (formView) Templates() []studyTemplate {
	return []studyTemplate{
		{Name: "headlines", K: "3", Each: "10"},
		{Name: "products", K: "3", Each: "8"},
		{Name: "designs", K: "2", Each: "15"},
		{Name: "prompts", K: "2", Each: "20"},
	}
}

// start returns the form filled in from a template. A name that is not a template changes nothing.
func (v formView) start(name string) formView {
	all := v.Templates()
	at := slices.IndexFunc(all, func(t studyTemplate) bool { return t.Name == name })
	if at < 0 {
		return v
	}
	t := all[at]
	v.Template, v.Fields[promptField] = name, v.Must("template."+name+"-prompt")
	v.Fields[kField], v.Fields[eachField] = t.K, t.Each
	v.Fields[picksField] = defaultPicks(v.Fields[assumeField], t.K)
	return v
}
