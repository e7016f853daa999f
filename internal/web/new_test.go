package web_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/strategy"
	"bestpick/wire"
)

// file writes a file to drop or choose.
func (s *stage) file(name, text string) string {
	s.Helper()
	path := filepath.Join(s.TempDir(), name)
	s.must(os.WriteFile(path, []byte(text), 0o600))
	return path
}

// created returns the study of the page in the window.
func (s *stage) created(w *browser.Window) study.Study {
	s.Helper()
	w.Wait("/^\\/studies\\/[a-z0-9]+(\\/share)?$/.test(location.pathname)")
	made, err := s.studies.Store.Study(s.Context(), browser.Eval[string](w, "location.pathname.split('/')[2]"))
	s.must(err)
	return made
}

// done returns the audited operations, newest first.
func (s *stage) done() (operations []string) {
	s.Helper()
	entries := testsupport.Value(s.store.Entries(s.Context(), 1<<62, 100)).OrFail(s)
	for _, e := range entries {
		if e.Operation == "sign-in" {
			continue
		}
		operations = append(operations, fmt.Sprintf("%s %s %s", e.By, e.Operation, e.Detail))
	}
	return operations
}

// fill sets the value of a field like typing.
func fill(w *browser.Window, selector, text string) {
	w.Helper()
	browser.Eval[bool](w, fmt.Sprintf(`(() => {
		const field = document.querySelector(%q);
		field.value = %q;
		for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {bubbles: true}));
		return true;
	})()`, selector, text))
}

// press clicks a button wherever it is, because the layout may still change.
func press(w *browser.Window, selector string) {
	w.Helper()
	browser.Eval[bool](w, fmt.Sprintf("document.querySelector(%q).click(), true", selector))
}

// usualAnswers is true once the form has an estimate.
const usualAnswers = `/^About [\d,]+ people\. Usually [\d,]+ to [\d,]+ answers; close races take more\.$/.test(document.querySelector('#estimate p')?.innerText)`

// dropped: an owner drops a file, sees the recognised columns and the estimate, and opens the
// study.
func dropped(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Desktop())
	s.enter(w, s.owner.Token, "/new", "New study")
	w.Drop("#drop", s.file("lamps.csv", lamps()))
	w.WaitText("#recognised h3", "12 options")
	w.Wait(usualAnswers)
	estimate := browser.Eval[string](w, "document.querySelector('#estimate p').innerText")
	w.Wait("document.querySelectorAll('.estimates tbody tr').length === 14 && " +
		"document.querySelectorAll('.estimates .chosen').length === 1")
	press(w, "[name='used:watts']")
	w.Wait("!document.querySelector('[name=\"used:watts\"]').checked && document.querySelector('#looking').textContent === ''")
	press(w, "[name='used:watts']")
	w.WaitText("#estimate p", estimate)
	for range 3 {
		press(w, ".fold:not([open]) summary")
	}
	w.Click("[name=epsilon][value='0.84']")
	w.Wait(usualAnswers + " && document.querySelector('#estimate p').innerText !== " + strconv.Quote(estimate))
	w.Click("[name=epsilon][value='0.2']")
	w.WaitText("#estimate p", estimate)
	fill(w, "#k", "4")
	w.Wait("(document.querySelector('#preview iframe')?.srcdoc.match(/class=\"card\"/g) ?? []).length === 4")
	fill(w, "#prompt", "Which lamp?")
	w.Wait("document.querySelector('#preview iframe')?.srcdoc.includes('Which lamp?')")
	fill(w, "#name", "")
	fill(w, "#picks", "7")
	w.Click("button[value=open]")
	w.WaitText("#name-problem", "A study needs a name.")
	w.WaitText("#picks-problem", "Enter a whole number from 1 to 3.")
	if focused := browser.Eval[string](w, "document.activeElement.id"); focused != "name" {
		s.Errorf("the focus is on %q", focused)
	}
	fill(w, "#name", "Lamps of spring")
	fill(w, "#picks", "2")
	fill(w, "#delta", "0.01")
	press(w, "button[value=open]")
	made := s.created(w)
	if set := made.Settings; made.Name != "Lamps of spring" || made.Prompt != "Which lamp?" || made.State != study.Open ||
		set.Strategy.K != 4 || set.Picks != 2 || set.Strategy.Delta != 0.01 || set.Strategy.Epsilon != 0.2 ||
		set.Strategy.Assume != strategy.Majority {
		s.Errorf("%+v", made)
	}
	if want := []string{"owner open-study ", `owner create-study "Lamps of spring", 12 options`}; !slices.Equal(s.done(), want) {
		s.Errorf("the audit log has %v", s.done())
	}
}

