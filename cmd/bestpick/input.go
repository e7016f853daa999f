package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"sync/atomic"

	"github.com/schollz/progressbar/v3"
)

// An input is a file, or standard input, with a progress bar on a terminal. While it is open, Ctrl-C ends the
// program and prints how many bytes were read, even while a read or the opening of a pipe hangs. Nothing has been
// written by then.
type input struct {
	source io.Reader
	read   atomic.Int64
	close  []func()
}

// openInput opens a file, or standard input for "-". name is its name in errors.
func openInput(path, name string, s streams, quiet bool) (*input, error) {
	in := &input{source: s.in}
	in.close = append(in.close, onInterrupt(func() {
		os.Exit(report(s.err, interruption{fmt.Errorf("%s: interrupted after %d bytes", name, in.read.Load())}))
	}))
	if path == "-" {
		return in, nil
	}
	file, err := os.Open(path)
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	in.source = file
	in.close = append(in.close, func() { _ = file.Close() }) // only read
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		bar := newBar(info.Size(), "reading", quiet, s, progressbar.OptionShowBytes(true))
		shown := progressbar.NewReader(file, bar)
		in.source = &shown
		in.close = append(in.close, func() { _ = bar.Finish() }) // progress only
	}
	return in, nil
}

// cause returns the error of the system, without the name of the file.
func cause(err error) error {
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		return system.Err
	}
	if system, ok := errors.AsType[*os.LinkError](err); ok {
		return system.Err
	}
	return err
}

// onInterrupt makes Ctrl-C call a function, until the returned function is called.
func onInterrupt(act func()) (release func()) {
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

func (in *input) Read(p []byte) (int, error) {
	n, err := in.source.Read(p)
	in.read.Add(int64(n))
	return n, err
}

// Close closes the file and restores Ctrl-C.
func (in *input) Close() {
	for _, f := range in.close {
		f()
	}
}
