package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// A screen shows questions and reads keys: full screen on a terminal, line by line otherwise.
type screen struct {
	in       *bufio.Reader
	out      io.Writer
	file     *os.File    // of the terminal; nil where there is none
	before   *term.State // of the terminal
	selected int         // the card that the arrows have reached
}

// Keys that are not letters or digits.
const (
	keyInterrupt = "interrupt"
	keyEnter     = "enter"
	keyLeft      = "left"
	keyRight     = "right"
)

// Escape sequences of the terminal: switch to the alternate screen and hide the cursor, switch back, and move to
// the top.
const (
	enterPage = "\x1b[?1049h\x1b[?25l"
	leavePage = "\x1b[?25h\x1b[?1049l"
	fromTop   = "\x1b[H\x1b[2J"
)

// newScreen switches to raw mode if input and output are a terminal.
func newScreen(s streams) (*screen, error) {
	c := &screen{in: bufio.NewReader(s.in), out: s.out}
	in, ok := s.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) || !isTerminal(s.out) {
		return c, nil
	}
	var err error
	if c.before, err = term.MakeRaw(int(in.Fd())); err != nil {
		return nil, err
	}
	c.file = in
	_, err = io.WriteString(c.out, enterPage)
	return c, err
}

// Close restores the terminal.
func (c *screen) Close() error {
	if c.file == nil {
		return nil
	}
	if _, err := io.WriteString(c.out, leavePage); err != nil {
		return err
	}
	return term.Restore(int(c.file.Fd()), c.before)
}

// show draws the question of a session.
func (c *screen) show(session *askSession) error {
	if c.file == nil {
		_, err := io.WriteString(c.out, askLines(session))
		return err
	}
	width, height, err := term.GetSize(int(c.file.Fd()))
	if err != nil {
		return err
	}
	page := askPage(session, width, height, c.selected)
	_, err = fmt.Fprint(c.out, fromTop, strings.ReplaceAll(page, "\n", "\r\n"))
	return err
}

// key waits for a key, or for a line without a terminal.
func (c *screen) key() (string, error) {
	if c.file == nil {
		line, err := c.in.ReadString('\n')
		if line = strings.TrimSpace(line); line != "" {
			err = nil
		}
		return strings.ToLower(line), err
	}
	letter, _, err := c.in.ReadRune()
	if err != nil {
		return "", err
	}
	switch letter {
	case '\x03', '\x04': // Ctrl-C and Ctrl-D, which a terminal in raw mode does not handle
		return keyInterrupt, nil
	case '\r', '\n':
		return keyEnter, nil
	case '\x1b':
		return c.escape()
	}
	return strings.ToLower(string(letter)), nil
}

// escape reads the rest of an escape sequence, such as of an arrow key: ESC [, optional numbers, and a letter.
func (c *screen) escape() (string, error) {
	if c.in.Buffered() == 0 {
		return "", nil // the key Escape itself
	}
	for first := true; ; first = false {
		letter, err := c.in.ReadByte()
		switch {
		case err != nil:
			return "", err
		case first && (letter == '[' || letter == 'O'), letter >= '0' && letter <= '9', letter == ';':
			continue
		case letter == 'C' || letter == 'B':
			return keyRight, nil
		case letter == 'D' || letter == 'A':
			return keyLeft, nil
		}
		return "", nil
	}
}

// slot returns the slot that a key picks, or skipped. Arrow keys move the selection.
func (c *screen) slot(key string, shown int) int {
	at := c.selected
	c.selected = 0
	switch {
	case key == keyRight:
		c.selected = (at + 1) % shown
	case key == keyLeft:
		c.selected = (at + shown - 1) % shown
	case key == keyEnter:
		return at
	case len(key) == 1 && key[0] >= '1' && int(key[0]-'1') < shown:
		return int(key[0] - '1')
	}
	return skipped
}
