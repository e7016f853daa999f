package web_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/testsupport"
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

// A belated store returns the first plan of every study as the last one, once.
type belated struct {
	study.Store

	used atomic.Bool
}

func (b *belated) LastPlan(ctx context.Context, id string) (study.Plan, error) {
	if b.used.Swap(true) {
		return b.Store.LastPlan(ctx, id)
	}
	plans, err := b.Plans(ctx, id, 0, 1)
	if err != nil {
		return study.Plan{}, err
	}
	return plans[0], nil
}

// TestOneCount: the verdict and the charts of a page count the same answers, even if a plan is made between the two.
func TestOneCount(t *testing.T) {
	s := begin(t)
	id := s.answered(60)
	p := s.signedInPerson()
	s.studies.Overview.Store = &belated{Store: s.store}
	p.get(s.results(id))
	p.sees(http.StatusOK, "<span>60 answers</span>")
}

// TestOneEstimate: the chart, the table and the results file have the same share for every option, and no other estimate.
func TestOneEstimate(t *testing.T) {
	s := begin(t)
	const enough = 200 // answers for estimates of all attributes
	id := s.open(lamps(), wire.Settings{K: 3, Grace: -1, Seed: 3, Delta: 1e-9})
	s.people(id, enough)
	s.counted(id, enough)
	p := s.signedInPerson()
	p.get(s.results(id) + "/results.csv")
	p.sees(http.StatusOK, "rank,id,label,standing,share_over_leader")
	rows := testsupport.Value(csv.NewReader(strings.NewReader(p.text)).ReadAll()).OrFail(s)
	p.get(s.results(id))
	_, after, _ := strings.Cut(p.text, `id="ranked-numbers"`)
	chart, _, _ := strings.Cut(after, "</table>")
	_, table, _ := strings.Cut(p.text, `<table class="arms`)
	for i, row := range rows[2:] {
		share := testsupport.Value(strconv.ParseFloat(row[4], 64)).OrFail(s)
		percent := fmt.Sprintf("%.0f%%", math.Floor(100*share+0.5+1e-9)) // 12.5 is rounded to 13, as on the page
		if !strings.Contains(chart, "<td>"+row[2]+"</td><td>"+percent+"</td>") {
			t.Errorf("the chart does not have %s of %s, number %d", percent, row[2], i+2)
		}
		if !regexp.MustCompile(`(?s)>` + regexp.QuoteMeta(row[2]) + `</span>.*?data-label="Chosen over the leader by">` +
			percent).MatchString(table) {
			t.Errorf("the table does not have %s of %s", percent, row[2])
		}
	}
	for _, other := range []string{"Utility", "Bradley", "Part-worth"} {
		p.lacks(other)
	}
}

// TestNoLeaderTooEarly: before an option is nominated the page and the list name no leader, even if an option is first in the table.
func TestNoLeaderTooEarly(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3, Each: 20, Grace: -1, Assume: "majority"})
	s.people(id, 1)
	s.counted(id, 1)
	p := s.signedInPerson()
	p.get(s.results(id))
	p.sees(http.StatusOK, "Too early to name a leader.")
	p.lacks(`class="lead"`)
	p.lacks(">leads<")
	p.get(s.url + "/")
	p.sees(http.StatusOK, "not known yet")
	verdict := testsupport.Value(s.owner.Verdict(s.Context(), id)).OrFail(s)
	if verdict.Leader != nil || !(verdict.Progress > 0) {
		t.Errorf("the API names %+v at %v", verdict.Leader, verdict.Progress)
	}
	percent := fmt.Sprintf("%.0f%%", 100*verdict.Progress)
	p.sees(http.StatusOK, percent)
	p.get(s.results(id))
	p.sees(http.StatusOK, "<strong>"+percent+"</strong>")
}

