package web_test

import (
	"encoding/csv"
	"slices"
	"strings"

	"bestpick/internal/browser"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// panelled: an owner uploads a panel and downloads the personal links, with which only its members can answer, renews
// a link, removes a member, and lets anyone answer. Sharing leads to the personal links meanwhile.
func panelled(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Model: &wire.Model{Segments: []wire.Segment{
		{Name: "north", Share: 1},
		{Name: "south", Share: 1},
	}}})
	w := b.Open(s.T, browser.Phone())
	s.signIn(w, s.secret)
	w.Go(s.results(id) + "/panel")
	w.WaitText("h1", "Panel")
	w.Expect("422")
	press(w, "#do-add-members")
	w.WaitText(".banner.bad li", "Choose a file, or paste a table.")
	fill(w, "#pasted", "name,segment\nAnna,east\n")
	press(w, "#do-add-members")
	w.Wait("/^Line 2, .*east/.test(document.querySelector('.banner.bad li')?.innerText) && " +
		"document.querySelector('#pasted').value.includes('Anna')")
	w.Upload("#file", s.file("people.csv", "name,segment\nAnna,north\n=Ben,\n"))
	press(w, "#do-add-members")
	w.WaitText("tbody tr:nth-child(2) th", "=Ben")
	w.WaitText("tbody tr:nth-child(1) td", "north")
	w.Accessible()
	fits(w, "the panel", 360)
	file := browser.Eval[struct{ Name, Text string }](w,
		"fetch(document.querySelector('#do-links').href).then(async (reply) => ({ Name: reply.headers.get('Content-Disposition'), "+
			"Text: await reply.text() }))")
	rows := testsupport.Value(csv.NewReader(strings.NewReader(file.Text)).ReadAll()).OrFail(s)
	if len(rows) != 3 || strings.Join(rows[0], ",") != "name,segment,link" || rows[1][0] != "Anna" || rows[2][0] != "'=Ben" ||
		file.Name != "attachment; filename=study-links.csv" {
		s.Fatalf("%s: %q", file.Name, rows)
	}
	w.Go(s.results(id) + "/share")
	w.Wait("!document.querySelector('#link, .code')")
	w.Accessible()
	w.Tap("#do-panel")
	w.WaitText("h1", "Panel")
	respondent := b.Open(s.T, browser.Phone())
	respondent.Go(rows[1][2])
	shown(respondent, 1)
	respondent.Expect("403")
	respondent.Go(s.page(id))
	respondent.Wait("document.querySelector('#stage .state') && !document.querySelector('#question')")
	press(w, "tbody tr:nth-child(1) [formaction$='/renew']")
	w.WaitText("#renewed-title", "New link for Anna")
	renewed := browser.Eval[string](w, "document.querySelector('#renewed').value")
	respondent.Go(rows[1][2])
	respondent.Wait("document.querySelector('#stage .state') && !document.querySelector('#question')")
	respondent.Go(renewed)
	shown(respondent, 1)
	fill(w, "#pasted", "Cleo\nDan\n")
	press(w, "#do-add-members")
	w.WaitText("tbody tr:nth-child(4) th", "Dan")
	press(w, "tbody tr:nth-child(3) [formaction$='/remove']")
	w.Wait("document.querySelectorAll('tbody tr').length === 3")
	press(w, "#do-lift")
	w.WaitText("#did", "Anyone with the link can answer now.")
	if now, err := s.studies.Store.Study(s.Context(), id); err != nil || now.Panel {
		s.Errorf("%+v, %v", now, err)
	}
	want := []string{
		"owner change-study panel", "owner remove-members 1 member", "owner import-members 2 members, 2 of them new",
		"owner renew-key member 1", "owner list-panel csv", "owner import-members 2 members, 2 of them new",
	}
	if done := s.done(); len(done) < len(want) || !slices.Equal(done[:len(want)], want) {
		s.Errorf("the audit log has %q", done)
	}
}
