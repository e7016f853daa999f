package web_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bestpick/internal/access"
	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestStudyPage: owners follow and change a study in a real browser.
func TestStudyPage(t *testing.T) { //nolint:tparallel // the pages of respondents are measured alone
	b := browser.Start(t)
	for name, test := range map[string]func(*stage, *browser.Browser){
		"live": live, "states": states, "deleted": deleted, "overtaken": overtaken, "export": exported, "table": sorted,
		"keyboard": keyboardOnly, "hostile": hostileStudy, "viewer": studyViewer, "plain": plainStudy, "printed": printed,
		"revoked": tokenRevoked,
		"arms":    armsComeAndGo, "looks": studyLooks, "majority": byMajority, "chart values": chartValues, "chart files": chartFiles,
		"judges": judges, "fold": aboveTheFold,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(begin(t), b)
		})
	}
}

// isLive is a script that is true while the page receives events.
const isLive = "document.querySelector('#content').dataset.live === 'true'"

// tabled is a script that is true if the table counts the same answers as the chart.
const tabled = `(() => {
	const numbers = new Map([...document.querySelectorAll('table.arms tbody tr')].map((row) => [row.querySelector('.arm-name').textContent, row.querySelector('td[data-label="Chosen over the leader by"]').textContent.split(' ')[0]]));
	const rows = [...document.querySelectorAll('#ranked-numbers tbody tr')];
	return rows.length > 5 && rows.every((row) => numbers.get(row.cells[0].textContent) === row.cells[1].textContent);
})()`

// owned opens a study's page as an owner.
func (s *stage) owned(b *browser.Browser, id string, v browser.View) *browser.Window {
	s.Helper()
	w := b.Open(s.T, v)
	s.signIn(w, s.secret)
	w.Go(s.results(id))
	if !v.NoScript {
		w.Wait(isLive)
	}
	return w
}

// says waits until the headline matches an expression.
func says(w *browser.Window, expression string) {
	w.Helper()
	w.Wait("/" + expression + "/.test(document.querySelector('.headline')?.innerText)")
}

// done waits until the page reports an action.
func done(w *browser.Window, text string) {
	w.Helper()
	w.Wait(fmt.Sprintf("document.querySelector('#did')?.innerText.includes(%q)", text))
}

// live: while people answer, the verdict on the page updates without any input, and unfolded parts
// stay unfolded. At the end, the table counts the same answers as the charts.
func live(s *stage, b *browser.Browser) {
	id := s.draft(lamps(), quick())
	w := s.owned(b, id, browser.Desktop())
	says(w, "^Not open yet")
	testsupport.Value(s.owner.Open(s.Context(), id)).OrFail(s)
	w.WaitText(".badge", "Open")
	respondent := b.Open(s.T, browser.Phone())
	respondent.Go(s.page(id))
	shown(respondent, 1)
	respondent.Tap(nth(1))
	w.WaitText(".way-counts span", "1 answer")
	s.people(id, 120)
	says(w, "(is|are) still possible; (about|at least|too early)")
	w.Wait("document.querySelectorAll('#ranked .rows li').length > 5")
	w.Click("#ranked-numbers summary")
	before := browser.Eval[string](w, "document.querySelector('#ranked-numbers').textContent")
	s.people(id, 5000)
	says(w,
		"^Orb wins\\. Put next to any single other option, at least 50 of 100 people choose Orb \\(95% sure\\)\\.$")
	w.WaitText(".badge", "Decided")
	w.Wait("document.querySelector('#ranked-numbers').textContent !== " + fmt.Sprintf("%q", before))
	w.Wait("document.querySelector('#ranked-numbers').open")
	w.Wait(tabled)
	w.Wait("document.querySelector('#news').innerText.includes('Orb wins') && " +
		"document.querySelector('#did').getAttribute('role') === 'status'")
	w.Wait("!document.querySelector('#do-pause') && document.querySelector('#do-report')")
}