// droppedPair: a .npy file and the file of its IDs are dropped together, and each is recognised.
func droppedPair(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Desktop())
	s.enter(w, s.owner.Token, "/", "Studies")
	w.Click("a.button[href='/new']")
	w.WaitText("h1", "New study")
	w.Wait("document.documentElement.classList.contains('scripted') && document.querySelector('#ids-field').hidden")
	w.Drop("main", s.file("names.txt", "a\nb\nc\nd\n"), s.file("taste.npy", fourVectors()))
	w.WaitText("#recognised h3", "4 options")
	w.Wait("!document.querySelector('#ids-field').hidden && document.querySelector('#name').value === 'taste'")
	press(w, "button[value=keep]")
	if made := s.created(w); made.Name != "taste" || made.Arms != 4 || made.State != study.Draft {
		s.Errorf("%+v", made)
	}
	w.Go(s.url)
	w.Click(".finish-it")
	w.WaitText("h1", "Edit study")
}

// gaps: an owner leaves out options without a value, and changes their mind about the column's type.
func gaps(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Phone())
	s.enter(w, s.owner.Token, "/new", "New study")
	w.Drop("#drop", s.file("teas.csv", "name,price,cups\nGreen,3,1\nBlack,,2\nMint,5,4\nChai,4,7\n"))
	w.WaitText("#recognised h3", "4 options")
	w.Wait("document.querySelectorAll('[name^=\"drop:\"]').length === 1")
	w.Click("[name='drop:price']")
	w.WaitText("#recognised h3", "3 options")
	w.Accessible()
	press(w, "[name='used:price']")
	w.WaitText("#recognised h3", "4 options")
	press(w, "[name='used:price']")
	w.WaitText("#recognised h3", "4 options")
	w.Click("[name='drop:price']")
	w.WaitText("#recognised h3", "3 options")
	press(w, "button[value=keep]")
	if made := s.created(w); made.Arms != 3 {
		s.Errorf("%+v", made)
	}
}

// tabTo presses Tab until an element has the focus.
func tabTo(w *browser.Window, selector string) {
	w.Helper()
	for range 40 {
		if browser.Eval[bool](w, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
			return
		}
		w.Keys("\t")
	}
	w.Fatalf("Tab does not reach %s", selector)
}

// pasted: an owner creates a study from a pasted table, with the keyboard only. Problems are shown
// beside the field.
func pasted(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Desktop())
	s.enter(w, s.owner.Token, "/new", "New study")
	tabTo(w, "#table")
	w.Keys("name,price\rOrb,10\r")
	w.WaitText("#table-problem", "at least two options are needed, there are 1")
	fill(w, "#table", "id\tlabel\tprice\n1\tOrb\t10\n1\tReed\tcheap\n3\tFold\t30\n")
	w.WaitText("#table-problem",
		`Line 3, column id: “1” is the ID of line 2 already; change it; or leave the column out`)
	fill(w, "#table", "id\tlabel\tprice\n1\tOrb\t10\n2\tReed\t20\n3\tFold\t40\n4\tDome\t40\n")
	w.WaitText("#recognised h3", "4 options")
	list := browser.Eval[string](w, "document.querySelector('#table').value")
	fill(w, "#table", "Orb\nReed, tall\nFold\n")
	w.WaitText("#recognised h3", "3 options")
	fill(w, "#table", list)
	w.WaitText("#recognised h3", "4 options")
	tabTo(w, "#name")
	w.Keys("By keys")
	press(w, "#audience + .fold summary")
	tabTo(w, "[name=epsilon]")
	w.Keys("\u0304") // up, to the strictest choice
	tabTo(w, "button[value=keep]")
	w.Keys("\r")
	made := s.created(w)
	if made.Name != "By keys" || made.State != study.Draft || made.Settings.Strategy.Epsilon != 0 || made.Arms != 4 {
		s.Errorf("%+v", made)
	}
}

// twoSteps: without JavaScript a study is set up in two steps, and no file has to be chosen twice.
func twoSteps(s *stage, b *browser.Browser) {
	w := b.Open(s.T, withoutScript())
	w.Expect("422")
	s.enter(w, s.owner.Token, "/new", "New study")
	w.Tap("button[value=look]")
	w.WaitText("#catalogue-problem", "Choose a file, or paste a table.")
	w.Upload("#catalogue", s.file("lamps.csv", lamps()))
	w.Type("#prompt", "Which lamp?")
	w.Tap("button[value=look]")
	w.WaitText(".banner p", "Your options are saved as a draft. You need not choose the file again.")
	w.WaitText("#name-problem", "A study needs a name.")
	w.WaitText("#recognised h3", "12 options")
	w.Wait("document.querySelector('#preview iframe')?.srcdoc.includes('Which lamp?')")
	w.Type("#name", "Two steps")
	w.Tap("button[value=open]")
	if made := s.created(w); made.Name != "Two steps" || made.Prompt != "Which lamp?" || made.State != study.Open {
		s.Errorf("%+v", made)
	}
	if all, err := s.studies.Store.List(s.Context(), "", 9); err != nil || len(all) != 1 {
		s.Errorf("there are %d studies, %v", len(all), err)
	}
}

