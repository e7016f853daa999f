package web_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// signedInPerson returns a person with a session, without JavaScript.
func (s *stage) signedInPerson() *person {
	s.Helper()
	p := s.person(true)
	p.send(s.url+"/sign-in", url.Values{"token": {s.secret}})
	p.sees(http.StatusOK, "Studies")
	return p
}

// TestTryOut: an owner tries a draft and an open study like a respondent, from the welcome to the thanks. Nothing is
// recorded or asked.
func TestTryOut(t *testing.T) {
	s := begin(t)
	id := s.draft(lamps(), wire.Settings{K: 3, Picks: 2, Each: 2})
	page := &wire.Page{Texts: map[string]wire.PageTexts{"en": {Welcome: "Hello lamp friends", Thanks: "Bye lamp friends"}}}
	testsupport.Value(s.owner.Change(t.Context(), id, 1, wire.Change{Page: page})).OrFail(s)
	p := s.signedInPerson()
	for range 2 {
		p.get(s.results(id) + "/try")
		p.sees(http.StatusOK, "Hello lamp friends")
		p.send(s.results(id)+"/try/begin", nil)
		p.sees(http.StatusOK, "Question 1 of 2")
		p.sees(http.StatusOK, "answers are not recorded")
		p.send(s.results(id)+"/try/answer", url.Values{"pick": {"1"}})
		p.sees(http.StatusOK, `data-rank="1"`)
		p.send(s.results(id)+"/try/answer", url.Values{"pick": {"0"}})
		p.sees(http.StatusOK, "Question 2 of 2")
		p.send(s.results(id)+"/try/skip", nil)
		p.sees(http.StatusOK, "Bye lamp friends")
		testsupport.Value(s.owner.Open(t.Context(), id)).OrFail(s)
	}
	for _, form := range []url.Values{{"token": {"-1,99,x"}, "pick": {"7"}}, {"number": {"x"}}} {
		p.send(s.results(id)+"/try/answer", form)
		p.sees(http.StatusOK, "Question")
	}
	if log := s.log(id); len(log) > 0 {
		t.Errorf("the log has %v", log)
	}
}

// TestDuplicate: a copy is a draft with the options, pictures, settings and texts of the original, and no answers.
func TestDuplicate(t *testing.T) {
	s := begin(t)
	id := s.open(drawn(), wire.Settings{K: 3, Each: 7, Grace: -1})
	s.answerSome(id, 3)
	p := s.signedInPerson()
	p.send(s.results(id)+"/duplicate", nil)
	p.sees(http.StatusOK, "Copy of Study")
	all := testsupport.Value(s.studies.Store.List(t.Context(), "", 2)).OrFail(s)
	made, original := all[0], all[1]
	if made.State != study.Draft || made.Settings.PerRespondent != 7 || made.Prompt != original.Prompt ||
		made.Arms != original.Arms ||
		made.Settings.Strategy.Seed == original.Settings.Strategy.Seed || len(s.log(made.ID)) > 0 {
		t.Errorf("the copy is %+v", made)
	}
	p.get(s.results(made.ID) + "/try")
	p.sees(http.StatusOK, "data:image/svg")
}

// TestSample: an owner without studies begins with twelve lamps.
func TestSample(t *testing.T) {
	s := begin(t)
	p := s.signedInPerson()
	p.sees(http.StatusOK, "Try it with 12 lamps")
	p.send(s.url+"/new/sample", nil)
	p.sees(http.StatusOK, "Sample: 12 lamps")
	p.sees(http.StatusOK, "Open study")
}