// states: an owner opens, pauses, resumes and, after a confirmation, closes a study, and reopens it, because it is not
// decided. Each action is audited.
func states(s *stage, b *browser.Browser) {
	id := s.draft(lamps(), wire.Settings{K: 3})
	w := s.owned(b, id, browser.Phone())
	w.Tap("#do-open")
	w.WaitText("h1", "Your study is open. Share it now")
	w.Go(s.results(id))
	w.Tap("#do-pause")
	done(w, "The study is paused")
	w.WaitText(".badge", "Paused")
	w.Tap("#do-open")
	done(w, "The study is open")
	w.Tap("#more summary")
	w.Tap("#do-close")
	w.WaitText("h1", "Close the study?")
	w.Tap(".buttons a")
	w.WaitText(".badge", "Open")
	w.Tap("#more summary")
	w.Tap("#do-close")
	w.WaitText("h1", "Close the study?")
	w.Tap(".buttons button")
	done(w, "The study is closed")
	w.WaitText(".badge", "Closed")
	w.Tap("#do-open")
	done(w, "The study is open")
	if got := s.recorded(id); got != "open-study pause-study open-study close-study open-study" {
		s.Errorf("the audit log has %s", got)
	}
}

// recorded returns the audited operations on a study, oldest first, without those of the test.
func (s *stage) recorded(id string) string {
	s.Helper()
	audit := testsupport.Value(s.owner.Audit(s.Context(), "")).OrFail(s)
	var operations []string
	for _, e := range audit.Entries {
		if e.Study == id && e.Operation != "create-study" {
			operations = append([]string{e.Operation}, operations...)
		}
		if e.By != "owner" && !strings.HasPrefix(e.Operation, "sign-in") {
			s.Errorf("the audit log has %s by %q", e.Operation, e.By)
		}
	}
	return strings.Join(operations, " ")
}

// deleted: a study is deleted only if its name is typed, and other windows with its page report
// that.
func deleted(s *stage, b *browser.Browser) {
	id := s.draft(lamps(), wire.Settings{K: 3})
	other := s.owned(b, id, browser.Desktop())
	w := s.owned(b, id, browser.Desktop())
	w.Expect("404") // the stage has no list of studies
	w.Expect("422")
	w.Click("#more summary")
	w.Click("#do-delete")
	w.WaitText("h1", "Delete the study?")
	w.Type("input[name=name]", "study")
	w.Click(".buttons button")
	w.Wait("document.querySelector('[role=alert]')?.innerText.includes('not the name')")
	w.Type("input[name=name]", "Study")
	w.Click(".buttons button")
	w.Wait("location.pathname === '/'")
	other.Wait("document.querySelector('#over').innerText.includes('was deleted')")
	if _, err := s.studies.Store.Study(s.Context(), id); err != study.ErrNotFound { //nolint:errorlint // it is that very one
		s.Errorf("the study is there: %v", err)
	}
	w.Go(s.results(id))
	w.WaitText("h1", "Study not found")
}

// overtaken: an action on a stale page changes nothing, and the page says so.
func overtaken(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3})
	still := browser.Desktop()
	still.NoScript = true
	old := s.owned(b, id, still)
	_, err := s.studies.Owner.Change(s.Context(), id, owner.Any, func(st *study.Study) error {
		st.Name = "Anna’s"
		return nil
	})
	s.must(err)
	old.Click("#do-pause")
	done(old, "Nothing was changed")
	old.WaitText("h1", "Anna’s")
	if st, err := s.studies.Store.Study(s.Context(), id); err != nil || st.State != study.Open {
		s.Errorf("the study is %+v, %v", st, err)
	}
	old.Click("#do-edit")
	old.WaitText("h1", "Edit study")
}

