package hostile

import (
	"fmt"
	"io"
	"strings"
)

// A Request is one as it goes over the wire, HTTP/1.1.
type Request struct {
	Operation string
	Method    string // not always the one of the operation
	Study     string // the one of its scene
	Cut       bool   // less comes than was announced

	head, body string
	padding    int64 // how many spaces follow
}

// Reader returns what is sent.
func (r Request) Reader() io.Reader {
	return io.MultiReader(strings.NewReader(r.head), strings.NewReader(r.body), io.LimitReader(spaces{}, r.padding))
}

// String is the request, not all of it where it is long.
func (r Request) String() string {
	const most = 2000
	return fmt.Sprintf("%s: %.2000q… %d bytes, then %d spaces; starts with %.2000q", r.Operation, r.head[:min(len(r.head), most)], len(r.body), r.padding, r.body[:min(len(r.body), most)])
}

// spaces are without end.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// inChunks is the header of a body in pieces.
const inChunks = "Transfer-Encoding: chunked"

// huge is how large bodies are that are far too large.
const huge = 100 << 20

// framed is a request with a body, of which what is announced may be wrong.
func (m *maker) framed(method, address string, headers []string, body string) Request {
	r := Request{Method: method, body: body}
	length := fmt.Sprintf("Content-Length: %d", len(body))
	if m.odd(8) {
		switch m.dice.below(8) {
		case 0:
			r.Cut, r.body = true, body[:len(body)/2]
		case 1:
			r.Cut, length = true, fmt.Sprintf("Content-Length: %d", int64(len(body))+1<<40)
		case 2:
			r.padding, length = huge, fmt.Sprintf("Content-Length: %d", len(body)+huge)
		case 3:
			length, r.body = inChunks, m.chunked(body)+"0\r\n\r\n"
		case 4:
			length, r.body, r.Cut = inChunks, m.chunked(body), true
		case 5:
			length, r.body, r.Cut = inChunks, m.chunked(body)+"zz\r\n", true
		case 6:
			r.Cut, length, r.body, r.padding = true, inChunks, fmt.Sprintf("%x\r\n%s", len(body)+huge, body), huge
		case 7:
			length = fmt.Sprintf("Content-Length: %d", len(body)/2)
		}
	}
	if body != "" || method != "GET" {
		headers = append(headers, length)
	}
	r.head = fmt.Sprintf("%s %s HTTP/1.1\r\n%s\r\n\r\n", method, address, strings.Join(headers, "\r\n"))
	return r
}

// chunked is a body in pieces.
func (m *maker) chunked(body string) string {
	var text strings.Builder
	for len(body) > 0 {
		n := min(len(body), 1+m.dice.below(10_000))
		fmt.Fprintf(&text, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return text.String()
}
