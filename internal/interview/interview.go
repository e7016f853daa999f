package interview

import (
	"errors"
	"io"

	"bestpick/internal/terminal"
)

// Run asks on a screen until the strategy has stopped or the person quits.
func (s *Session) Run(screen *terminal.Screen) error {
	var cursor cursor
	for !s.Decided() {
		err := screen.Show(func(width int) string { return s.page(width, cursor.slot) }, s.lines)
		if err != nil {
			return err
		}
		key, err := screen.Key()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		switch slot := cursor.press(key, len(s.question)); {
		case slot >= 0:
			err = s.tell(slot)
		case key == "s":
			err = s.tell(skipped)
		case key == "u":
			err = s.undo()
		case key == "q" || key == terminal.KeyInterrupt:
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A cursor is the card that the arrow keys have reached.
type cursor struct{ slot int }

// press returns the slot that a key picks, or skipped. Arrow keys move the cursor, other keys reset it.
func (c *cursor) press(key string, shown int) int {
	at := c.slot
	c.slot = 0
	switch {
	case key == terminal.KeyRight:
		c.slot = (at + 1) % shown
	case key == terminal.KeyLeft:
		c.slot = (at + shown - 1) % shown
	case key == terminal.KeyEnter:
		return at
	case len(key) == 1 && key[0] >= '1' && int(key[0]-'1') < shown:
		return int(key[0] - '1')
	}
	return skipped
}