// exported: answers are exported without formulas, and the export is audited.
func exported(s *stage, b *browser.Browser) {
	id := s.open(lamps(), quick())
	lease := testsupport.Value(s.studies.Dispatch.Ask(s.Context(), id, "=HYPERLINK(1)", "")).OrFail(s)
	s.must(s.studies.Dispatch.Answer(s.Context(), lease.Ticket, []int{0}))
	s.counted(id, 1)
	w := s.owned(b, id, browser.Desktop())
	w.Click("#do-share")
	w.Wait("document.querySelector('#downloads .links a')")
	fetch := func(at int) string {
		w.Helper()
		return browser.Eval[string](w,
			fmt.Sprintf(`fetch(document.querySelectorAll('.links a')[%d].href).then(async (r) => r.status + ' ' + r.headers.get('content-disposition') + '\n' + await r.text())`, at))
	}
	for at, want := range []string{"-answers.csv", "-answers.jsonl", "-answers.parquet", ".jsonl"} {
		got := fetch(at + 3) // after the report, and the results as CSV and Excel
		if !strings.HasPrefix(got, "200 attachment; filename=study"+want+"\n") {
			s.Errorf("%.100s", got)
		}
		if at == 0 && (!strings.Contains(got, ",'=HYPERLINK(1),") || strings.Contains(got, ",=HYPERLINK")) {
			s.Errorf("a formula is not escaped:\n%s", got)
		}
	}
	if got := s.recorded(id); got != "open-study export-answers export-answers export-answers export-log" {
		s.Errorf("the audit log has %s", got)
	}
}

// many returns n options, for more than one page of the table.
func many(n int) string {
	var text strings.Builder
	text.WriteString("id,label,size,kind\n")
	for i := range n {
		fmt.Fprintf(&text, "a%d,Option %03d,%d,%s\n", i, (i*37)%n, i*i%17, []string{"round", "square"}[i%2])
	}
	return text.String()
}

// sorted: the server sorts, searches and pages the table.
func sorted(s *stage, b *browser.Browser) {
	id := s.draft(many(60), wire.Settings{K: 3})
	w := s.owned(b, id, browser.Desktop())
	first := func(want string) { w.Helper(); w.WaitText("table.arms tbody tr:first-child .arm-name", want) }
	w.Click("#sort-option")
	first("Option 000")
	w.Wait("document.querySelector('[aria-sort=ascending] a').id === 'sort-option' && document.activeElement.id === 'sort-option'")
	w.Click("#sort-option")
	first("Option 059")
	w.Click("#page-after")
	first("Option 034")
	w.WaitText(".pages span", "Page 2 of 3")
	w.Type("#q", "square")
	w.Wait("document.querySelectorAll('table.arms tbody tr').length === 25 && " +
		"document.querySelector('.pages span').innerText === 'Page 1 of 2' && location.search.includes('square')")
	w.Reload()
	w.Wait("document.querySelector('#q').value === 'square' && " +
		"document.querySelector('[aria-sort=descending] a').id === 'sort-option'")
	w.Type("#q", " no such thing")
	w.WaitText("table.arms tbody tr:first-child", "None.")
}

// keyboardOnly: all controls are reachable with Tab, and the focus is visible.
func keyboardOnly(s *stage, b *browser.Browser) {
	id := s.answered(60)
	w := s.owned(b, id, browser.Desktop())
	to := func(selector string) {
		w.Helper()
		for range 80 {
			w.Keys("\t")
			if browser.Eval[bool](w, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
				if browser.Eval[string](w, "getComputedStyle(document.activeElement).outlineStyle") == "none" {
					s.Errorf("the focus on %s is not visible", selector)
				}
				return
			}
		}
		s.Fatalf("Tab does not reach %s", selector)
	}
	to(".skip-link")
	w.Keys("\r")
	to("#ranked .rows li")
	w.Wait("getComputedStyle(document.querySelector('#ranked .rows li .row-range')).visibility === 'visible'")
	to("#ranked-numbers summary")
	w.Keys("\r")
	w.Wait("document.querySelector('#ranked-numbers').open")
	to("#do-pause")
	w.Keys("\r")
	done(w, "The study is paused")
	w.Wait(isLive)
	to("#q")
	w.Keys("orb\r")
	w.Wait("document.querySelectorAll('table.arms tbody tr').length === 2")
	to("#sort-shown")
	w.Keys("\r")
	w.Wait("document.querySelector('[aria-sort=descending] a')?.id === 'sort-shown'")
	to("#assumptions summary")
	w.Keys(" ")
	w.Wait("document.querySelector('#assumptions').open")
}

