package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"

	"bestpick/internal/terminal"
)

// StandardInput is its name in errors.
const StandardInput = "standard input"

// NewBar returns a progress bar on standard error, or a silent one if quiet or without a terminal.
func NewBar(total int64, description string, quiet bool, s Streams, options ...progressbar.Option) *progressbar.ProgressBar {
	if quiet || !terminal.Is(s.Err) {
		return progressbar.DefaultSilent(total)
	}
	return progressbar.NewOptions64(total, append(options,
		progressbar.OptionSetWriter(s.Err),
		progressbar.OptionSetDescription(description),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)...)
}

// An Input is a file, or standard input, with a progress bar on a terminal. While it is open, Ctrl-C ends the
// program and prints how many bytes were read, even while a read or the opening of a pipe hangs. Nothing has been
// written by then.
type Input struct {
	source io.Reader
	read   atomic.Int64
	close  []func()
}

// OpenInput opens a file, or standard input for "-". name is its name in errors.
func OpenInput(path, name string, s Streams, quiet bool) (*Input, error) {
	in := &Input{source: s.In}
	in.close = append(in.close, OnInterrupt(func() {
		os.Exit(Report(s.Err, Interrupted(fmt.Errorf("%s: interrupted after %d bytes", name, in.read.Load()))))
	}))
	if path == "-" {
		return in, nil
	}
	file, err := os.Open(path)
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("%s: %w", name, Cause(err))
	}
	in.source = file
	in.close = append(in.close, func() { _ = file.Close() }) // only read
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		bar := NewBar(info.Size(), "reading", quiet, s, progressbar.OptionShowBytes(true))
		shown := progressbar.NewReader(file, bar)
		in.source = &shown
		in.close = append(in.close, func() { _ = bar.Finish() }) // progress only
	}
	return in, nil
}

// Cause returns the error of the system, without the name of the file.
func Cause(err error) error {
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		return system.Err
	}
	if system, ok := errors.AsType[*os.LinkError](err); ok {
		return system.Err
	}
	return err
}

// Context returns a context that ends with Ctrl-C or SIGTERM. A second signal ends the program at once after stop.
func Context() (ctx context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// OnInterrupt makes Ctrl-C call a function, until the returned function is called.
func OnInterrupt(act func()) (release func()) {
	interrupts, closed := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(interrupts, os.Interrupt)
	go func() {
		select {
		case <-interrupts:
			act()
		case <-closed:
		}
	}()
	return func() {
		signal.Stop(interrupts)
		close(closed)
	}
}

// Read reads from the file.
func (in *Input) Read(p []byte) (int, error) {
	n, err := in.source.Read(p)
	in.read.Add(int64(n))
	return n, err
}

// Close closes the file and restores Ctrl-C.
func (in *Input) Close() {
	for _, f := range in.close {
		f()
	}
}

// WriteFile writes a file atomically: it writes a temporary file and renames it. An existing file keeps its
// permissions.
func WriteFile(path string, write func(io.Writer) error) error {
	name := fmt.Sprintf(".%s.%x", filepath.Base(path), rand.Uint64())
	file, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("%s: %w", path, Cause(err))
	}
	defer func() { _ = os.Remove(file.Name()) }() // renamed, or failed
	err = write(file)
	if before, missing := os.Stat(path); err == nil && missing == nil {
		err = file.Chmod(before.Mode().Perm())
	}
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, Cause(err))
	}
	return nil
}
