package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bestpick/client"
	"bestpick/internal/access"
	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// chartFiles: each chart is also an SVG file that is named after the study, is valid XML, has its own styles and all
// texts of the chart, and refers to nothing else. Files are saved if BESTPICK_SCREENSHOTS names a directory.
func chartFiles(s *stage, b *browser.Browser) {
	settings := quick()
	settings.Assume = "linear"
	id := s.open(lamps(), settings)
	s.people(id, 150)
	s.counted(id, 150)
	current, err := s.studies.Store.Study(s.Context(), id)
	s.must(err)
	_, err = s.studies.Owner.Change(s.Context(), id, current.Version, func(st *study.Study) error {
		st.Name = "Lamps <&\"> \u0001 & co"
		return nil
	})
	s.must(err)
	w := s.owned(b, id, browser.Desktop())
	w.Wait("document.querySelectorAll('.chart-tools > a').length === 3")
	for _, chart := range []string{"ranked", "importance", "pace"} {
		file := browser.Eval[struct {
			Kind, Name, Text, Root string
			Missing                []string
		}](w, fmt.Sprintf(`(async () => {
			const reply = await fetch(document.querySelector('#%[1]s-file').href);
			const Text = await reply.text();
			const parsed = new DOMParser().parseFromString(Text.replace(/<style>[^]*<\/style>/, ''), 'image/svg+xml');
			const texts = [...parsed.querySelectorAll('text')].map((each) => each.textContent);
			const shown = [...document.querySelectorAll('#%[1]s :is(h2, .row-name > span:first-child, .axis-y text, .axis-x text:not([data-time]), .row-scale text)')].map((each) => each.textContent.trim());
			return {
				Kind: reply.headers.get('Content-Type'), Name: reply.headers.get('Content-Disposition'), Text, Root: parsed.documentElement.tagName,
				Missing: shown.filter((text) => !texts.includes(text)),
			};
		})()`, chart))
		if file.Kind != "image/svg+xml" || file.Name != "attachment; filename=lamps-co-"+chart+".svg" || file.Root != "svg" ||
			!strings.Contains(file.Text, "<style>") || len(file.Missing) > 0 {
			s.Errorf("%s: %s, %s, <%s>, without %q", chart, file.Kind, file.Name, file.Root, file.Missing)
		}
		for _, part := range []string{"href", "url(", "var(", "<script"} {
			if strings.Contains(file.Text, part) {
				s.Errorf("%s contains %s", chart, part)
			}
		}
		if folder := os.Getenv("BESTPICK_SCREENSHOTS"); folder != "" {
			path := filepath.Join(folder, "chart-"+chart+".svg")
			s.must(os.WriteFile(path, []byte(file.Text), 0o600)) //nolint:gosec // the developer names the directory
		}
	}
	w.Expect("404")
	if status := browser.Eval[int](w, fmt.Sprintf("fetch('/studies/%s/charts/nothing.svg').then((reply) => reply.status)",
		id)); status != 404 {
		s.Errorf("an unknown chart is %d", status)
	}
}

// chartValues: points of charts show their values with the keyboard focus, row charts have a scale, and counts have
// whole numbers on their axes. The axis of time has two labels, even in the first minute.
func chartValues(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Grace: -1})
	s.people(id, 40)
	w := s.owned(b, id, browser.Desktop())
	w.Wait("document.querySelector('#pace .point') && document.querySelector('#ranked .row-scale text')")
	const text = "getComputedStyle(document.querySelector('#pace .point text')).visibility"
	if got := browser.Eval[string](w, text); got != "hidden" {
		s.Errorf("without focus the value is %s", got)
	}
	w.Wait("document.querySelector('#pace .point').focus(), " + text +
		" === 'visible' && /answers: [0-9,]+$/.test(document.activeElement.getAttribute('aria-label'))")
	w.Wait("[...document.querySelectorAll('.axis-y text')].every((each) => /^[0-9,]+$/.test(each.textContent))")
	w.Wait("[...document.querySelectorAll('.rows')].length > 0 && " +
		"[...document.querySelectorAll('#ranked')].every((each) => each.querySelector('.row-scale text'))")
	w.Wait("new Set([...document.querySelectorAll('#pace .axis-x text')].map((each) => each.textContent)).size === 2")
	w.Accessible()
	phone := s.owned(b, id, browser.Phone())
	phone.Wait("(([a, b]) => a && (a.right <= b.left || a.bottom <= b.top + 4))([...document.querySelectorAll('#pace .axis-x text')]" +
		".map((each) => each.getBoundingClientRect()))") // boxes are higher than letters
}

// judges: the page of a study with contexts compares its judges while they answer, and so does the
// report. Both name the kind of each judge, for owners only.
func judges(s *stage, b *browser.Browser) {
	id := s.draft("id\na\nb\nc\n", wire.Settings{K: 2, Delta: 1e-9, Grace: -1, Seed: 3})
	texts := "arm,context,text\na,prompt,1\nb,prompt,2\nc,prompt,3\n"
	_, err := s.owner.SetContexts(s.Context(), id, 0, client.File{Name: "texts.csv", Contents: strings.NewReader(texts)}, "plain")
	s.must(err)
	testsupport.Value(s.owner.Open(s.Context(), id)).OrFail(s)
	w := s.owned(b, id, browser.Desktop())
	if w.Text("#jury") != "" {
		s.Error("judges without answers are compared")
	}
	const each = 25
	for n := range each {
		for _, judge := range []struct{ name, kind string }{{"anna", "person"}, {"robot", "model"}} {
			question := testsupport.Value(s.owner.Ask(s.Context(), id, wire.Ask{Respondent: judge.name})).OrFail(s)
			arms := []string{question.Arms[0].ID, question.Arms[1].ID}
			pick := slices.Max(arms)
			if n%5 == 0 {
				pick = slices.Min(arms)
			}
			_, err = s.owner.Reply(s.Context(), id, wire.Answer{
				Token: question.Token, Picks: []string{pick},
				Note: wire.Note{Judge: judge.kind},
			})
			s.must(err)
		}
	}
	const rows = "[...document.querySelectorAll('#judges tbody tr')].map((row) => [...row.children].slice(0, " +
		"3).map((cell) => cell.innerText).join(' ')).join()"
	w.Wait(rows + " === 'anna Person 25,robot Model 25'")
	w.Accessible()
	w.Go(s.results(id) + "/report")
	w.Wait(rows + " === 'anna Person 25,robot Model 25'")
	w.Go(s.results(id) + "?lang=de")
	w.Wait(rows + " === 'anna Person 25,robot Modell 25'")

	viewer := b.Open(s.T, browser.Desktop())
	s.signIn(viewer, s.token("Vera", access.Viewer))
	viewer.Go(s.results(id))
	viewer.Wait(isLive)
	viewer.Wait("!document.querySelector('#jury')")
}