// hostileStudy: texts are shown as text, whatever they contain, in charts, too.
func hostileStudy(s *stage, b *browser.Browser) {
	id := s.open(hostileArms(), quick())
	_, err := s.studies.Owner.Change(s.Context(), id, owner.Any, func(st *study.Study) error {
		st.Name = hostile
		return nil
	})
	s.must(err)
	for n := range 40 {
		lease, err := s.studies.Dispatch.Ask(s.Context(), id, hostile, "")
		if err != nil {
			break
		}
		s.must(s.studies.Dispatch.Answer(s.Context(), lease.Ticket, []int{n % 3}))
	}
	s.counted(id, 20)
	w := s.owned(b, id, browser.Desktop())
	w.Wait("document.querySelectorAll('#ranked .rows li').length > 2")
	w.WaitText("h1", hostile)
	if got := browser.Eval[string](w, "document.querySelector('#ranked .row-name > span').textContent"); !strings.HasPrefix(hostile,
		strings.TrimSuffix(got, "…")) || got == "" {
		s.Errorf("an option is shown as %q", got)
	}
	none := func() {
		w.Helper()
		if n := browser.Eval[int](w,
			"document.querySelectorAll('#content img, #content script:not([src^=\"/assets/\"]), [onerror], [onload], "+
				"[src^=javascript], [href^=javascript]').length"); n != 0 {
			s.Errorf("%d elements were created from text at %s", n, browser.Eval[string](w, "location.pathname"))
		}
	}
	none()
	for _, path := range []string{
		"/report", "/delete", "/edit",
		"?q=%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E&sort=%3Cscript%3E&did=%3Cb%3E&lang=%22%3E",
	} {
		w.Go(s.results(id) + path)
		w.Wait("document.querySelector('h1')")
		none()
	}
	w.Go(s.results(id))
	w.Click("table.arms tbody a")
	w.WaitText("h1", "Withdraw an option?")
	none()
	const name = "<img src=x onerror=alert(1)>.csv"
	file := filepath.Join(s.TempDir(), name)
	s.must(os.WriteFile(file, []byte("id,size\n1,=cmd\n"), 0o600))
	w.Expect("422")
	w.Go(s.results(id) + "/add")
	w.Upload("input[type=file]", file)
	w.Click(".buttons button")
	w.Wait("document.querySelector('[role=alert]')?.innerText.includes('onerror=alert')")
	none()
}

// studyViewer: viewers see no actions, and cannot perform them.
func studyViewer(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3})
	w := b.Open(s.T, browser.Desktop())
	s.signIn(w, s.token("Vera", access.Viewer))
	w.Expect("403")
	w.Go(s.url)
	w.Wait("document.querySelectorAll('.study').length === 1 && !document.querySelector('a[href=\"/new\"]')")
	w.Go(s.results(id))
	w.Wait(isLive)
	if n := browser.Eval[int](w,
		"document.querySelectorAll('#content form[method=post], #do-close, #do-delete, #do-add, .links a:not(#results-file, "+
			"#results-workbook), table.arms tbody a').length"); n != 0 {
		s.Errorf("a viewer sees %d actions", n)
	}
	for _, path := range []string{
		"open", "pause", "close", "edit", "add", "withdraw", "delete", "export/log", "export/answers?format=csv", "../../new",
	} {
		method := "POST"
		if strings.HasPrefix(path, "export") {
			method = "GET"
		}
		got := browser.Eval[int](w,
			fmt.Sprintf("fetch('%s/%s', {method: '%s', body: '%s' === 'POST' ? new URLSearchParams({version: 2}) : "+
				"undefined}).then((r) => r.status)", s.results(id), path, method, method))
		if got != 403 {
			s.Errorf("%s: %d", path, got)
		}
	}
}

