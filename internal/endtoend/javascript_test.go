package endtoend

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/browser"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestJavaScriptClient runs the tests of the JavaScript client against the program.
func TestJavaScriptClient(t *testing.T) {
	p := start(t, sqliteFile(t), "")
	out := node(t, []string{"BESTPICK_TEST_URL=" + p.URL, "BESTPICK_TEST_TOKEN=" + p.Token}, "--test")
	if !regexp.MustCompile(`(?m)^# pass [1-9]`).MatchString(out) && !strings.Contains(out, "ℹ pass") {
		t.Errorf("no test was run:\n%s", out)
	}
	p.stop(t)
}

// TestJavaScriptReadme: the program in the README of the client runs in a project that has installed it.
func TestJavaScriptReadme(t *testing.T) {
	p := start(t, sqliteFile(t), "")
	study := someArms(t, 6, 0.3, 2).newStudy(t, p.Client, wire.Settings{K: 2, Budget: new(1), Grace: -1})
	root := testsupport.Value(filepath.Abs(filepath.Join("..", "..", "clients", "js"))).OrFail(t)
	_, rest, _ := strings.Cut(string(contents(t, filepath.Join(root, "README.md"))), "```js\n")
	commands, _, _ := strings.Cut(rest, "```")
	project := t.TempDir()
	testsupport.NoError(t, os.Mkdir(filepath.Join(project, "node_modules"), 0o700))
	testsupport.NoError(t, os.Symlink(root, filepath.Join(project, "node_modules", "bestpick")))
	script := filepath.Join(project, "readme.mjs")
	testsupport.NoError(t, os.WriteFile(script, []byte("const { study, token } = process.env;\n"+
		strings.ReplaceAll(commands, "https://picks.example.com", p.URL)), 0o600))
	if out := node(t, []string{"study=" + study, "token=" + p.Token}, script); strings.TrimSpace(out) == "" {
		t.Error("no verdict arrived")
	}
	p.stop(t)
}

// TestJavaScriptRestarts: the client loses no answer and sends none twice while the server is restarted.
func TestJavaScriptRestarts(t *testing.T) {
	restartsUnder(t, func(address, study string) string {
		return node(t, nil, filepath.Join("testdata", "answer_all.mjs"), address, study, "4", "25")
	})
}

