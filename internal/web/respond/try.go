package respond

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/study/live"
	"bestpick/internal/web/page"
)

// tryQuestions is the number of questions of a try-out, unless the study limits them.
const tryQuestions = 10

// registerTry registers the try-out: the pages of a respondent with random questions, which records nothing.
func (p *Pages) registerTry() {
	const path = page.StudiesPath + "{study}/try"
	p.HandleViewers("GET "+path, p.try)
	p.HandleViewers("GET "+path+"/{step}", p.try)
	p.HandleViewers("POST "+path+"/{step}", p.tryStep)
}

// try begins a try-out.
func (p *Pages) try(w http.ResponseWriter, r *http.Request, _ access.Token) error {
	s, err := p.StudyOf(r)
	if err != nil {
		return err
	}
	if s.Page.Greets() {
		return p.showTry(w, r, s, View{State: welcome(http.StatusOK)})
	}
	return p.tryQuestion(w, r, s, 1, nil, nil)
}

// tryStep continues a try-out. The form has the number of the question and the arms shown.
func (p *Pages) tryStep(w http.ResponseWriter, r *http.Request, _ access.Token) error {
	if err := page.ParseForm(w, r); err != nil {
		return err
	}
	s, err := p.StudyOf(r)
	if err != nil {
		return err
	}
	number := numberOf(r)
	if r.PathValue("step") == "answer" {
		shown := numbersIn(r.PostFormValue("token"), s.Arms)
		pick := r.PostFormValue("pick")
		picked := numbersIn(strings.Join(append(r.PostForm["picked"], pick), ","), len(shown))
		if _, err := strconv.Atoi(pick); err == nil && len(shown) == s.Settings.Strategy.K &&
			len(picked) < s.Settings.Wanted(len(shown)) {
			return p.tryQuestion(w, r, s, number, shown, picked)
		}
	}
	return p.tryQuestion(w, r, s, number+1, nil, nil)
}

// numbersIn returns the numbers from 0 to below a limit in a text, as far as they are valid and differ.
func numbersIn(text string, limit int) (numbers []int) {
	for part := range strings.SplitSeq(text, ",") {
		if n, err := strconv.Atoi(part); err == nil && n >= 0 && n < limit && !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// tryQuestion shows a question of a try-out with some arms, random ones by default, or the end.
func (p *Pages) tryQuestion(w http.ResponseWriter, r *http.Request, s study.Study, number int, shown, picked []int) error {
	each := s.Settings.PerRespondent
	if each == study.NoLimit {
		each = tryQuestions
	}
	if number > each {
		return p.showTry(w, r, s, View{State: enough(s)})
	}
	if shown == nil {
		shown = randomArms(s)
	}
	q, err := p.tried(r.Context(), s, number, shown)
	if err != nil {
		return err
	}
	for _, slot := range picked {
		q.pick(slot)
	}
	return p.showTry(w, r, s, View{Question: q})
}

// tried returns a question of a try-out. Its token is the list of the arms shown.
func (p *Pages) tried(ctx context.Context, s study.Study, number int, shown []int) (*Question, error) {
	texts := make([]string, len(shown))
	for i, arm := range shown {
		texts[i] = strconv.Itoa(arm)
	}
	q := question(s, strings.Join(texts, ","), number, s.Settings.Wanted(len(shown)))
	return q, p.setCards(ctx, q, s, study.Position(max(number, 1)-1), shown)
}

// randomArms returns the arms of a random question.
func randomArms(s study.Study) (arms []int) {
	for len(arms) < s.Settings.Strategy.K {
		arm := rand.IntN(s.Arms)
		if !slices.Contains(arms, arm) && !slices.Contains(s.Withdrawn, arm) {
			arms = append(arms, arm)
		}
	}
	return arms
}

// showTry shows a page of a try-out.
func (p *Pages) showTry(w http.ResponseWriter, r *http.Request, s study.Study, view View) error {
	view.Words, view.visitor, view.Study, view.Trial = p.WordsOf(r), visitor{Chosen: r.FormValue("lang")}, s.ID, true
	view.present(s)
	return p.Show(w, http.StatusOK, respondentPage, page.Whole, view)
}

// Preview returns the page of a question with the first arms of a study, as respondents see it.
func (p *Pages) Preview(ctx context.Context, w statement.Words, s study.Study) (html string, err error) {
	var shown []int
	for arm := 0; arm < s.Arms && len(shown) < s.Settings.Strategy.K; arm++ {
		if !slices.Contains(s.Withdrawn, arm) {
			shown = append(shown, arm)
		}
	}
	q, err := p.tried(ctx, s, 1, shown)
	if err != nil {
		return "", err
	}
	return p.previewed(w, s, View{Question: q})
}

// PreviewFirst returns the page that respondents see first: the welcome, or a question.
func (p *Pages) PreviewFirst(ctx context.Context, w statement.Words, s study.Study) (html string, err error) {
	if !s.Page.Greets() {
		return p.Preview(ctx, w, s)
	}
	return p.previewed(w, s, View{State: welcome(http.StatusOK)})
}

// PreviewNew returns the same page of a study that is not stored, with the first of its cards as respondents see them.
func (p *Pages) PreviewNew(w statement.Words, s study.Study, arms *archive.Catalogue) (html string, err error) {
	shown := make([]int, min(s.Settings.Strategy.K, arms.Arms.Len()))
	for i := range shown {
		shown[i] = i
	}
	q := question(s, "", 1, s.Settings.Wanted(len(shown)))
	q.Cards = CardsOf(live.RespondentCards(s, arms.Cards()), arms.Profiles == nil, shown)
	return p.previewed(w, s, View{Question: q})
}

func (p *Pages) previewed(w statement.Words, s study.Study, view View) (html string, err error) {
	view.Words, view.Study, view.Shown = w, s.ID, true
	view.present(s)
	text, err := p.Render(respondentPage, page.Whole, view)
	return string(text), err
}
