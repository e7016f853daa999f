package serve

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/wire"
)

// planned serves a service that plans.
func planned(t *testing.T) (owner *client.Client) {
	t.Helper()
	s, owner := mounted(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return owner
}

// stuffing returns an open study of six options with the default settings, changed.
func stuffing(t *testing.T, owner *client.Client, settings wire.Settings) string {
	t.Helper()
	settings.Each, settings.Grace = 10, -1
	created, err := owner.Create(t.Context(), client.NewStudy{
		Name: "Options", Settings: settings, Catalogue: client.File{
			Name:     "a.csv",
			Contents: strings.NewReader("id\na0\na1\na2\na3\na4\na5\n"),
		},
	})
	if err == nil {
		_, err = owner.Open(t.Context(), created.Study.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return created.Study.ID
}

// byAPI answers a hand as a new person: a5 if it is shown, and otherwise the worst option.
func byAPI(ctx context.Context, t *testing.T, c *client.Client, id string, _ int) (answers int) {
	t.Helper()
	anyone := &client.Client{URL: c.URL}
	welcome, err := anyone.Welcome(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	question, err := anyone.Ask(ctx, id, wire.Ask{Respondent: welcome.Respondent})
	for err == nil {
		var picks []string
		for _, arm := range question.Arms {
			picks = append(picks, arm.ID)
		}
		slices.Sort(picks)
		slices.Reverse(picks)
		if err = anyone.Answer(ctx, id, question.Token, picks[:question.Picks]...); err == nil {
			answers++
			question, err = anyone.Ask(ctx, id, wire.Ask{Respondent: welcome.Respondent})
		}
	}
	if !client.Is(err, wire.Enough) && !client.Is(err, wire.StudyDone) && !client.Is(err, wire.NoQuestion) {
		t.Fatal(err)
	}
	return answers
}

var (
	hiddenOf = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`)
	cardOf   = regexp.MustCompile(`<button class="pick" name="pick" value="(\d)"([^>]*)>(a[0-5])</button>`)
	picksOf  = regexp.MustCompile(`data-picks="(\d)"`)
)

// byPage answers a hand on the pages without script, in a new browser: the same options as byAPI.
func byPage(ctx context.Context, t *testing.T, c *client.Client, id string, _ int) (answers int) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	text := visit(ctx, t, browser, c.URL+"/s/"+id, nil)
	for range 40 { // requests: a ranking takes one for each pick
		form, best := url.Values{}, ""
		for _, field := range hiddenOf.FindAllStringSubmatch(text, -1) {
			form.Add(field[1], html.UnescapeString(field[2]))
		}
		for _, card := range cardOf.FindAllStringSubmatch(text, -1) {
			if card[3] > best && !strings.Contains(card[2], `pressed="true"`) {
				best = card[3]
				form.Set("pick", card[1])
			}
		}
		if best == "" { // no question
			return answers
		}
		if picks := picksOf.FindStringSubmatch(text); strconv.Itoa(len(form["picked"])+1) == picks[1] {
			answers++
		}
		text = visit(ctx, t, browser, c.URL+"/s/"+id+"/answer", form)
	}
	return answers
}

func visit(ctx context.Context, t *testing.T, browser *http.Client, address string, form url.Values) string {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if form != nil {
		request, err = http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if err != nil {
		t.Fatal(err)
	}
	reply, err := browser.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestStuffing: fake people of one address certify nothing with the rules of the form, by the API and on the pages, within
// 500 answers. With the rules off they do, and the owner's page warns before.
func TestStuffing(t *testing.T) {
	owner := planned(t)
	usual, slow := wire.Settings{Reading: 1, Network: 8, Straight: true},
		wire.Settings{Network: 8, Straight: true} // robots that wait
	for name, c := range map[string]struct {
		settings  wire.Settings
		attack    func(context.Context, *testing.T, *client.Client, string, int) int
		certified bool
	}{
		"API":                {attack: byAPI, settings: usual},
		"API, slow":          {attack: byAPI, settings: slow},
		"pages":              {attack: byPage, settings: usual},
		"pages, slow":        {attack: byPage, settings: slow},
		"API, rules are off": {attack: byAPI, certified: true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			id, answers, warned := stuffing(t, owner, c.settings), 0, 0
			var verdict wire.Verdict
			for n := 0; answers < 500 && verdict.Status != "certified"; n++ {
				if ctx.Err() != nil {
					t.Fatalf("only %d answers", answers)
				}
				answers += c.attack(ctx, t, owner, id, n)
				var err error
				if verdict, err = owner.Verdict(ctx, id); err != nil {
					t.Fatal(err)
				}
				if verdict.Status != "certified" {
					warned = max(warned, len(verdict.Signs.Warnings))
				}
			}
			t.Logf("%d fake answers: %s; %+v", answers, verdict.Status, verdict.Signs)
			if got := verdict.Status == "certified"; got != c.certified || warned == 0 {
				t.Errorf("after %d answers certified is %v, want %v; %d warnings before", answers, got, c.certified, warned)
			}
			if !c.certified {
				if counted := verdict.Signs.Timed; counted < 400 {
					t.Errorf("only %d of %d answers are counted", counted, answers)
				}
				return
			}
			if !strings.Contains(verdict.Sentence, "Signs of fraud") {
				t.Errorf("the sentence says nothing: %s", verdict.Sentence)
			}
		})
	}
}
