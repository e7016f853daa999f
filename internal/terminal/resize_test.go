//go:build unix

package terminal_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"bestpick/internal/terminal"
	"bestpick/internal/testsupport"
)

// TestOnResize: every change of the window's size redraws, until the caller stops that.
func TestOnResize(t *testing.T) {
	drawn := make(chan struct{}, 10)
	stop := terminal.OnResize(func() { drawn <- struct{}{} })
	for range 2 {
		testsupport.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGWINCH))
		testsupport.Receive(t, "a redrawn page", drawn)
	}
	stop()
	testsupport.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGWINCH))
	if len(drawn) != 0 {
		t.Error("it redraws after it was stopped")
	}
}

// TestResizedBeforeKey: a page is drawn again if the window has changed its size after it was shown and before a key is
// awaited.
func TestResizedBeforeKey(t *testing.T) {
	keyboard, file, err := pty.Open()
	testsupport.NoError(t, err)
	t.Cleanup(func() { _ = keyboard.Close() })
	resize := func(columns uint16) {
		testsupport.NoError(t, pty.Setsize(keyboard, &pty.Winsize{Rows: 24, Cols: columns}))
	}
	resize(80)
	screen := testsupport.Value(terminal.NewScreen(file, file)).OrFail(t)
	widths := make(chan int, 10)
	testsupport.NoError(t, screen.Show(func(width int) string { widths <- width; return "" }, nil))
	resize(60)
	testsupport.Value(keyboard.WriteString("a")).OrFail(t)
	if key, err := screen.Key(); key != "a" || err != nil {
		t.Errorf("%q, %v", key, err)
	}
	if first, drawn := <-widths, len(widths); first != 80 || drawn == 0 || <-widths != 60 {
		t.Errorf("drawn with width %d, and %d times after that", first, drawn)
	}
	if err := screen.Close(); err != nil {
		t.Error(err)
	}
}
