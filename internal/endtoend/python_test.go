package endtoend

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/wire"
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

// TestPythonExample has simulated judges find the best prompt. With a probability of at most 1 in
// 20, a model check fails although the answers fit the model.
func TestPythonExample(t *testing.T) {
	p := start(t, sqliteFile(t), "")
	out := python(t, []string{"BESTPICK_TOKEN=" + p.Token}, filepath.Join("examples", "judge_prompts.py"), "--url", p.URL, "--simulate")
	if !regexp.MustCompile(`\n(The best prompt is|Nothing is certified)`).MatchString(out) {
		t.Errorf("no verdict in:\n%s", out)
	}
	p.stop(t)
}

// TestPythonWebhook: the example receives the webhook of a finished study, and rejects a forged
// one.
func TestPythonWebhook(t *testing.T) {
	p := start(t, sqliteFile(t), "", "--webhooks-to-private")
	id := someArms(t, 6, 0.3, 2).newStudy(t, p.Client, wire.Settings{K: 3})
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // opening a port does not block
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil { // leaves a free port for the example
		t.Fatal(err)
	}
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
	out := python(t, []string{"BESTPICK_TOKEN=" + p.Token}, "-W", "error", filepath.Join("examples", "webhook_receiver.py"), "--url", p.URL, "--study", id, "--at", "http://"+address, "--port", port)
	other.Wait()
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
	for _, read := range []string{folder, filepath.Join(folder, "examples")} { // so that go test caches the result by these files
		if _, err := os.ReadDir(read); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, interpreter, arguments...) //nolint:gosec // the arguments are constants of the tests
	command.Dir = folder
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8", "NO_PROXY=*", "no_proxy=*")
	command.Env = append(command.Env, environment...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
