package web_test

import (
	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/strategy"
	"bestpick/strategy/racing"
	"bestpick/wire"
)

// rests: the form suggests majority for a few options and the model for many, keeps the choice of the owner, and
// disables majority with the reason where it is not possible.
func rests(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Phone())
	s.enter(w, s.owner.Token, "/new", "New study")
	chosen := func(want string) {
		w.Helper()
		w.Wait("document.querySelector('[name=assume]:checked').value === '" + want + "'")
	}
	chosen("majority")
	w.Upload("#catalogue", s.file("many.csv", many(racing.MaxMajority+1)))
	w.Wait("document.querySelector('#decided').innerText.includes('With more than 300 options')")
	chosen("linear")
	w.Accessible()
	keep(w, "owner-many-phone")
	press(w, "#audience + .fold summary")
	tabTo(w, "[name=assume]")
	w.Keys("\u0304") // up
	w.Wait("document.querySelector('#looking').textContent === '' && document.activeElement.value === 'majority'")
	fill(w, "#k", "4")
	w.Wait("(document.querySelector('#preview iframe')?.srcdoc.match(/class=\"card\"/g) ?? []).length === 4")
	chosen("majority")
	w.Upload("#catalogue", s.file("bags.yaml", "size: [small, large]\ncolour: [red, green, blue]\n"))
	w.Wait("document.querySelector('[name=assume][value=majority]').disabled && " +
		"document.querySelector('#assume-problem').innerText.includes('combinations are too many')")
	chosen("majority") // nothing changes silently
	press(w, "[name=assume][value=linear]")
	w.Wait("document.querySelector('#assume-problem').hidden")
	keep(w, "owner-product-phone")
	w.Upload("#catalogue", s.file("many.csv", many(racing.MaxMajority+1)))
	w.Wait("document.querySelector('#decided').innerText.includes('With more than 300 options')")
	press(w, "button[value=keep]")
	if set := s.created(w).Settings.Strategy; set.Assume != strategy.Linear || set.Fallback == 0 || set.Verify == 0 ||
		set.Epsilon != 0.2 {
		s.Errorf("%+v", set)
	}
	s.restsAgain(b)
}

// restsAgain: an owner changes what the verdict of a draft rests on. After opening, that is locked.
func (s *stage) restsAgain(b *browser.Browser) {
	s.Helper()
	id := s.draft(lamps(), wire.Settings{K: 3})
	before, err := s.studies.Owner.Change(s.Context(), id, owner.Any, func(st *study.Study) error {
		st.Settings.Strategy.Verify = 0.5
		return nil
	})
	s.must(err)
	w := b.Open(s.T, browser.Desktop())
	s.enter(w, s.owner.Token, "/studies/"+id+"/edit", "Edit study")
	press(w, "[name=assume][value=majority]")
	press(w, "button[value=open]")
	set := s.created(w).Settings.Strategy
	if before.Settings.Strategy.Verify != 0.5 || set.Assume != strategy.Majority || set.Verify != 0 || set.Fallback != 0 {
		s.Errorf("%+v, then %+v", before.Settings.Strategy, set)
	}
	w.Go(s.url + "/studies/" + id + "/edit")
	w.Wait("document.querySelector('[name=assume]:checked').value === 'majority' && " +
		"document.querySelector('[name=assume]').matches(':disabled')")
}
