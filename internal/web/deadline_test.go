package web_test

import (
	"time"

	"bestpick/internal/browser"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// deadline: an owner sets a deadline and a limit of answers while a study is open. At the deadline the study ends for
// respondents and on the owner's page, and the owner reopens it without the deadline.
func deadline(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3})
	w := s.owned(b, id, browser.Desktop())
	w.Go(s.results(id) + "/edit")
	w.WaitText("h1", "Edit study")
	fill(w, "#budget", "500")
	browser.Eval[bool](w, `(() => {
		const field = document.querySelector('#deadline');
		field.value = '2001-01-01T10:00';
		field.dispatchEvent(new Event('change', { bubbles: true }));
		return true;
	})()`)
	w.Expect("422")
	press(w, "button[value=keep]")
	w.WaitText("#deadline-problem", "The deadline must be in the future.")
	soon := time.Now().Add(3 * time.Second).UTC().Truncate(time.Second)
	settings := wire.Settings{K: 3, Budget: 500, Deadline: &soon, Assume: "linear", Fallback: new(0.0)}
	before := testsupport.Value(s.owner.Study(s.Context(), id)).OrFail(s)
	testsupport.Value(s.owner.Change(s.Context(), id, before.Version, wire.Change{Settings: &settings})).OrFail(s)
	w.Go(s.results(id))
	w.Wait("document.querySelector('.badges').innerText.includes('Deadline passed')")
	respondent := b.Open(s.T, browser.Phone())
	respondent.Go(s.page(id))
	respondent.Wait("document.querySelector('h1').innerText.startsWith('Thank')")
	w.Click("#do-open")
	w.WaitText("#did", "The study is open. Anyone with the link can answer.")
	if st, err := s.owner.Study(s.Context(), id); err != nil || st.State != "open" || st.Settings.Deadline != nil ||
		st.Settings.Budget != 500 {
		s.Errorf("%+v, %v", st, err)
	}
}
