package endtoend

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// TestPythonClient runs the tests of the Python client against the program.
func TestPythonClient(t *testing.T) {
	p := start(t, sqliteFile(t), "")
	out := python(t, []string{"BESTPICK_TEST_URL=" + p.URL, "BESTPICK_TEST_TOKEN=" + p.Token}, "-W", "error", "-m", "unittest")
	if !regexp.MustCompile(`Ran [1-9]\d* tests?`).MatchString(out) {
		t.Errorf("no test was run:\n%s", out)
	}
	p.stop(t)
}

// TestPythonExample has simulated judges find the best prompt. Now and then, at most once in 20 times, answers
// that fit the model seem not to.
func TestPythonExample(t *testing.T) {
	p := start(t, sqliteFile(t), "")
	out := python(t, []string{"BESTPICK_TOKEN=" + p.Token}, filepath.Join("examples", "judge_prompts.py"), "--url", p.URL, "--simulate")
	if !regexp.MustCompile(`\n(The best prompt is|Nothing is certified)`).MatchString(out) {
		t.Errorf("there is no verdict:\n%s", out)
	}
	p.stop(t)
}

// python runs Python in the folder of the client and returns what it says. Where there is no Python the
// test is skipped, except under CI, where it fails.
func python(t *testing.T, environment []string, arguments ...string) string {
	t.Helper()
	interpreter, err := exec.LookPath("python3")
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip("python3 is not installed; make setup does that")
	} else if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join("..", "..", "clients", "python")
	for _, read := range []string{folder, filepath.Join(folder, "examples")} { // so that go test knows what the result depends on
		if _, err := os.ReadDir(read); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, interpreter, arguments...) //nolint:gosec // what is run is said above
	command.Dir = folder
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8", "NO_PROXY=*", "no_proxy=*")
	command.Env = append(command.Env, environment...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
