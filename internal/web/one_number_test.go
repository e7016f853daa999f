package web_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"bestpick/internal/study"
	"bestpick/internal/testsupport"
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
		if !regexp.MustCompile(`(?s)>` + regexp.QuoteMeta(row[2]) + `</span>.*?data-label="Chosen over the leader by">` + percent).MatchString(table) {
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
