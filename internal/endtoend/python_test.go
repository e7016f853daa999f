package endtoend

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bestpick/choice"
	"bestpick/client"
	"bestpick/crowd"
	"bestpick/internal/testsupport"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
	"bestpick/wire"
)

// TestPythonClient runs the tests of the Python client against the program.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	p := start(t, sqliteFile(t), "")
	environment := []string{
		"BESTPICK_TEST_URL=" + p.URL, "BESTPICK_TEST_TOKEN=" + p.Token,
		"BESTPICK_TEST_TRANSCRIPT=" + transcript(t),
	}
	out := python(t, environment, "-W", "error", "-m", "unittest")
	if !regexp.MustCompile(`Ran [1-9]\d* tests?`).MatchString(out) {
		t.Errorf("no test was run:\n%s", out)
	}
	p.stop(t)
}

// transcript simulates a run of bestpick simulate, and returns the path of a file with its options, questions
// and picks.
func transcript(t *testing.T) string {
	t.Helper()
	world := someArms(t, 8, 0.8, 3)
	var run struct {
		Options   []map[string]string `json:"options"`
		Seed      uint64              `json:"seed"`
		Questions []choice.Question   `json:"questions"`
		Picks     [][]int             `json:"picks"`
		Leader    int                 `json:"leader"`
	}
	rows := strings.Split(strings.TrimSpace(world.file), "\n")
	for _, row := range rows[1:] {
		values := strings.Split(row, ",")
		run.Options = append(run.Options, map[string]string{"id": values[0], "x": values[1], "y": values[2]})
	}
	run.Seed = 42
	result, err := simulate.Experiment{
		Instance: simulate.Instance{Catalogue: world.arms, Theta: world.theta},
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			return racing.New(world.arms, racing.Settings{
				Seed: seed, Epsilon: racing.DefaultEpsilon, Assume: strategy.Majority,
				Fakes: racing.DefaultFakes,
			})
		},
		Crowd: func(rng *rand.Rand) crowd.Respondent {
			return noting{crowd.NewMNL(world.arms, world.theta, rng), func(q choice.Question, slots []int) {
				picks := make([]int, len(q)-1)
				for i := range picks {
					picks[i] = q[slots[i]]
				}
				run.Questions, run.Picks = append(run.Questions, slices.Clone(q)), append(run.Picks, picks)
			}}
		},
		Seed: run.Seed, Picks: 2,
	}.One(t.Context(), 0)
	if err != nil || !result.Certified {
		t.Fatalf("%+v, %v", result, err)
	}
	run.Leader = result.Leader
	text := testsupport.Value(json.Marshal(run)).OrFail(t)
	path := filepath.Join(t.TempDir(), "transcript.json")
	testsupport.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// noting is a respondent whose picks are noted.
type noting struct {
	crowd.Respondent

	note func(q choice.Question, slots []int)
}

func (n noting) Pick(q choice.Question, picks int) []int {
	slots := n.Respondent.Pick(q, picks)
	n.note(q, slots)
	return slots
}

// TestPythonRestarts: the client loses no answer and sends none twice while the server is restarted.
func TestPythonRestarts(t *testing.T) {
	restartsUnder(t, func(address, study string) string {
		return python(t, nil, filepath.Join("testdata", "answer_all.py"), address, study, "4", "25")
	})
}

// TestPythonInstall: pip builds the wheel and installs it, without a network. In a new virtual environment, the first
// program of the README then prints what it says.
func TestPythonInstall(t *testing.T) {
	environment := t.TempDir()
	python(t, nil, "-m", "venv", "--without-pip", environment)
	folder := testsupport.Value(filepath.Glob(filepath.Join(environment, "lib", "python*", "site-packages"))).OrFail(t)[0]
	python(t, nil, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--root-user-action=ignore",
		"--disable-pip-version-check", "--target", folder, ".")
	out := python(t, []string{"PYTHONPATH=" + folder}, "-P", "-c", "import bestpick; print(bestpick.__file__)")
	if strings.TrimSpace(out) != filepath.Join(folder, "bestpick", "__init__.py") {
		t.Errorf("installed at %q", out)
	}
	_, rest, _ := strings.Cut(string(contents(t, filepath.Join("..", "..", "README.md"))), "```python\n")
	commands, rest, _ := strings.Cut(rest, "```")
	_, rest, _ = strings.Cut(rest, "```text\n")
	want, _, _ := strings.Cut(rest, "```")
	command := exec.CommandContext(t.Context(), filepath.Join(environment, "bin", "python"), "-c", commands) //nolint:gosec // of the README
	command.Dir, command.Env = t.TempDir(), []string{"PATH=" + filepath.Dir(program)}
	if out, err := command.CombinedOutput(); err != nil || string(out) != want {
		t.Errorf("%v: the program prints\n%s\nand the README says\n%s", err, out, want)
	}
}