// twelve returns arms with pictures and long names, the first ones more popular.
func twelve() string {
	var arms strings.Builder
	arms.WriteString("id,label,image,price,material\n")
	names := []string{
		"Orb", "Reed", "Fold large", "Arm of brass", "Dome", "Pebble", "Sunrise", "Kite", "Lantern with a long name",
		"Tulip", "Beam", "Halo",
	}
	for i, name := range names {
		drawing := url.PathEscape(fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30">`+
			`<circle cx="20" cy="15" r="12" fill="#%02x%02x%02x"/></svg>`, 90+12*i, 200-12*i, 120+10*i))
		fmt.Fprintf(&arms, "%d,%s,\"data:image/svg+xml,%s\",%d,%s\n", i, name, drawing, 40+7*i,
			[]string{"glass", "steel", "paper"}[i%3])
	}
	return arms.String()
}

// visitors has people answer a majority study of twelve, five questions each, up to a number of answers or until it is
// done. Options of lower numbers are more popular.
func (s *stage) visitors(id string, answers int) {
	s.Helper()
	rng := rand.New(rand.NewPCG(3, 9))
	for n := range answers {
		q, err := s.owner.Ask(s.Context(), id, wire.Ask{Respondent: fmt.Sprint("visitor ", n/5)})
		if st := testsupport.Value(s.studies.Store.Study(s.Context(), id)).OrFail(s); st.State == study.Done {
			return
		}
		s.must(err)
		var picks []string
		left := append([]wire.Arm(nil), q.Arms...)
		for len(picks) < q.Picks {
			best, most := 0, math.Inf(-1)
			for i, arm := range left {
				var number float64
				_ = testsupport.Value(fmt.Sscan(arm.ID, &number)).OrFail(s)
				if u := -0.5*number - math.Log(rng.ExpFloat64()); u > most {
					best, most = i, u
				}
			}
			picks, left = append(picks, left[best].ID), append(left[:best:best], left[best+1:]...)
		}
		err = s.owner.Answer(s.Context(), id, q.Token, picks...)
		if st := testsupport.Value(s.studies.Store.Study(s.Context(), id)).OrFail(s); st.State == study.Done {
			return
		}
		s.must(err)
	}
	s.counted(id, answers)
}

// aboveTheFold: at the sizes of a laptop and a phone the verdict with its picture and the ranking of all twelve options
// are visible without scrolling, under way and at the end, in both languages.
func aboveTheFold(s *stage, b *browser.Browser) {
	settings := wire.Settings{K: 3, Each: 5, Grace: -1, Seed: 3, Assume: "majority", Epsilon: new(0.2)}
	under, sure := s.open(twelve(), settings), s.open(twelve(), settings)
	s.visitors(under, 60)
	s.visitors(sure, 3000)
	for name, view := range map[string]browser.View{
		"desktop": browser.Desktop(), "phone": {Width: 390, Height: 844, Touch: true},
		"phone-dark": {Width: 390, Height: 844, Dark: true},
	} {
		w := b.Open(s.T, view)
		s.signIn(w, s.secret)
		for page, id := range map[string]string{"under": under, "sure": sure} {
			for _, language := range []string{"en", "de"} {
				w.Go(s.results(id) + "?lang=" + language)
				w.Wait("document.querySelector('#ranked') && " + isLive)
				w.Wait("document.querySelector('.lead img').naturalWidth > 0")
				const bottom = "Math.max(...[...document.querySelectorAll('.lead, .headline, #ranked .rows li')].map((each) => each.getBoundingClientRect().bottom))"
				if got := browser.Eval[float64](w, bottom); got > float64(view.Height) {
					s.Errorf("%s, %s, %s: the ranking ends at %.0f of %d pixels", page, name, language, got, view.Height)
				}
				if got := browser.Eval[int](w, "document.querySelectorAll('#ranked .rows li .row-picture').length"); got != 12 {
					s.Errorf("%s: %d options with pictures", page, got)
				}
				w.Accessible()
				fits(w, page+" on a "+name, view.Width)
				if screenshots() {
					w.Screenshot(os.Getenv("BESTPICK_SCREENSHOTS") + "/fold-" + page + "-" + name + "-" + language + ".png")
					keep(w, "whole-"+page+"-"+name+"-"+language)
				}
			}
		}
	}
}
