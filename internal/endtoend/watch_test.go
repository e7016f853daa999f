package endtoend

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestWatch: bestpick watch prints a line for each verdict of a study, and exits when the study is
// done.
func TestWatch(t *testing.T) {
	server := start(t, sqliteFile(t), "")
	id := someArms(t, 4, 0.5, 1).newStudy(t, server.Client, wire.Settings{K: 3, Grace: -1, Budget: 5})
	watch := func(address, token string) (string, error) {
		out, err := exec.CommandContext(testsupport.Limited(t), program, "watch", address, "--token", token).CombinedOutput() //nolint:gosec // the program under test
		return string(out), err
	}
	said := make(chan string, 1)
	go func() {
		out, err := watch(server.URL+"/studies/"+id, server.Token)
		if err != nil {
			out += err.Error()
		}
		said <- out
	}()
	for range 5 {
		q := testsupport.Value(server.Ask(t.Context(), id, wire.Ask{})).OrFail(t)
		testsupport.NoError(t, server.Answer(t.Context(), id, q.Token, q.Arms[0].ID))
	}
	lines := strings.Split(strings.TrimSpace(<-said), "\n")
	if strings.Contains(strings.Join(lines, ""), "\x1b") {
		t.Errorf("escape sequences without a terminal: %q", lines)
	}
	if last := lines[len(lines)-1]; !strings.Contains(last, "5 answers") || !strings.Contains(last, "Not decided within 5 answers. a") {
		t.Errorf("%q", lines)
	}
	document, err := exec.CommandContext(testsupport.Limited(t), program, "watch", server.URL+"/studies/"+id, "--token", server.Token, "--json").Output() //nolint:gosec // the program under test
	var verdict wire.Verdict
	if err != nil || json.Unmarshal(document, &verdict) != nil || verdict.Answers != 5 || verdict.State != "done" || strings.Count(string(document), "\n") != 1 {
		t.Errorf("with --json: %v, %s", err, document)
	}
	for address, want := range map[string]string{
		server.URL + "/studies/none": "bestpick: there is no such study", server.URL + "/nothing": "names no study", "studies/" + id: "is not an address",
	} {
		if out, err := watch(address, server.Token); exitStatus(err) == 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %v, %s", address, err, out)
		}
	}
	if out, err := watch(server.URL+"/s/"+id, "wrong"); exitStatus(err) != 1 || strings.Count(out, "\n") != 1 {
		t.Errorf("a wrong token: %v, %s", err, out)
	}
}

// TestWatchInterrupted: Ctrl-C ends bestpick watch with the status of an interruption, because the study is not done.
func TestWatchInterrupted(t *testing.T) {
	server := start(t, sqliteFile(t), "")
	id := someArms(t, 4, 0.5, 1).newStudy(t, server.Client, wire.Settings{K: 3})
	command := exec.CommandContext(testsupport.Limited(t), program, "watch", server.URL+"/studies/"+id, "--token", server.Token) //nolint:gosec // the program under test
	var said strings.Builder
	command.Stderr = &said
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	testsupport.NoError(t, err)
	testsupport.Value(bufio.NewReader(out).ReadString('\n')).OrFail(t)
	testsupport.NoError(t, command.Process.Signal(os.Interrupt))
	const interrupted = 130
	if status := exitStatus(command.Wait()); status != interrupted || said.String() != "bestpick: interrupted before the study is done\n" {
		t.Errorf("exit status %d, %s", status, said.String())
	}
}
