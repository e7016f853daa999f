package web_test

import (
	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/strategy"
)

// startedFrom: an owner starts with a template, which fills in the form, and creates a study from it.
func startedFrom(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Phone())
	s.enter(w, s.owner.Token, "/new?template=nothing", "New study")
	w.Wait("document.querySelectorAll('.starts a').length === 4 && !document.querySelector('.starts [aria-current]') && " +
		"document.querySelector('#prompt').value === ''")
	w.Tap(".starts a[href='/new?template=designs']")
	w.WaitText(".starts [aria-current]", "Designs")
	w.Wait("document.querySelector('#k').value === '2' && document.querySelector('#each').value === '15' && " +
		"document.querySelector('#plain_cards').value === 'true'")
	w.Tap(".starts a[href='/new?template=products']")
	w.WaitText(".starts [aria-current]", "Product profiles")
	w.Accessible()
	w.Wait("document.documentElement.classList.contains('scripted')")
	fill(w, "#table", "name,price,colour\nOrb,10,red\nReed,20,blue\nFold,35,red\nDome,40,green\n")
	w.WaitText("#sample-prompt", "Which of these would you buy?")
	w.Wait("document.querySelector('[name=assume][value=linear]').checked")
	fill(w, "#name", "Lamps")
	press(w, "button[value=keep]")
	made := s.created(w)
	if set := made.Settings; made.Prompt != "Which of these would you buy?" || made.State != study.Draft || set.Strategy.K != 3 ||
		set.PerRespondent != 8 || set.HideAttributes || set.Strategy.Assume == strategy.Majority {
		s.Errorf("%+v", made)
	}
	w.Go(s.url + "/new?template=headlines&lang=de")
	w.Wait("document.querySelector('#prompt').value === 'Bei welcher Überschrift möchten Sie weiterlesen?' && " +
		"document.querySelector('[name=assume][value=majority]').checked")
}