// TestPythonContexts: the example with contexts prints a link for people, and a simulated model finds the best model.
// With a probability of at most 1 in 20, a model check fails although the answers fit the model.
func TestPythonContexts(t *testing.T) {
	t.Parallel()
	p := start(t, sqliteFile(t), "")
	for says, arguments := range map[string][]string{
		`People answer at ` + p.URL + `/s/`:                             nil,
		`\n(The best model is gale|Nothing is certified)(.|\n)*because`: {"--simulate"},
	} {
		arguments = append([]string{"-W", "error", filepath.Join("examples", "judge_replies.py"), "--url", p.URL}, arguments...)
		if out := python(t, []string{"BESTPICK_TOKEN=" + p.Token}, arguments...); !regexp.MustCompile(says).MatchString(out) {
			t.Errorf("no %q in:\n%s", says, out)
		}
	}
	p.stop(t)
}

// TestPythonRaces runs the examples of races: a simulated model that judges prompts, and the notebook.
func TestPythonRaces(t *testing.T) {
	t.Parallel()
	notebook := filepath.Join("..", "..", "examples", "notebook.ipynb")
	testsupport.Value(os.Stat(notebook)).OrFail(t) // so that go test caches the result by this file, too
	for says, arguments := range map[string][]string{
		"friendly, short, example: yes wins after": {filepath.Join("examples", "model_judge.py")},
		"Coffee that waits for you after":          {filepath.Join("testdata", "run_notebook.py"), notebook},
	} {
		if out := python(t, nil, append([]string{"-W", "error"}, arguments...)...); !strings.Contains(out, says) {
			t.Errorf("%v does not say %q:\n%s", arguments, says, out)
		}
	}
}

// TestPythonWebhook: the example receives the webhook of a finished study, and rejects a forged
// one.
func TestPythonWebhook(t *testing.T) {
	t.Parallel()
	p := start(t, sqliteFile(t), "", "--webhooks-to-private")
	id := someArms(t, 6, 0.3, 2).newStudy(t, p.Client, wire.Settings{K: 3})
	listener := testsupport.Value(net.Listen("tcp", "127.0.0.1:0")).OrFail(t) //nolint:noctx // opening a port does not block
	address := listener.Addr().String()
	testsupport.NoError(t, listener.Close()) // leaves a free port for the example
	var other sync.WaitGroup
	other.Go(func() {
		for _, err := p.Webhook(t.Context(), id); err != nil && t.Context().Err() == nil; _, err = p.Webhook(t.Context(), id) {
			time.Sleep(20 * time.Millisecond)
		}
		forged := &client.Client{URL: "http://" + address, HTTP: p.HTTP}
		if _, err := forged.Open(t.Context(), id); err == nil || err.Error() != "400 Bad Request" {
			t.Errorf("the reply to an unsigned request is %v", err)
		}
		if _, err := p.Close(t.Context(), id); err != nil {
			t.Error(err)
		}
	})
	_, port, _ := strings.Cut(address, ":")
	out := python(t, []string{"BESTPICK_TOKEN=" + p.Token}, "-W", "error", filepath.Join("examples", "webhook_receiver.py"), "--url",
		p.URL, "--study", id, "--at", "http://"+address, "--port", port)
	testsupport.Wait(t, "other", other.Wait)
	if !regexp.MustCompile(`^listening\nArms is stopped after 0 answers; (a\d|nothing) leads\.\n$`).MatchString(out) {
		t.Errorf("no verdict in:\n%s", out)
	}
	p.stop(t)
}

// python runs Python in the directory of the client, and returns its output. Without Python the
// test is skipped, or fails under CI.
func python(t *testing.T, environment []string, arguments ...string) string {
	t.Helper()
	interpreter, err := exec.LookPath("python3")
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip("python3 is not installed; run make setup")
	} else if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join("..", "..", "clients", "python")
	for _, read := range []string{
		folder, filepath.Join(folder, "bestpick"), filepath.Join(folder, "testdata"),
		filepath.Join(folder, "examples"),
	} { // so that go test caches the result by these files
		testsupport.Value(os.ReadDir(read)).OrFail(t)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, interpreter, arguments...) //nolint:gosec // the arguments are constants of the tests
	command.Dir = folder
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8", "NO_PROXY=*", "no_proxy=*",
		"BESTPICK_PROGRAM="+program)
	command.Env = append(command.Env, environment...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
