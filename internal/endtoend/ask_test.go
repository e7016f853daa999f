package endtoend

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"bestpick/internal/testsupport"
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
var lamps = []string{"Orb", "Fold large", "Orb mini", "Arm", "Pebble", "Fold", "Arm brass", "Dome dim", "Lantern", "Reed", "Reed white", "Dome"}

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
	if resized := s.until(at(1)); fmt.Sprint(cardName.FindAllStringSubmatch(resized, -1)) != fmt.Sprint(cardName.FindAllStringSubmatch(first, -1)) {
		t.Errorf("after the window was resized it shows %q", resized)
	}
	s.press("\x1b[C\r") // moves to the second card and picks it
	s.until(at(2))
	s.press("s")
	s.until(at(3))
	s.press("u")
	s.until(at(2))
	s.press("u")
	if again := s.until(at(1)); fmt.Sprint(cardName.FindAllStringSubmatch(again, -1)) != fmt.Sprint(cardName.FindAllStringSubmatch(first, -1)) {
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
