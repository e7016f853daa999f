package endtoend

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// A typist is a person at a terminal who always prefers the same lamps.
type typist struct {
	*testing.T

	terminal *os.File
	screen   chan string
	command  *exec.Cmd
}

// sit starts bestpick ask in a pseudo-terminal.
func sit(t *testing.T, arguments ...string) *typist {
	t.Helper()
	command := exec.CommandContext(context.WithoutCancel(t.Context()), program, append([]string{"ask"}, arguments...)...) //nolint:gosec // the program under test
	terminal := testsupport.Value(pty.StartWithSize(command, &pty.Winsize{Rows: 40, Cols: 120})).OrFail(t)
	s := &typist{t, terminal, make(chan string, 1000), command}
	go func() {
		defer close(s.screen)
		for page := make([]byte, 1<<16); ; {
			n, err := terminal.Read(page)
			if err != nil {
				return // the program has ended
			}
			s.screen <- string(page[:n])
		}
	}()
	t.Cleanup(func() { _ = terminal.Close() })
	return s
}

// until reads the screen until it matches a pattern, and returns everything shown so far.
func (s *typist) until(wanted *regexp.Regexp) string {
	s.Helper()
	shown, patience := "", time.After(20*time.Second)
	for !wanted.MatchString(shown) {
		select {
		case more, open := <-s.screen:
			if shown += more; !open {
				s.Fatalf("the program ended with %q", shown)
			}
		case <-patience:
			s.Fatalf("%v does not match %q", wanted, shown)
		}
	}
	return shown
}

func (s *typist) press(keys string) {
	s.Helper()
	testsupport.Value(s.terminal.WriteString(keys)).OrFail(s)
}

// lamps are the lamps of the example, the best first: by light for the money, glass, and whether
// they dim.
var lamps = []string{
	"Orb", "Fold large", "Orb mini", "Arm", "Pebble", "Fold", "Arm brass", "Dome dim", "Lantern", "Reed",
	"Reed white", "Dome",
}

var cardName = regexp.MustCompile(`\x1b\[1m(\d)  ([A-Za-z ]+)\x1b\[m`)

// pick reads the labels on the cards and picks the best lamp.
func (s *typist) pick(shown string) {
	s.Helper()
	best, key := len(lamps), ""
	for _, card := range cardName.FindAllStringSubmatch(shown, -1) {
		rank := slices.Index(lamps, card[2])
		if rank < 0 {
			s.Fatalf("%q is not a lamp, in %q", card[2], shown)
		}
		if rank < best {
			best, key = rank, card[1]
		}
	}
	if key == "" {
		s.Fatalf("no cards in %q", shown)
	}
	s.press(key)
}

// TestAsk: a person at a terminal answers until the verdict, and meanwhile resizes the window, skips,
// undoes, quits and resumes. Nothing is coloured.
func TestAsk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lamps.csv")
	text := testsupport.Value(os.ReadFile("../../examples/lamps.csv")).OrFail(t)
	testsupport.NoError(t, os.WriteFile(file, text, 0o600)) //nolint:gosec // in a directory of the test
	at := func(number int) *regexp.Regexp {
		return regexp.MustCompile(fmt.Sprintf(`\(question %d\)[\s\S]*(possible|known yet)`, number))
	}
	s := sit(t, file)
	first := s.until(at(1))
	if colours := regexp.MustCompile(`\x1b\[[0-9;]*[349][0-9]m`); colours.MatchString(first) {
		t.Errorf("the page has colours: %q", first)
	}
	testsupport.NoError(t, pty.Setsize(s.terminal, &pty.Winsize{Rows: 40, Cols: 100}))
	if resized := s.until(at(1)); fmt.Sprint(cardName.FindAllStringSubmatch(resized,
		-1)) != fmt.Sprint(cardName.FindAllStringSubmatch(first, -1)) {
		t.Errorf("after the window was resized it shows %q", resized)
	}
	s.press("\x1b[C\r") // moves to the second card and picks it
	s.until(at(2))
	s.press("s")
	s.until(at(3))
	s.press("u")
	s.until(at(2))
	s.press("u")
	if again := s.until(at(1)); fmt.Sprint(cardName.FindAllStringSubmatch(again,
		-1)) != fmt.Sprint(cardName.FindAllStringSubmatch(first, -1)) {
		t.Errorf("after undoing all answers it asks %q, want the first question %q", again, first)
	}
	s.pick(first)
	s.pick(s.until(at(2)))
	s.until(at(3))
	s.press("q")
	if left := s.until(regexp.MustCompile(`--anew`)); !strings.Contains(left, "run the same command to continue") {
		t.Errorf("quitting shows %q", left)
	}
	testsupport.NoError(t, s.command.Wait())

	s = sit(t, file)
	for number := 3; ; number++ {
		shown := s.until(regexp.MustCompile(fmt.Sprintf(`\(question %d\)[\s\S]*possible|is your favourite`, number)))
		if strings.Contains(shown, "is your favourite") {
			if !strings.Contains(shown, "Orb is your favourite") {
				t.Errorf("the verdict is %q", shown)
			}
			break
		}
		if number > 400 {
			t.Fatal("no verdict was reached")
		}
		s.pick(shown)
	}
	if err := s.command.Wait(); err != nil {
		t.Error(err)
	}
	t.Logf("the answers are %s", fileLines(t, file+".answers.jsonl"))
}

