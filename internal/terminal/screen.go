// Package terminal is for programs that people use in a terminal: a screen with keys, and texts that are safe to
// print.
package terminal

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// A Screen shows pages and reads keys: full screen on a terminal, line by line otherwise. Not safe for concurrent
// use.
type Screen struct {
	in     *bufio.Reader
	out    io.Writer
	file   *os.File               // of the terminal; nil if there is none
	before *term.State            // of the terminal
	page   func(width int) string // shown last
	size   window                 // before it was shown
}

// Keys that are not letters or digits.
const (
	KeyInterrupt = "interrupt"
	KeyEnter     = "enter"
	KeyLeft      = "left"
	KeyRight     = "right"
)

// Escape sequences of the terminal: switch to the alternate screen and hide the cursor, switch back, and move to
// the top.
const (
	enterPage = "\x1b[?1049h\x1b[?25l"
	leavePage = "\x1b[?25h\x1b[?1049l"
	fromTop   = "\x1b[H\x1b[2J"
)

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Draw clears a terminal and draws a page of its width, without the lines that do not fit.
func Draw(file *os.File, out io.Writer, page func(width int) string) error {
	width, height, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return err
	}
	fitting := strings.ReplaceAll(Cut(page(width), height), "\n", "\r\n") // for raw mode
	_, err = fmt.Fprint(out, fromTop, fitting, "\r\n")
	return err
}

// Cut returns the lines of a page that fit a terminal with a number of lines.
func Cut(page string, height int) string {
	lines := strings.Split(page, "\n")
	return strings.Join(lines[:min(len(lines), max(height-1, 1))], "\n")
}

// NewScreen returns a screen. If input and output are a terminal, it switches to raw mode until Close.
func NewScreen(in io.Reader, out io.Writer) (*Screen, error) {
	s := &Screen{in: bufio.NewReader(in), out: out}
	file, ok := in.(*os.File)
	if !ok || !Is(in) || !Is(out) {
		return s, nil
	}
	var err error
	if s.before, err = term.MakeRaw(int(file.Fd())); err != nil {
		return nil, err
	}
	s.file = file
	_, err = io.WriteString(out, enterPage)
	return s, err
}

// Close restores the terminal.
func (s *Screen) Close() error {
	if s.file == nil {
		return nil
	}
	if _, err := io.WriteString(s.out, leavePage); err != nil {
		return err
	}
	return term.Restore(int(s.file.Fd()), s.before)
}

// A window has the size of a terminal.
type window struct{ width, height int }

// windowOf returns the size of a terminal, 0 if it is unknown.
func windowOf(file *os.File) (w window) {
	w.width, w.height, _ = term.GetSize(int(file.Fd()))
	return w
}

// Show draws the page, or writes the lines if there is no terminal.
func (s *Screen) Show(page func(width int) string, lines func() string) error {
	if s.page = page; s.file != nil {
		s.size = windowOf(s.file)
		return Draw(s.file, s.out, page)
	}
	_, err := io.WriteString(s.out, lines())
	return err
}

// Key waits for a key, or for a line without a terminal. It returns letters in lower case. While it waits, it draws the
// page again if the window changes its size.
func (s *Screen) Key() (string, error) {
	if s.file == nil {
		line, err := s.in.ReadString('\n')
		if line = strings.TrimSpace(line); line != "" {
			err = nil
		}
		return strings.ToLower(line), err
	}
	redraw := func() {
		if s.page != nil {
			_ = Draw(s.file, s.out, s.page) // the next page reports the error
		}
	}
	stop := OnResize(redraw)
	if windowOf(s.file) != s.size { // it has changed since the page was shown
		redraw()
	}
	letter, _, err := s.in.ReadRune()
	stop()
	if err != nil {
		return "", err
	}
	switch letter {
	case '\x03', '\x04': // Ctrl-C and Ctrl-D, which a terminal in raw mode does not handle
		return KeyInterrupt, nil
	case '\r', '\n':
		return KeyEnter, nil
	case '\x1b':
		return s.escape()
	}
	return strings.ToLower(string(letter)), nil
}

// escape reads the rest of an escape sequence, such as of an arrow key: ESC [, optional numbers, and a letter.
func (s *Screen) escape() (string, error) {
	if s.in.Buffered() == 0 {
		return "", nil // the key Escape itself
	}
	for first := true; ; first = false {
		letter, err := s.in.ReadByte()
		switch {
		case err != nil:
			return "", err
		case first && (letter == '[' || letter == 'O'), letter >= '0' && letter <= '9', letter == ';':
			continue
		case letter == 'C' || letter == 'B':
			return KeyRight, nil
		case letter == 'D' || letter == 'A':
			return KeyLeft, nil
		}
		return "", nil
	}
}
