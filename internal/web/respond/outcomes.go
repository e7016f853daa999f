package respond

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"bestpick/internal/problems"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/web/page"
)

func isNotice(text string) bool {
	return slices.Contains([]string{problems.Replaced, problems.Conflict, problems.TooLate}, text)
}

// promisesQuestion reports whether a notice announces another question.
func promisesQuestion(notice string) bool {
	return notice == problems.Replaced || notice == problems.Conflict
}

// noticeOf returns the notice of an error after which the respondent can continue, or "".
func noticeOf(err error) string {
	if err == nil {
		return ""
	}
	return problems.Of(study.Coded(err).Code).Notice
}

// insteadOf returns the pick of a button that is no card.
func insteadOf(value string) (pick int, ok bool) {
	switch value {
	case noneValue:
		return study.None, true
	case tieValue:
		return study.Tie, true
	}
	return 0, false
}

// The values of buttons that are no cards, as in the templates.
const noneValue, tieValue = "none", "tie"

// answer records an answer from a page without JavaScript. In a ranking, each pick is a request
// that contains the picks before it.
func (p *Pages) answer(w http.ResponseWriter, r *http.Request) {
	if !page.ParseForm(w, r) {
		return
	}
	v := visitorOf(r)
	t, err := p.ticket(r)
	if err != nil {
		p.showError(w, r, v, err)
		return
	}
	q, err := p.again(r, t)
	if err != nil {
		p.showError(w, r, v, err)
		return
	}
	if pick, ok := insteadOf(r.PostFormValue("pick")); ok {
		p.showNext(w, r, v, t, q.Token, p.Dispatch.Answer(r.Context(), t, []int{pick}))
		return
	}
	for _, text := range append(r.PostForm["picked"], r.PostFormValue("pick")) {
		slot, err := strconv.Atoi(text)
		if err != nil || slot < 0 || slot >= len(q.Cards) {
			p.showError(w, r, v, study.ErrToken)
			return
		}
		q.pick(slot)
	}
	if len(q.Picked) < q.Picks {
		p.showPage(w, r, v, t.Study, View{Question: &q})
		return
	}
	p.showNext(w, r, v, t, q.Token, p.Dispatch.Answer(r.Context(), t, q.Picked))
}

// skip skips a question, for pages without JavaScript.
func (p *Pages) skip(w http.ResponseWriter, r *http.Request) {
	if !page.ParseForm(w, r) {
		return
	}
	t, err := p.ticket(r)
	if err == nil {
		err = p.Dispatch.Skip(r.Context(), t)
	}
	p.showNext(w, r, visitorOf(r), t, "", err)
}

// ticket opens the token of a form, once for all that follows.
func (p *Pages) ticket(r *http.Request) (dispatch.Ticket, error) {
	id := r.PathValue("study")
	if !page.IsText(id) {
		return dispatch.Ticket{}, study.ErrNotFound
	}
	return p.Dispatch.OpenTicket(r.Context(), id, r.PostFormValue("token"))
}

// showNext continues with the next question after an answer or a skip.
func (p *Pages) showNext(w http.ResponseWriter, r *http.Request, v visitor, t dispatch.Ticket, token string, err error) {
	if err != nil {
		token = ""
	}
	notice := noticeOf(err)
	if err != nil && notice == "" {
		p.showError(w, r, v, err)
		return
	}
	v.Last = token
	if !v.Kept { // only the page has the respondent's name
		lease, err := p.askNext(r, t)
		p.leased(w, r, v, lease, err)
		return
	}
	p.remember(w, t.Study, token)
	p.redirectToQuestion(w, r, v, t.Study, notice)
}

// remember stores the token of an answer in a cookie as long as the answer can be undone.
func (p *Pages) remember(w http.ResponseWriter, s study.Study, token string) {
	long := time.Duration(grace(s)) * time.Second
	if token == "" || long == 0 {
		long = -time.Second // deletes the cookie
	}
	p.keep(w, s, lastCookie, token, long)
}

// redirectToQuestion redirects to the page, so that reloading it does not submit the form again.
func (p *Pages) redirectToQuestion(w http.ResponseWriter, r *http.Request, v visitor, s study.Study, notice string) {
	address := page.RespondentsPath + url.PathEscape(s.ID) + v.Query()
	if notice != "" {
		separator := "?"
		if v.Query() != "" {
			separator = "&"
		}
		address += separator + "notice=" + notice
	}
	p.Redirect(w, r, address)
}

// back handles GET requests to the address of a form.
func (p *Pages) back(w http.ResponseWriter, r *http.Request) {
	p.redirectToQuestion(w, r, visitorOf(r), study.Study{ID: r.PathValue("study")}, "")
}

// undo takes back an answer from a page without JavaScript, and shows its question again.
func (p *Pages) undo(w http.ResponseWriter, r *http.Request) {
	if !page.ParseForm(w, r) {
		return
	}
	v := visitorOf(r)
	v.Last = ""
	t, err := p.ticket(r)
	if err == nil {
		err = p.Dispatch.Undo(r.Context(), t)
	}
	if notice := noticeOf(err); notice != "" {
		p.remember(w, t.Study, "")
		p.redirectToQuestion(w, r, v, t.Study, notice)
		return
	}
	if err != nil {
		p.showError(w, r, v, err)
		return
	}
	q, err := p.again(r, t)
	if err != nil {
		p.showError(w, r, v, err)
		return
	}
	p.remember(w, t.Study, "")
	p.showPage(w, r, v, t.Study, View{Question: &q})
}
