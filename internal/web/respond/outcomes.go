package respond

import (
	"net/http"
	"strconv"
	"time"

	"bestpick/internal/problems"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
)

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
func (p *Pages) answer(w http.ResponseWriter, r *http.Request, v visitor) error {
	t, err := p.ticket(r)
	if err != nil {
		return err
	}
	q, err := p.again(r, t)
	if err != nil {
		return err
	}
	if pick, ok := insteadOf(r.PostFormValue("pick")); ok {
		return p.showNext(w, r, v, t, q.Token, p.Dispatch.Answer(r.Context(), t, []int{pick}))
	}
	for _, text := range append(r.PostForm["picked"], r.PostFormValue("pick")) {
		slot, err := strconv.Atoi(text)
		if err != nil || slot < 0 || slot >= len(q.Cards) {
			return study.ErrToken
		}
		q.pick(slot)
	}
	if len(q.Picked) < q.Picks {
		return p.showPage(w, r, v, t.Study, View{Question: q})
	}
	return p.showNext(w, r, v, t, q.Token, p.Dispatch.Answer(r.Context(), t, q.Picked))
}

// skip skips a question, for pages without JavaScript.
func (p *Pages) skip(w http.ResponseWriter, r *http.Request, v visitor) error {
	t, err := p.ticket(r)
	if err == nil {
		err = p.Dispatch.Skip(r.Context(), t)
	}
	return p.showNext(w, r, v, t, "", err)
}

// ticket opens the token of a form, once for all that follows.
func (p *Pages) ticket(r *http.Request) (dispatch.Ticket, error) {
	return p.Dispatch.OpenTicket(r.Context(), r.PathValue("study"), r.PostFormValue("token"))
}

// showNext continues with the next question after an answer or a skip, or returns the error if that is impossible.
func (p *Pages) showNext(w http.ResponseWriter, r *http.Request, v visitor, t dispatch.Ticket, token string, err error) error {
	if err != nil {
		token = ""
	}
	notice := noticeOf(err)
	if err != nil && notice == "" {
		return err
	}
	v.Last = token
	if v.Kept {
		p.remember(w, t.Study, token)
		return p.redirectToQuestion(w, r, v, t.Study, notice)
	}
	// Only the page has the respondent's name.
	lease, err := p.Dispatch.Next(r.Context(), t, p.Dispatch.Patience)
	if t.Study.Settings.PerRespondent == study.NoLimit { // then it was not read
		lease.Done = numberOf(r)
	}
	return p.showQuestion(w, r, v, lease, err)
}

// remember stores the token of an answer in a cookie as long as the answer can be undone.
func (p *Pages) remember(w http.ResponseWriter, s study.Study, token string) {
	long := time.Duration(grace(s)) * time.Second
	if token == "" || long == 0 {
		long = -time.Second // deletes the cookie
	}
	p.keep(w, s, lastCookie, token, long)
}

// undo takes back an answer from a page without JavaScript, and shows its question again.
func (p *Pages) undo(w http.ResponseWriter, r *http.Request, v visitor) error {
	v.Last = ""
	t, err := p.ticket(r)
	if err == nil {
		err = p.Dispatch.Undo(r.Context(), t)
	}
	if notice := noticeOf(err); notice != "" {
		p.remember(w, t.Study, "")
		return p.redirectToQuestion(w, r, v, t.Study, notice)
	}
	if err != nil {
		return err
	}
	q, err := p.again(r, t)
	if err != nil {
		return err
	}
	p.remember(w, t.Study, "")
	return p.showPage(w, r, v, t.Study, View{Question: q})
}
