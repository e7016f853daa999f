package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// errInterrupted is what reading fails with after Ctrl-C.
var errInterrupted = errors.New("interrupted while reading here")

// input is a file, or standard input, that stops on Ctrl-C and shows how far it
// has been read where someone is watching.
type input struct {
	source io.Reader
	ctx    context.Context
	close  []func()
}

// openInput opens a file, or standard input for "-".
func openInput(name string, s streams, quiet bool) (*input, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	in := &input{source: s.in, ctx: ctx, close: []func(){stop}}
	if name == "-" {
		return in, nil
	}
	file, err := os.Open(name)
	if err != nil {
		stop()
		var path *fs.PathError
		if errors.As(err, &path) {
			err = fmt.Errorf("%s: %w", name, path.Err)
		}
		return nil, err
	}
	in.source = file
	in.close = append(in.close, func() { _ = file.Close() }) // only read from
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && !quiet && isTerminal(s.err) {
		bar := progressbar.NewOptions64(info.Size(),
			progressbar.OptionSetWriter(s.err),
			progressbar.OptionSetDescription("reading"),
			progressbar.OptionShowBytes(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
		reader := progressbar.NewReader(file, bar)
		in.source = &reader
		in.close = append(in.close, func() { _ = bar.Finish() }) // only a picture
	}
	return in, nil
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

func (in *input) Read(p []byte) (int, error) {
	if in.ctx.Err() != nil {
		return 0, errInterrupted
	}
	return in.source.Read(p)
}

func (in *input) Close() {
	for _, f := range in.close {
		f()
	}
}