// plainStudy: without JavaScript the page shows the state at loading, and all actions work.
func plainStudy(s *stage, b *browser.Browser) {
	id := s.open(many(60), quick())
	w := s.owned(b, id, withoutScript())
	w.WaitText("noscript a, .reload a", "Reload")
	w.Tap("#sort-option")
	w.WaitText("table.arms tbody tr:first-child .arm-name", "Option 000")
	w.Tap("#page-after")
	w.WaitText(".pages span", "Page 2 of 3")
	w.Tap("#do-pause")
	done(w, "The study is paused")
	w.Go(s.results(id) + "?lang=de")
	w.WaitText(".badge", "Unterbrochen")
	w.Wait("document.documentElement.lang === 'de' && document.querySelector('#do-open').innerText === 'Fortsetzen'")
	w.Tap("#do-open")
	done(w, "Die Umfrage ist eröffnet")
}

// printed: the report is a PDF of two or three A4 pages, with the ranking of all options on the first.
func printed(s *stage, b *browser.Browser) {
	id := s.answered(100)
	w := s.owned(b, id, browser.Desktop())
	w.Click("#do-report")
	w.Wait("document.querySelectorAll('#ranking tbody tr').length === 12 && document.querySelector('#assumptions').open && " +
		"!document.querySelector('#print').hidden")
	pdf := w.Print()
	pages := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf, -1))
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(pdf) < 20_000 || len(pdf) > 2_000_000 || pages < 2 || pages > 3 {
		s.Errorf("the report has %d bytes and %d pages", len(pdf), pages)
	}
	if !bytes.Contains(pdf, []byte("/MediaBox [0 0 594")) && !bytes.Contains(pdf, []byte("/MediaBox [0 0 595")) {
		s.Error("the page size is not A4")
	}
}

// tokenRevoked: when the token is revoked, the page says that the user is signed out, and keeps its
// contents.
func tokenRevoked(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3})
	w := b.Open(s.T, browser.Desktop())
	s.signIn(w, s.token("Vera", access.Viewer))
	w.Go(s.results(id))
	w.Wait(isLive)
	s.must(s.store.RemoveToken(s.Context(), "Vera"))
	w.Wait("document.querySelector('#over').innerText.includes('signed out')")
	if got := browser.Eval[string](w, "document.querySelector('.headline').innerText"); got == "" {
		s.Error("the contents of the page are gone")
	}
}

// armsComeAndGo: an owner adds options from a pasted table, after correcting a problem, and
// withdraws one.
func armsComeAndGo(s *stage, b *browser.Browser) {
	id := s.open(many(30), wire.Settings{K: 3})
	w := s.owned(b, id, browser.Desktop())
	w.Expect("422")
	w.Click("#more summary")
	w.Click("#do-add")
	w.WaitText("h1", "Add options")
	w.Click(".buttons button")
	w.Wait("document.querySelector('[role=alert]')?.innerText.includes('paste a table')")
	w.Type("textarea", "id,label,size,kind\na1,Twice,3,round\n")
	w.Click(".buttons button")
	w.Wait("document.querySelector('[role=alert]')?.innerText.includes('Line 2')")
	browser.Eval[bool](w, "document.querySelector('textarea').value = '', true")
	w.Type("textarea", "id,label,size,kind\nnew,Brand new,3,round\n")
	w.Click(".buttons button")
	done(w, "were added")
	w.Type("#q", "brand")
	w.WaitText("table.arms tbody tr:first-child .arm-name", "Brand new")
	w.Click("table.arms tbody a")
	w.WaitText("h1", "Withdraw an option?")
	w.Click(".buttons button")
	done(w, "was withdrawn")
	w.Type("#q", "brand")
	w.WaitText("table.arms tbody .standing", "withdrawn")
	if got := s.recorded(id); got != "open-study add-arms withdraw-arm" {
		s.Errorf("the audit log has %s", got)
	}
}
