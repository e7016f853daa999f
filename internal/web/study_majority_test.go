package web_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"time"

	"bestpick/checks"
	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/strategy"
)

// A retold store reports other settings and another verdict of every study.
type retold struct {
	study.Store

	change atomic.Pointer[change]
}

// A change is what a retold store reports instead.
type change struct {
	settings func(*study.Settings)
	verdict  func(*study.Verdict)
}

func (r *retold) Study(ctx context.Context, id string) (study.Study, error) {
	st, err := r.Store.Study(ctx, id)
	if err == nil {
		r.change.Load().settings(&st.Settings)
	}
	return st, err
}

func (r *retold) LastPlan(ctx context.Context, id string) (study.Plan, error) {
	plan, err := r.Store.LastPlan(ctx, id)
	if err != nil {
		return plan, err
	}
	var v study.Verdict
	if err := json.Unmarshal(plan.Verdict, &v); err != nil {
		return plan, err
	}
	r.change.Load().verdict(&v)
	plan.Verdict = v.Written()
	return plan, nil
}

// byMajority: the page says what a verdict rests on, how many people it counts, and why there is no favourite. It marks
// the options that the model does not explain. Lamps 0 to 2 are Orb, Orb mini and Reed.
func byMajority(s *stage, b *browser.Browser) {
	told := &retold{Store: s.store}
	told.change.Store(&change{func(*study.Settings) {}, func(*study.Verdict) {}})
	s.studies.Overview.Store = told
	id := s.answered(60)
	majority := func(st *study.Settings) { st.Strategy.Assume, st.Strategy.Epsilon = strategy.Majority, 0.2 }
	linear := func(st *study.Settings) { st.Strategy.Epsilon, st.Strategy.Fallback = 0.2, 0.25 }
	counted := func(v *study.Verdict) {
		v.Assumption, v.Respondents, v.Answering, v.Leader = strategy.Majority, 42, 3, 0
		v.Finished, v.From, v.Until = 40, time.Unix(0, 0), time.Unix(3*24*60*60, 0)
		v.Missing, v.FirstChoice, v.Proven = 0.25, 0.31, strategy.Proven{Arm: 0, Share: 0.61}
		v.Contenders = []strategy.Standing{
			{Arm: 1, Evidence: -7, Chosen: 0.31, Compared: 12},
			{Arm: 2, Evidence: 1.5, Chosen: 0.48, Compared: 40},
		}
		v.Others, v.Forecast = 0, strategy.Forecast{}
	}
	w := map[string]*browser.Window{"phone": s.owned(b, id, browser.Phone()), "desktop": s.owned(b, id, browser.Desktop())}
	for i, page := range []struct {
		name     string
		settings func(*study.Settings)
		verdict  func(*study.Verdict)
		texts    []string
	}{
		{"majority", majority, func(v *study.Verdict) {
			counted(v)
			v.Status, v.Contenders = "certified", nil
			v.Leaderboard = &study.Leaderboard{Answers: 60, Ranks: []strategy.Rank{{Arm: 0}, {Arm: 1, Low: -2, High: -0.1}}}
		}, []string{
			"Share of people who choose each option over Orb. All ranges hold together (95% sure).",
			"Orb wins. Put next to any single other option, at least 45 of 100 people choose Orb (95% sure).",
			"Based on 45 people and 60 answers in 3 days; 40 finished.",
			"This holds even if 25% of the missing answers of these people are missing because they would have gone against Orb.",
			"Estimate: of 100 people who see all options, 31 would choose Orb.", "by majority", "Runner-up", "People may differ",
		}},
		{"tied", majority, func(v *study.Verdict) {
			counted(v)
			v.Leaderboard = nil
		}, []string{
			"Orb leads, nearly tied with Reed; 95% sure that no other option would be chosen over Orb by more than 61 of 100 people; too early to say",
			"Share of people who choose each option over Orb. Estimates, without a guarantee.",
		}},
		{"cycle", majority, func(v *study.Verdict) {
			counted(v)
			v.Cycle = []int{0, 2, 1}
		}, []string{"No clear favourite: Orb mini seems to be chosen over Reed, Reed over Orb, Orb over Orb mini; 95% sure that no other option"}},
		{"segments", majority, func(v *study.Verdict) {
			counted(v)
			v.SegmentsDiffer = true
			v.Segments = []strategy.SegmentVerdict{
				{Segment: "At home", Status: strategy.Certified, Leader: 0, Contenders: []int{0}, Respondents: 30},
				{Segment: "In an office", Leader: 2, Contenders: []int{2, 0, 1}, Others: 4, Respondents: 12},
				{Segment: "Outdoors", Leader: -1},
			}
		}, []string{
			"At home: Orb wins (30 people, 95% sure).", "In an office: Reed leads; 6 other options are still possible (12 people).",
			"Outdoors: too early to name a leader.",
			"The segments differ: no option is a favourite of all of them (95% sure).",
			"Results by group",
			"Option\tAt home (30 people)\tIn an office (12 people)\tOutdoors (0 people)\nOrb\twins\tpossible\t–\nReed\tbehind\tleads\t–\n" +
				"Orb mini\tbehind\tpossible\t–",
		}},
		{"fell-back", linear, func(v *study.Verdict) {
			counted(v)
			v.Model = checks.Finding{Status: checks.Refuted, Check: checks.People, Sentence: "people differ"}
		}, []string{"The answers do not fit the model, so the result goes by majority.", "by majority"}},
		{"misfits", linear, func(v *study.Verdict) {
			v.Status, v.Contenders, v.Others, v.Leader = "certified", nil, 0, 0
			v.Misfits = []strategy.Misfit{{Arm: 2, Picked: 40, Expected: 20}, {Arm: 1, Picked: 2, Expected: 20}}
		}, []string{
			"This assumes that all people weigh the attributes alike, and that nothing else matters.", "by attributes",
			"The attributes do not explain how often people choose Reed and Orb mini.", "Chosen more often than its attributes explain",
			"Chosen less often than its attributes explain",
		}},
		{"uncompared", majority, func(v *study.Verdict) {
			counted(v)
			v.Respondents, v.Finished, v.Contenders = 0, 0, []strategy.Standing{{Arm: 1}, {Arm: 2}}
		}, []string{
			"Orb leads; Orb mini and Reed are still possible", "Based on 3 people and 60 answers in 3 days; 0 finished.",
		}},
		{"leader-out", majority, func(v *study.Verdict) {
			counted(v)
			v.Leaderboard = &study.Leaderboard{Answers: 60, Ranks: []strategy.Rank{{Arm: 0, Out: true}}}
		}, []string{"Too early to name a leader", " out\n"}},
	} {
		told.change.Store(&change{page.settings, page.verdict})
		for at, name := range []string{"phone", "desktop"} {
			if screenshots() || i%2 == at {
				w[name].Go(s.results(id))
				s.says(w[name], page.name+"-"+name, page.texts)
			}
		}
	}
}

// says checks the texts of a study's page, in light and dark mode, and that there is no negative evidence.
func (s *stage) says(w *browser.Window, name string, texts []string) {
	s.Helper()
	w.Wait("document.querySelector('#ranked')")
	browser.Eval[bool](w, "[...document.querySelectorAll('details')].every((each) => each.open = true)")
	whole := browser.Eval[string](w, "document.querySelector('#content').innerText.replaceAll('\\u00a0', ' ')")
	for _, text := range texts {
		if !strings.Contains(whole, text) {
			s.Errorf("%s does not say %q:\n%s", name, text, whole)
		}
	}
	if minus := browser.Eval[bool](w,
		"[...document.querySelectorAll('#verdict, #ranked')].some((each) => each.innerText.includes('−'))"); minus {
		s.Errorf("%s shows negative evidence", name)
	}
	w.Accessible()
	w.Dark(true)
	w.Readable()
	keep(w, "study-"+name+"-dark")
	w.Dark(false)
	keep(w, "study-"+name)
	fits(w, name, browser.Eval[int64](w, "innerWidth"))
}
