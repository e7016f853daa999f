//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// OnResize calls redraw whenever the window of the terminal changes its size, one call at a time, until stop is called.
// When stop returns, no call is running.
func OnResize(redraw func()) (stop func()) {
	resized, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(resized, syscall.SIGWINCH)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		for {
			select {
			case <-resized:
				redraw()
			case <-done:
				return
			}
		}
	})
	return func() {
		signal.Stop(resized)
		close(done)
		waiting.Wait()
	}
}