// node runs Node.js in the directory of the client, and returns its output. Without Node.js the test is skipped,
// or fails under CI.
func node(t *testing.T, environment []string, arguments ...string) string {
	t.Helper()
	interpreter, err := exec.LookPath("node")
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip("node is not installed; run make setup")
	} else if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join("..", "..", "clients", "js")
	for _, read := range []string{
		folder, filepath.Join(folder, "test"),
		filepath.Join(folder, "testdata"),
	} { // so that go test caches the result by these files
		testsupport.Value(os.ReadDir(read)).OrFail(t)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, interpreter, arguments...) //nolint:gosec // the arguments are constants of the tests
	command.Dir = folder
	command.Env = append(os.Environ(), environment...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// An embedding is the example page with a study of headlines, behind an entrance.
type embedding struct {
	*browser.Window

	door  *entrance
	at    place
	p     *process
	study string
}

// embed opens the example page.
func embed(t *testing.T, settings wire.Settings, query string) *embedding {
	t.Helper()
	b := browser.Start(t)
	e := &embedding{at: sqliteFile(t)}
	e.p = start(t, e.at, "")
	e.door = newEntrance(t, e.p)
	e.door.Pages = http.FileServer(http.Dir(filepath.Join("..", "..")))
	settings.People = new(0)
	created, err := e.p.Create(t.Context(), client.NewStudy{
		Name: "Headlines", Prompt: "Which would you click?", Settings: settings,
		Catalogue: client.File{
			Name:     "headlines.json",
			Contents: strings.NewReader(`["Mugs, mugs, mugs", "The mug, reinvented", "Coffee <b>that</b> waits", "Hot at noon, too"]`),
		},
	})
	testsupport.NoError(t, err)
	e.study = created.Study.ID
	testsupport.Value(e.p.Open(t.Context(), e.study)).OrFail(t)
	e.Window = b.Open(t, browser.Desktop())
	for _, expected := range []string{"favicon.ico", "429", "409"} { // 409: there are no more questions
		e.Expect(expected)
	}
	e.Go(e.door.URL + "/examples/headlines.html?study=" + e.study + query)
	return e
}

// inside is JavaScript for the first element of a selector in the component.
func inside(selector string) string {
	return `document.querySelector("bestpick-question").shadowRoot.querySelector("` + selector + `")`
}

// shown waits until the component shows a question other than the one before, and returns its token.
func (e *embedding) shown(before string) string {
	e.Helper()
	const token = `(document.querySelector("bestpick-question").question?.token ?? "")`
	e.Wait(token + ` !== "" && ` + token + ` !== "` + before + `" && ` + inside(".options") + `.ariaBusy === "false"`)
	return browser.Eval[string](e.Window, token)
}

// TestEmbeddedConsent: the component shows the text of consent, and asks only after the box is ticked.
func TestEmbeddedConsent(t *testing.T) {
	e := embed(t, wire.Settings{K: 3, Grace: -1, Each: 4}, "")
	e.shown("")
	st := testsupport.Value(e.p.Study(t.Context(), e.study)).OrFail(t)
	page := wire.Page{
		Texts:   map[string]wire.PageTexts{"en": {Welcome: "Hello", Consent: "I agree."}},
		Privacy: "https://example.com/",
	}
	testsupport.Value(e.p.Change(t.Context(), e.study, st.Version, wire.Change{Page: &page})).OrFail(t)
	e.Reload()
	e.Wait(inside("form label") + `?.textContent.includes("I agree.")`)
	e.Accessible()
	browser.Eval[bool](e.Window, inside("form button")+".click() ?? true")
	if asked := browser.Eval[bool](e.Window, `document.querySelector("bestpick-question").question !== undefined`); asked {
		t.Error("a question is shown without consent")
	}
	browser.Eval[bool](e.Window, inside("form input")+".click() ?? true")
	browser.Eval[bool](e.Window, inside("form button")+".click() ?? true")
	e.shown("")
	if left := browser.Eval[bool](e.Window, inside("form")+" !== null"); left {
		t.Error("the box is still there")
	}
}

// TestEmbeddedQuestion: the component shows a question in a page, is accessible, takes picks by mouse and
// keyboard, skips, and ends with the study.
func TestEmbeddedQuestion(t *testing.T) {
	e := embed(t, wire.Settings{K: 3, Grace: -1, Assume: "linear", Fallback: new(0.0), Each: 4}, "")
	first := e.shown("")
	e.Accessible()
	if text := browser.Eval[string](e.Window, inside(".prompt")+".textContent"); text != "Which would you click?" {
		t.Errorf("prompt %q", text)
	}
	if bold := browser.Eval[bool](e.Window, inside("b")+" !== null"); bold {
		t.Error("the name of an arm is read as HTML")
	}
	if colour := browser.Eval[string](e.Window,
		"getComputedStyle("+inside(".option")+").backgroundColor"); colour != "rgb(255, 247, 237)" {
		t.Errorf("the background of an option is %s, not that of the page's variable", colour)
	}
	browser.Eval[bool](e.Window, inside(".option")+".click() ?? true")
	second := e.shown(first)
	browser.Eval[bool](e.Window, inside(".option")+".focus() ?? true")
	e.Keys("\r")
	third := e.shown(second)
	if focused := browser.Eval[string](e.Window,
		`document.querySelector("bestpick-question").shadowRoot.activeElement.className`); focused != "prompt" {
		t.Errorf("the focus is on %q, not on the next question", focused)
	}
	e.WaitText("#count", "You have answered 2 questions.")
	browser.Eval[bool](e.Window, inside(".skip")+".click() ?? true")
	e.shown(third)
	browser.Eval[bool](e.Window, inside(".option")+".click() ?? true")
	e.Wait(inside(`slot[name=done]`) + ` !== null`)
	e.Accessible()
	name := regexp.MustCompile(`[a-z2-7]{26}`) // that the server has given to the person
	if answers := logged(t, e.p, e.study); len(answers) != 3 || name.FindString(answers[0]) == "" ||
		name.FindString(answers[0]) != name.FindString(answers[2]) {
		t.Errorf("answers %v", answers)
	}
	e.p.stop(t)
}

// TestEmbeddedAudience: the component says why it asks nothing if the person is not in the audience of the study, and
// asks if the page names them as the audience requires.
func TestEmbeddedAudience(t *testing.T) {
	e := embed(t, wire.Settings{K: 3, Grace: -1, Audience: "ids"}, "")
	e.Expect("403")
	e.Wait(inside(`slot[name=refused]`) + `?.textContent.includes("only for people with their own link")`)
	e.Accessible()
	browser.Eval[bool](e.Window, `document.querySelector("bestpick-question").setAttribute("pid", "anna") ?? true`)
	e.shown("")
	browser.Eval[bool](e.Window, inside(".option")+".click() ?? true")
	eventually(t, "anna has answered", 20*time.Second,
		func() bool { return strings.Contains(string(e.p.exported(t, e.study)), `"anna"`) })
	e.p.stop(t)
}

// TestEmbeddedRanking: several picks are a ranking, and a pick can be taken back before the last one.
func TestEmbeddedRanking(t *testing.T) {
	e := embed(t, wire.Settings{K: 3, Picks: 2, Grace: -1, Assume: "linear", Fallback: new(0.0)}, "")
	first := e.shown("")
	press := func(option string) {
		browser.Eval[bool](e.Window, inside("li:nth-child("+option+") .option")+".click() ?? true")
	}
	press("1")
	e.Wait(inside(`li:nth-child(1) .option`) + `.ariaPressed === "true" && ` + inside(".rank") + `.textContent === "1"`)
	e.Accessible()
	press("1")
	e.Wait(inside(".rank") + " === null")
	want := browser.Eval[string](e.Window, inside("li:nth-child(3) .option")+".dataset.arm + ' ' + "+
		inside("li:nth-child(2) .option")+".dataset.arm")
	press("3")
	press("2")
	e.shown(first)
	var export strings.Builder
	testsupport.NoError(t, e.p.Export(t.Context(), e.study, "answers", "jsonl", &export))
	best, next, _ := strings.Cut(want, " ")
	if !regexp.MustCompile(`"picks": ?\["` + best + `", ?"` + next + `"\]`).MatchString(export.String()) {
		t.Errorf("%s, want %s", export.String(), want)
	}
	e.p.stop(t)
}

// TestEmbeddedNone: where the study offers it, none of the options is an answer.
func TestEmbeddedNone(t *testing.T) {
	e := embed(t, wire.Settings{K: 3, Grace: -1, Assume: "linear", Fallback: new(0.0), Outside: true}, "")
	first := e.shown("")
	e.Accessible()
	browser.Eval[bool](e.Window, inside(".none")+".click() ?? true")
	e.shown(first)
	var export strings.Builder
	testsupport.NoError(t, e.p.Export(t.Context(), e.study, "answers", "jsonl", &export))
	if !strings.Contains(export.String(), `"none"`) {
		t.Errorf("%s", export.String())
	}
	e.WaitText("#count", "You have answered 1 questions.")
	e.p.stop(t)
}

// TestEmbeddedOutage: a pick during an outage is sent when the server is back, once, and the respondent is informed
// meanwhile.
func TestEmbeddedOutage(t *testing.T) {
	e := embed(t, wire.Settings{K: 3, Grace: -1, Assume: "linear", Fallback: new(0.0), Delta: 1e-12}, "")
	first := e.shown("")
	e.Expect("net::ERR")
	e.door.leadTo(t, nil)
	e.p.kill()
	browser.Eval[bool](e.Window, inside(".option")+".click() ?? true")
	browser.Eval[bool](e.Window, inside(".option")+".click() ?? true") // an impatient second click
	e.Wait(inside(`slot[name=offline]`) + ` !== null`)
	e.p = start(t, e.at, e.p.Token)
	e.door.leadTo(t, e.p)
	second := e.shown(first)
	for range 12 { // some are refused with 429
		browser.Eval[bool](e.Window, inside(".option")+".click() ?? true")
		second = e.shown(second)
	}
	if answers := logged(t, e.p, e.study); len(answers) != 13 {
		t.Errorf("%d answers, want 13: %v", len(answers), answers)
	}
	e.p.stop(t)
}

// TestEmbeddedImpression: a question without a pick is a skip if the page wants that.
func TestEmbeddedImpression(t *testing.T) {
	e := embed(t, wire.Settings{K: 3, Grace: -1}, "")
	e.shown("")
	browser.Eval[bool](e.Window, `document.querySelector("bestpick-question").remove() ?? true`)
	eventually(t, "the log has a skip", 20*time.Second, func() bool {
		return strings.Contains(string(e.p.exported(t, e.study)), "skipped")
	})
	e.p.stop(t)
}
