package web_test

import (
	"slices"
	"strings"

	"bestpick/client"
	"bestpick/internal/access"
	"bestpick/internal/browser"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

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
