//go:build unix

package terminal_test

import (
	"os"
	"syscall"
	"testing"

	"bestpick/internal/terminal"
)

// TestOnResize: every change of the window's size redraws, until the caller stops that.
func TestOnResize(t *testing.T) {
	drawn := make(chan struct{}, 10)
	stop := terminal.OnResize(func() { drawn <- struct{}{} })
	for range 2 {
		if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
			t.Fatal(err)
		}
		<-drawn
	}
	stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
		t.Fatal(err)
	}
	if len(drawn) != 0 {
		t.Error("it redraws after it was stopped")
	}
}