func fileLines(t *testing.T, path string) string {
	t.Helper()
	text := testsupport.Value(os.ReadFile(path)).OrFail(t)
	return strconv.Itoa(strings.Count(string(text), "\n") - 1)
}

// TestWatch: bestpick watch prints a line for each verdict of a study, and exits when the study is
// done.
func TestWatch(t *testing.T) {
	server := start(t, sqliteFile(t), "")
	id := someArms(t, 4, 0.5, 1).newStudy(t, server.Client, wire.Settings{K: 3, Grace: -1, Budget: new(5)})
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
	if last := lines[len(lines)-1]; !strings.Contains(last, "5 answers") ||
		!strings.Contains(last, "Not decided within 5 answers. Too early to name a leader.") {
		t.Errorf("%q", lines)
	}
	document, err := exec.CommandContext(testsupport.Limited(t), program, "watch", server.URL+"/studies/"+id, "--token", server.Token, "--json").Output() //nolint:gosec // the program under test
	var verdict wire.Verdict
	if err != nil || json.Unmarshal(document, &verdict) != nil || verdict.Answers != 5 || verdict.State != "done" ||
		strings.Count(string(document), "\n") != 1 {
		t.Errorf("with --json: %v, %s", err, document)
	}
	for address, want := range map[string]string{
		server.URL + "/studies/none": "bestpick: there is no such study", server.URL + "/nothing": "names no study",
		"studies/" + id: "is not an address",
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
	if status := exitStatus(command.Wait()); status != interrupted ||
		said.String() != "bestpick: interrupted before the study is done\n" {
		t.Errorf("exit status %d, %s", status, said.String())
	}
}

// TestDemo: bestpick serve --demo runs a study that a simulated crowd answers, and prints how far it is, without
// evidence or negative numbers.
func TestDemo(t *testing.T) {
	t.Parallel()
	demonstrated(t, func(answers int, _ string) bool { return answers >= 30 })
}

// demonstrated runs the demo until enough returns true, and returns the last line. The number of
// answers must not decrease.
func demonstrated(t *testing.T, enough func(answers int, line string) bool) string {
	t.Helper()
	command := exec.CommandContext(context.WithoutCancel(t.Context()), program, "serve", "--demo", "--listen", "127.0.0.1:0")
	out := testsupport.Value(command.StdoutPipe()).OrFail(t)
	testsupport.NoError(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Kill() }) // it may have ended
	progress := regexp.MustCompile(`^ *(\d+) answers   *\d+% of the way  (.*)$`)
	address := regexp.MustCompile(`^  http://127\.0\.0\.1:\d+/studies/[a-z2-7]{26}$`)
	last, line, seen, page := 0, "", 0, false
	for lines := bufio.NewScanner(out); ; {
		if !lines.Scan() {
			t.Fatalf("the output ends after %q", line)
		}
		page = page || address.MatchString(lines.Text())
		found := progress.FindStringSubmatch(lines.Text())
		if found == nil {
			if strings.Contains(lines.Text(), "failed") || strings.Contains(lines.Text(), " answers ") {
				t.Fatal(lines.Text())
			}
			continue
		}
		if strings.Contains(lines.Text(), "evidence") || strings.Contains(lines.Text(), "-") {
			t.Errorf("a line has evidence or a negative number: %q", lines.Text())
		}
		line = found[2]
		answers, err := strconv.Atoi(found[1])
		if err != nil || answers < last {
			t.Errorf("%q after %d answers", lines.Text(), last)
		}
		last = answers
		if seen++; seen > 1 && enough(answers, line) {
			break
		}
	}
	if !page {
		t.Error("it does not print the address of the study's page")
	}
	testsupport.NoError(t, command.Process.Signal(syscall.SIGTERM))
	if err := command.Wait(); err != nil {
		t.Errorf("the demo ended with %v", err)
	}
	return line
}
