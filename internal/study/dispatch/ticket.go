package dispatch

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"time"

	"bestpick/internal/study"
)

// A Ticket is the content of a token: a question that a respondent was asked. The token is signed,
// so it cannot be forged, and the store need not keep open questions. It is not encrypted: it has no
// count of questions, which callers who merely claim a name must not learn.
type Ticket struct {
	Study      study.Study // the token only has its id
	Position   study.Position
	Plan       int
	Shown      []int // arms, in the order on the screen
	Respondent string
	Segment    string
	Key        string // the hash of a panel member's key
	Asked      time.Time
}

// Picks returns the number of arms to pick.
func (t Ticket) Picks() int { return t.Study.Settings.Wanted(len(t.Shown)) }

// ticketForm is the first byte of a ticket's text, the version of its format.
const ticketForm = 1

// text encodes a ticket: numbers as varints, texts and lists with their length first. It is
// compact, because respondents send it with every answer.
func (t Ticket) text() []byte {
	text := append(make([]byte, 0, 128), ticketForm)
	text = appendText(text, t.Study.ID)
	text = binary.AppendVarint(text, int64(t.Position))
	text = binary.AppendVarint(text, int64(t.Plan))
	text = binary.AppendVarint(text, int64(len(t.Shown)))
	for _, arm := range t.Shown {
		text = binary.AppendVarint(text, int64(arm))
	}
	text = appendText(text, t.Respondent)
	text = appendText(text, t.Segment)
	text = appendText(text, t.Key)
	return binary.AppendVarint(text, t.Asked.UnixMicro())
}

func appendText(to []byte, text string) []byte {
	return append(binary.AppendVarint(to, int64(len(text))), text...)
}

// readTicket decodes a ticket that text has encoded.
func readTicket(text []byte) (t Ticket, ok bool) {
	if len(text) == 0 || text[0] != ticketForm {
		return Ticket{}, false
	}
	r := ticketReader{text: text[1:]}
	t = Ticket{
		Study: study.Study{ID: r.string()}, Position: study.Position(r.number()), Plan: int(r.number()), Shown: make([]int, r.length()),
	}
	for i := range t.Shown {
		t.Shown[i] = int(r.number())
	}
	t.Respondent, t.Segment, t.Key = r.string(), r.string(), r.string()
	t.Asked = time.UnixMicro(r.number()).UTC()
	return t, !r.bad && len(r.text) == 0
}

// A ticketReader decodes values one by one. Values that cannot be read are zero.
type ticketReader struct {
	text []byte
	bad  bool
}

func (r *ticketReader) number() int64 {
	n, size := binary.Varint(r.text)
	if size <= 0 {
		r.bad, r.text = true, nil
		return 0
	}
	r.text = r.text[size:]
	return n
}

// length reads a number of elements that take at least a byte each.
func (r *ticketReader) length() int {
	n := r.number()
	if n < 0 || n > int64(len(r.text)) {
		r.bad = true
		return 0
	}
	return int(n)
}

func (r *ticketReader) string() string {
	n := r.length()
	text := string(r.text[:n])
	r.text = r.text[n:]
	return text
}

// sign returns the token of a ticket: its text and MAC, encoded as letters.
func (t Ticket) sign(sum MAC) string {
	text := t.text()
	return base64.RawURLEncoding.EncodeToString(append(sum(text), text...))
}

// open returns the ticket of a token, if one of the MACs is valid.
func open(token string, sum MAC, others ...MAC) (Ticket, error) {
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(data) <= sha256.Size {
		return Ticket{}, study.ErrToken
	}
	valid := func(sum MAC) bool { return hmac.Equal(data[:sha256.Size], sum(data[sha256.Size:])) }
	if !valid(sum) && !slices.ContainsFunc(others, valid) {
		return Ticket{}, study.ErrToken
	}
	t, ok := readTicket(data[sha256.Size:])
	if !ok {
		return Ticket{}, study.ErrToken
	}
	return t, nil
}

// A MAC computes the message authentication code of a text.
type MAC func(text []byte) []byte

// NewMAC returns HMAC-SHA-256 with a secret.
func NewMAC(secret []byte) MAC {
	return func(text []byte) []byte {
		hash := hmac.New(sha256.New, secret)
		hash.Write(text)
		return hash.Sum(nil)
	}
}
