package main

import (
	"time"

	"github.com/schollz/progressbar/v3"

	"bestpick/internal/terminal"
)

// newBar returns a progress bar on standard error, or a silent one if quiet or without a terminal.
func newBar(total int64, description string, quiet bool, s streams, options ...progressbar.Option) *progressbar.ProgressBar {
	if quiet || !terminal.Is(s.err) {
		return progressbar.DefaultSilent(total)
	}
	return progressbar.NewOptions64(total, append(options,
		progressbar.OptionSetWriter(s.err),
		progressbar.OptionSetDescription(description),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)...)
}