// TestResults: the results are a file that bestpick reads, named after the study. A public link shows them without a
// token, until it is revoked.
func TestResults(t *testing.T) {
	s := begin(t)
	id := s.answered(60)
	p := s.signedInPerson()
	p.get(s.results(id) + "/results.csv")
	p.sees(http.StatusOK, "rank,id,label,standing,share_over_leader,share_low,share_high,chosen_over_leader,compared,shown,picked\n1,")
	if name := p.header.Get("Content-Disposition"); name != "attachment; filename=study-results.csv" {
		t.Errorf("the file is %s", name)
	}
	file := strings.NewReader(p.text)
	arms, err := archive.OpenUpload(read.Upload{Name: "results.csv", Contents: file, Size: file.Size()}, catalogue.Options{}, 0)
	s.must(err)
	if arms.Arms.Len() != 12 {
		t.Errorf("the results have %d options", arms.Arms.Len())
	}
	p.get(s.results(id) + "/results.xlsx")
	if done := s.done(); !slices.Equal(done[:2], []string{"owner export-results xlsx", "owner export-results csv"}) {
		t.Errorf("the audit log has %q", done)
	}
	file = strings.NewReader(p.text)
	workbook, err := archive.OpenUpload(read.Upload{Name: "results.xlsx", Contents: file, Size: file.Size()}, catalogue.Options{}, 0)
	s.must(err)
	book, err := excelize.OpenReader(strings.NewReader(p.text))
	s.must(err)
	defer book.Close()
	for row, want := range []string{"Study", "", "Based on", "UTC", "", "rank"} {
		cell, err := book.GetCellValue("Results", fmt.Sprint("A", row+1))
		if err != nil || !strings.Contains(cell, want) {
			t.Errorf("row %d of the workbook begins with %q, want %q: %v", row+1, cell, want, err)
		}
	}
	for arm := range arms.Arms.Len() {
		if is, want := workbook.Arms.ID(arm), arms.Arms.ID(arm); is != want {
			t.Errorf("option %d is %s in the workbook, and %s in the CSV file", arm, is, want)
		}
	}
	p.get(s.results(id) + "/export/answers?format=csv")
	p.sees(http.StatusOK, ",shown_1_label,shown_2_label,shown_3_label,pick_1_label\n")
	version := func() string {
		_, rest, _ := strings.Cut(p.text, `name="version" value="`)
		number, _, _ := strings.Cut(rest, `"`)
		return number
	}
	p.get(s.results(id))
	p.send(s.results(id)+"/publish", url.Values{"version": {version()}})
	p.sees(http.StatusOK, "The results have a public link")
	_, rest, _ := strings.Cut(p.text, `<input id="public" value="`)
	link, _, _ := strings.Cut(rest, `"`)
	stranger := s.person(false)
	stranger.get(link)
	stranger.sees(http.StatusOK, "Ranking")
	if strings.Contains(stranger.text, "/studies/") {
		t.Error("the public page links to pages of owners")
	}
	stranger.get(link + "/charts/ranked.svg")
	stranger.sees(http.StatusOK, "<svg ")
	stranger.get(link + "x/charts/ranked.svg")
	stranger.sees(http.StatusNotFound, "There are no results here")
	stranger.get(link + "x")
	stranger.sees(http.StatusNotFound, "There are no results here")
	p.send(s.results(id)+"/unpublish", url.Values{"version": {version()}})
	p.sees(http.StatusOK, "no longer works")
	stranger.get(link)
	stranger.sees(http.StatusNotFound, "There are no results here")
}

// TestWinnerCard: a certified study shows the card of its winner and the runner-up. After a few answers it is too
// early to name a leader, and without answers no option leads.
func TestWinnerCard(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), quick())
	p := s.signedInPerson()
	p.get(s.results(id))
	p.sees(http.StatusOK, "No answers counted yet.")
	if strings.Contains(p.text, `class="standing`) {
		t.Error("an option has a standing without answers")
	}
	s.people(id, 4)
	s.counted(id, 4)
	p.get(s.results(id))
	p.sees(http.StatusOK, "Too early to name a leader.")
	s.people(id, 5000)
	for range 200 {
		if p.get(s.results(id)); strings.Contains(p.text, "Orb wins.") && strings.Contains(p.text, "Runner-up") {
			break
		}
	}
	p.sees(http.StatusOK, `<h2 class="lead-name" dir="auto">Orb</h2>`)
	p.sees(http.StatusOK, "Runner-up: “")
	p.sees(http.StatusOK, "Orb wins.")
}

// TestRunnerUpByMajority: a study that the majority decides counts how many people chose the winner over the runner-up.
func TestRunnerUpByMajority(t *testing.T) {
	s := begin(t)
	id := s.open("id\nFirst\nSecond\nThird\n", wire.Settings{K: 2, Grace: -1, Assume: "majority", Each: 1})
	for n := 0; ; n++ {
		lease, err := s.studies.Dispatch.Ask(t.Context(), id, fmt.Sprint("person ", n), "")
		if errors.Is(err, study.ErrNoQuestion) {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if errors.Is(err, study.ErrNotOpen) {
			break
		}
		s.must(err)
		best := 0 // the first option is best, but one in four prefers the second to it
		if lease.Shown[0] > lease.Shown[1] {
			best = 1
		}
		if lease.Shown[0]+lease.Shown[1] == 1 && n%4 == 0 {
			best = 1 - best
		}
		err = s.studies.Dispatch.Answer(t.Context(), lease.Ticket, []int{best})
		if errors.Is(err, study.ErrNotOpen) { // the answer before has decided it
			break
		}
		s.must(err)
	}
	p := s.signedInPerson()
	p.get(s.results(id))
	p.sees(http.StatusOK, `<h2 class="lead-name" dir="auto">First</h2>`)
	found := regexp.MustCompile(`Runner-up: “Second”. When people chose between the two, (\d+) of (\d+) chose the winner.`).FindStringSubmatch(p.text)
	if found == nil || found[1] == "0" || found[1] == found[2] {
		t.Errorf("%q", found)
	}
}
