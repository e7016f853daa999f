package endtoend

import (
	"bufio"
	"context"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"bestpick/internal/testsupport"
)

// TestDemo: bestpick serve --demo runs a study that a simulated crowd answers, and prints the share of options that are
// ruled out, without evidence or negative numbers.
func TestDemo(t *testing.T) {
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
	progress := regexp.MustCompile(`^ *(\d+) answers   *\d+% ruled out  (.*)$`)
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
