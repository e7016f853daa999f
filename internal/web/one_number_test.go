package web_test

import (
	"context"
	"encoding/csv"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/strategy"
	"bestpick/wire"
)

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
	p.sees(http.StatusOK, "<dt>Answers</dt><dd>60</dd>")
}

// TestOneUtility: the table, the chart of leads and the results file have the same utilities. By them no option is ahead
// of the leader, even if contenders are ahead in the middle of the verdict's intervals, and contenders are in order.
func TestOneUtility(t *testing.T) {
	s := begin(t)
	told := &retold{Store: s.store}
	told.change.Store(&change{func(*study.Settings) {}, func(v *study.Verdict) {
		v.Contenders = nil
		for i := range 6 {
			if i != v.Leader {
				v.Contenders = append(v.Contenders, strategy.Standing{Arm: i, Lead: -0.1 * float64(1+i), Low: -9, High: 9})
			}
		}
	}})
	s.studies.Overview.Store = told
	const enough = 200 // answers for estimates of all attributes
	id := s.open(lamps(), wire.Settings{K: 3, Grace: -1, Seed: 3, Delta: 1e-9})
	s.people(id, enough)
	s.counted(id, enough)
	p := s.signedInPerson()

	p.get(s.results(id) + "/results.csv")
	p.sees(http.StatusOK, "rank,id,label,standing")
	rows := testsupport.Value(csv.NewReader(strings.NewReader(p.text)).ReadAll()).OrFail(s)
	before := 0.0
	for _, row := range rows[1:] {
		utility := testsupport.Value(strconv.ParseFloat(row[7], 64)).OrFail(s)
		if utility > 0 || row[3] == "possible" && utility > before {
			t.Errorf("the utility of %s is %v after %v", row[2], utility, before)
		}
		before = utility
	}

	p.get(s.results(id))
	p.sees(http.StatusOK, `id="contenders-numbers"`)
	_, after, _ := strings.Cut(p.text, `id="contenders-numbers"`)
	chart, _, _ := strings.Cut(after, "</table>")
	_, table, _ := strings.Cut(p.text, `<table class="arms`)
	utilities := map[string]string{}
	for _, found := range regexp.MustCompile(`(?s)class="arm-name">([^<]+)<.*?data-label="Utility">([^<]+)<`).FindAllStringSubmatch(table, -1) {
		utilities[found[1]] = found[2]
	}
	leads := regexp.MustCompile(`<tr><td>([^<]+)</td><td>([^<]+)</td>`).FindAllStringSubmatch(chart, -1)
	if len(leads) < 5 {
		t.Fatalf("the chart has %d contenders", len(leads))
	}
	for _, lead := range leads {
		if negative := strings.NewReplacer("&#43;", "−", "−", "&#43;").Replace(lead[2]); utilities[lead[1]] != negative {
			t.Errorf("the lead over %s is %s, and its utility is %s", lead[1], lead[2], utilities[lead[1]])
		}
	}
}

// TestShareIsExplained: where an option has a higher share of picks than the leader, the page says how that can be.
func TestShareIsExplained(t *testing.T) {
	s := begin(t)
	id := s.answered(60)
	told := &retold{Store: s.store}
	told.change.Store(&change{func(*study.Settings) {}, func(v *study.Verdict) { v.Leader = (v.Leader + 1) % 12 }})
	s.studies.Overview.Store = told
	p := s.signedInPerson()
	p.get(s.results(id) + "?sort=share")
	p.sees(http.StatusOK, "Against weak rivals an option can have a higher share than the leader.")
	_, table, _ := strings.Cut(p.text, `<table class="arms`)
	leading := regexp.MustCompile(`<tr( class="marked")?>`).FindAllStringSubmatch(table, 3) // the header and two rows
	if len(leading) != 3 || leading[1][1] != "" {
		t.Errorf("no option has a higher share than the leader: %q", leading)
	}
}