// twoOwners: the owner who saves later sees the other's changes, and loses no input.
func twoOwners(s *stage, b *browser.Browser) {
	id := s.draft(lamps(), wire.Settings{K: 3, Picks: 1, Assume: "majority"})
	anna, otto := b.Open(s.T, browser.Desktop()), b.Open(s.T, browser.Desktop())
	s.enter(anna, s.token("Anna", access.Owner), "/studies/"+id+"/edit", "Edit study")
	s.enter(otto, s.token("Otto", access.Owner), "/studies/"+id+"/edit", "Edit study")
	fill(anna, "#name", "Anna’s name")
	fill(anna, "#k", "4")
	fill(anna, "#ties", "true")
	press(anna, "button[value=keep]")
	s.created(anna)
	otto.Expect("409")
	fill(otto, "#prompt", "Otto’s question")
	press(otto, "button[value=keep]")
	otto.Wait("document.querySelector('.theirs')")
	theirs := otto.Text(".theirs")
	for _, want := range []string{
		"Name of the study\nAnna’s name", "Options per question\n4",
		"“Equally good”\nOffered",
	} {
		if !strings.Contains(theirs, want) {
			s.Errorf("the other owner's changes are shown as\n%s", theirs)
		}
	}
	if kept := browser.Eval[string](otto, "document.querySelector('#prompt').value"); kept != "Otto’s question" {
		s.Errorf("the input has become %q", kept)
	}
	if now, err := s.studies.Store.Study(s.Context(), id); err != nil || now.Name != "Anna’s name" ||
		now.Settings.Strategy.K != 4 {
		s.Errorf("%+v, %v", now, err)
	}
	fill(otto, "#name", "Anna’s name")
	press(otto, "button[value=keep]")
	if now := s.created(otto); now.Prompt != "Otto’s question" || now.Settings.Strategy.K != 3 {
		s.Errorf("%+v", now)
	}
	if got, want := s.done()[:2], []string{
		"Otto change-study prompt, settings.k, settings.ties",
		"Anna change-study name, settings.k, settings.ties",
	}; !slices.Equal(got, want) {
		s.Errorf("the audit log has %q", got)
	}
}

// hostileOwners: names of files, studies and arms are shown as text, whatever they contain.
func hostileOwners(s *stage, b *browser.Browser) {
	made := `'"><img src=x onerror=alert(1)>.csv`
	w := b.Open(s.T, browser.Desktop())
	s.enter(w, s.owner.Token, "/new?lang=%3Cscript%3E", "New study")
	w.Upload("#catalogue", s.file(made, hostileArms()))
	w.Wait("(document.querySelector('#preview iframe')?.srcdoc.match(/class=\"card\"/g) ?? []).length === 3")
	harmless := func() {
		s.Helper()
		if n := browser.Eval[int](w,
			"document.querySelectorAll('main img[src=x], main script, main .card svg, [onerror], [onload], "+
				"[src^=javascript]').length"); n != 0 {
			s.Errorf("%d elements were created from text", n)
		}
	}
	harmless()
	fill(w, "#name", hostile)
	fill(w, "#prompt", hostile)
	w.Wait("document.querySelector('#preview iframe')?.srcdoc.includes('&lt;')")
	press(w, "button[value=keep]")
	id := s.created(w).ID
	w.Go(s.url + "/studies/" + id + "/edit")
	w.Wait("document.querySelector('#preview iframe')?.srcdoc.includes('&lt;')")
	harmless()
	w.Go(s.url)
	w.WaitText(".study h2", hostile)
	harmless()
	w.Go(s.url + "/sign-in?next=javascript:alert(1)")
	w.WaitText("h1", "Studies") // already signed in, and redirected to a page of this server
}

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
	press(w, "tbody tr:nth-child(1) form[action$='/renew'] button")
	w.WaitText("#renewed-title", "New link for Anna")
	renewed := browser.Eval[string](w, "document.querySelector('#renewed').value")
	respondent.Go(rows[1][2])
	respondent.Wait("document.querySelector('#stage .state') && !document.querySelector('#question')")
	respondent.Go(renewed)
	shown(respondent, 1)
	fill(w, "#pasted", "Cleo\nDan\n")
	press(w, "#do-add-members")
	w.WaitText("tbody tr:nth-child(4) th", "Dan")
	press(w, "tbody tr:nth-child(3) form[action$='/remove'] button")
	w.Wait("document.querySelectorAll('tbody tr').length === 3")
	w.Tap("a[href$='/edit#audience']")
	w.Wait("document.documentElement.classList.contains('scripted')")
	w.Tap("#audience summary")
	w.Tap("input[name=audience][value=link]")
	w.Tap("button[name=then][value=keep]")
	w.Wait("location.pathname === '/studies/" + id + "'")
	if now, err := s.studies.Store.Study(s.Context(), id); err != nil || now.Settings.Audience != study.Anyone {
		s.Errorf("%+v, %v", now, err)
	}
	want := []string{
		"owner change-study settings.audience", "owner remove-members 1 member", "owner import-members 2 members, 2 of them new",
		"owner renew-key member 1", "owner list-panel csv", "owner import-members 2 members, 2 of them new",
	}
	if done := s.done(); len(done) < len(want) || !slices.Equal(done[:len(want)], want) {
		s.Errorf("the audit log has %q", done)
	}
}
