package hostile

import (
	"strings"
	"unicode/utf16"
)

// damagedText is a text of which something was lost, or to which something was added.
func (m *maker) damagedText(text string) string {
	at := 0
	if len(text) > 0 {
		at = m.dice.below(len(text))
	}
	switch m.dice.below(10) {
	case 0:
		return text[:at]
	case 1:
		return text[at:]
	case 2:
		return ""
	case 3:
		return text[:at] + choose(m.dice, m.texts) + text[at:]
	case 4:
		return text[:at] + string([]byte{byte(m.dice.below(256))}) + text[min(at+1, len(text)):]
	case 5:
		return text + text
	case 6:
		return text + choose(m.dice, m.texts)
	case 7:
		return "\ufeff" + text
	case 8:
		return asUTF16(text)
	}
	return text + strings.Repeat(" ", 2<<20)
}

func asUTF16(text string) string {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return string(out)
}

// damagedBytes is a file of which some bytes are others.
func (m *maker) damagedBytes(text string) string {
	if text == "" {
		return text
	}
	bytes := []byte(text)
	for range 1 + m.dice.below(8) {
		bytes[m.dice.below(len(bytes))] = byte(m.dice.below(256))
	}
	return string(bytes)
}
