package endtoend

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
)

const (
	jsonType = "application/json"
	formType = "multipart/form-data"
)

// A fuzzRequest is an HTTP/1.1 request as it goes over the wire.
type fuzzRequest struct {
	Operation string
	Method    string // may differ from that of the operation
	Study     string // the ID of the study that it refers to
	Cut       bool   // the body is shorter than announced

	head, body string
	padding    int64 // spaces after the body
}

// Reader returns the bytes to send.
func (r fuzzRequest) Reader() io.Reader {
	return io.MultiReader(strings.NewReader(r.head), strings.NewReader(r.body), io.LimitReader(spaces{}, r.padding))
}

// String describes the request, abridged.
func (r fuzzRequest) String() string {
	const most = 2000
	return fmt.Sprintf("%s: %.2000q… %d bytes, then %d spaces; starts with %.2000q", r.Operation, r.head[:min(len(r.head), most)],
		len(r.body), r.padding, r.body[:min(len(r.body), most)])
}

// spaces is an endless reader.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// A generator builds one request.
type generator struct {
	*apiSpec

	fixtures *fuzzFixtures
	choices  *fuzzChoices
	faulty   bool // allows faults
	study    fuzzStudy
	question fuzzQuestion
}

// request builds a request that refers to fixtures. One in three has no deliberate faults.
func (s *apiSpec) request(fixtures *fuzzFixtures, choices *fuzzChoices) fuzzRequest {
	o := choose(choices, s.operations)
	g := &generator{apiSpec: s, fixtures: fixtures, choices: choices, faulty: choices.below(3) > 0}
	g.study = choose(choices, fixtures.Studies)
	asked := g.study
	if g.fault(8) {
		asked = choose(choices, fixtures.Studies)
	}
	if len(asked.Questions) > 0 {
		g.question = choose(choices, asked.Questions)
	}
	mediaType, body := "", ""
	if content, is := o.Body.Content[jsonType]; is {
		mediaType, body = jsonType, g.json(content.Schema)
	}
	if content, is := o.Body.Content[formType]; is && (mediaType == "" || choices.oneIn(2)) {
		mediaType, body = g.form(content.Schema, func(field string) bool { return content.Encoding[field].ContentType == jsonType })
	}
	if body == "" && g.fault(20) {
		body = choose(choices, oddValues)
	}
	method := o.method
	if g.fault(40) {
		method = choose(choices, []string{"HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "get", "X"})
	}
	r := g.frame(method, g.address(o), g.headers(o, mediaType), body)
	r.Operation, r.Study = o.ID, g.study.ID
	return r
}

// fault reports with probability 1/n that a fault is due.
func (g *generator) fault(n int) bool { return g.faulty && g.choices.oneIn(n) }

// address returns the path of an operation with a query.
func (g *generator) address(o operation) string {
	study := g.study.ID
	if g.fault(20) {
		study = choose(g.choices, append([]string{"none", "..", g.fixtures.Owner, g.question.Token}, oddStrings...))
	}
	path := g.prefix + strings.ReplaceAll(o.path, "{study}", url.PathEscape(abridged(study)))
	var query []string
	for _, p := range o.Parameters {
		if p.In != "query" || !g.choices.oneIn(2) {
			continue
		}
		query = append(query, p.Name+"="+url.QueryEscape(g.parameter(p)))
		if g.fault(10) {
			query = append(query, query[len(query)-1])
		}
	}
	if g.fault(20) {
		query = append(query, choose(g.choices,
			[]string{
				"page=2", "%zz", "%ff=1", "limit", ";", "a=%00", "cursor[]=1", "limit=1;limit=2", strings.Repeat("a=1&", 2000),
				"access_token=" + g.fixtures.Owner,
			}))
	}
	if g.fault(30) {
		path = choose(g.choices, []string{
			path + "/", "/" + path, strings.ToUpper(path), path + "/..", path + "%2f", path + ".json",
			path + strings.Repeat("/x", 1000), "*", "http://elsewhere" + path,
		})
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	return path
}

// abridged limits a string to a length that an address can have.
func abridged(text string) string { return text[:min(len(text), 5000)] }

func (g *generator) parameter(p parameter) string {
	switch {
	case g.fault(4):
		return abridged(choose(g.choices, slices.Concat(oddStrings, oddNumbers)))
	case p.Name == "cursor":
		return choose(g.choices, []string{g.study.ID, "1", "3", "0"})
	case len(p.Schema.Enum) > 0:
		return choose(g.choices, p.Schema.Enum)
	}
	return g.number(p.Schema)
}

// headers returns all headers except the framing headers of the body.
func (g *generator) headers(o operation, mediaType string) []string {
	headers := []string{"Host: localhost"}
	if token := g.authorization(o); token != "" {
		headers = append(headers, "Authorization: "+token)
	}
	if slices.ContainsFunc(o.Parameters, func(p parameter) bool { return p.Name == "If-Match" }) {
		headers = append(headers, g.ifMatch())
	}
	if g.fault(15) {
		mediaType = choose(g.choices, []string{
			"", "text/plain", jsonType, formType, "application/x-www-form-urlencoded", "application/cbor",
			"application/json; charset=utf-16", "/", "\xff", mediaType + "; x=" + strings.Repeat("y", 20_000),
		})
	}
	if mediaType != "" {
		headers = append(headers, "Content-Type: "+mediaType)
	}
	if g.fault(15) {
		headers = append(headers, choose(g.choices, []string{
			"Content-Encoding: gzip", "Accept: application/cbor", "Accept-Encoding: gzip, br;q=nan", "Range: bytes=0-1,5-2",
			"Expect: nothing", "If-None-Match: *", "X-HTTP-Method-Override: DELETE",
			"Cookie: " + strings.Repeat("a=b; ", 10_000), "Upgrade: h2c\r\nConnection: Upgrade", "Last-Event-ID: -1",
			"X-Forwarded-For: ::1, \x7f", "Authorization: Bearer again", strings.Repeat("X-Many: 1\r\n", 1000) + "TE: trailers",
		}))
	}
	return headers
}

func (g *generator) authorization(o operation) string {
	owner := "Bearer " + g.fixtures.Owner
	switch {
	case g.fault(15):
		return choose(g.choices, []string{
			"", "Bearer", "Basic " + g.fixtures.Owner, g.fixtures.Owner, owner + "\xff",
			strings.ToUpper(owner), "Bearer " + g.question.Token, "Bearer " + strings.Repeat("x", 50_000), owner + ", Bearer x",
		})
	case g.fault(10):
		return "Bearer " + choose(g.choices, g.fixtures.Others)
	case len(o.Security) > 0:
		return owner
	}
	return ""
}

func (g *generator) ifMatch() string {
	if g.fault(4) {
		return choose(g.choices, []string{
			"If-Match: ", `If-Match: "0"`, `If-Match: "99999999999999999999"`, "If-Match: W/" + g.study.ETag,
			`If-Match: ` + g.study.ETag + `, "7"`, `If-Match: "`, "If-Match: " + strings.Repeat(`"1",`, 10_000), "If-Match: \xff",
			`If-Match: "-1"`, `If-None-Match: ` + g.study.ETag,
		})
	}
	return "If-Match: " + choose(g.choices, []string{g.study.ETag, "*"})
}

// huge is a body size far above all limits.
const huge = 100 << 20

// frame assembles a request. The announced length may be wrong.
func (g *generator) frame(method, address string, headers []string, body string) fuzzRequest {
	r := fuzzRequest{Method: method, body: body}
	const chunked = "Transfer-Encoding: chunked"
	framing := fmt.Sprintf("Content-Length: %d", len(body))
	if g.fault(8) {
		chunk := fmt.Sprintf("%x\r\n%s\r\n", len(body), body)
		switch g.choices.below(7) {
		case 0:
			r.Cut, r.body = true, body[:len(body)/2]
		case 1:
			r.Cut, framing = true, fmt.Sprintf("Content-Length: %d", int64(len(body))+1<<40)
		case 2:
			r.padding, framing = huge, fmt.Sprintf("Content-Length: %d", len(body)+huge)
		case 3:
			framing, r.body = chunked, strings.TrimPrefix(chunk, "0\r\n\r\n")+"0\r\n\r\n"
		case 4:
			framing, r.body, r.Cut = chunked, chunk+"zz\r\n", true
		case 5:
			framing, r.body, r.padding, r.Cut = chunked, fmt.Sprintf("%x\r\n%s", len(body)+huge, body), huge, true
		case 6:
			framing = fmt.Sprintf("Content-Length: %d", len(body)/2)
		}
	}
	if body != "" || method != "GET" {
		headers = append(headers, framing)
	}
	r.head = fmt.Sprintf("%s %s HTTP/1.1\r\n%s\r\n\r\n", method, address, strings.Join(headers, "\r\n"))
	return r
}

// fuzzChoices turns bytes into choices: equal bytes make equal choices. After the last byte every choice is the first
// option, which is the plainest. Not safe for concurrent use.
type fuzzChoices struct{ left []byte }

// newChoices returns choices that consume the given bytes.
func newChoices(bytes []byte) *fuzzChoices { return &fuzzChoices{bytes} }

// randomBytes returns n bytes for [newChoices].
func randomBytes(seed uint64, n int) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	bytes := make([]byte, n)
	for i := range bytes {
		bytes[i] = byte(rng.Uint32())
	}
	return bytes
}

// Empty reports whether all bytes are consumed.
func (c *fuzzChoices) Empty() bool { return len(c.left) == 0 }

// below returns a number from 0 to n-1.
func (c *fuzzChoices) below(n int) int {
	const oneByte = 256
	chosen := c.next()
	if n > oneByte {
		chosen |= c.next()<<8 | c.next()<<16
	}
	return chosen % n
}

func (c *fuzzChoices) next() int {
	if c.Empty() {
		return 0
	}
	first := c.left[0]
	c.left = c.left[1:]
	return int(first)
}

// oneIn is true with probability 1/n.
func (c *fuzzChoices) oneIn(n int) bool { return c.below(n) == n-1 }

func choose[T any](c *fuzzChoices, options []T) T { return options[c.below(len(options))] }

// fuzzFixtures are the existing objects that requests refer to.
type fuzzFixtures struct {
	Owner   string   // the token of an owner
	Others  []string // tokens that allow less, or nothing
	Studies []fuzzStudy
	Files   map[string][]fuzzFile // by form field
}

// A fuzzStudy is an existing study.
type fuzzStudy struct {
	ID        string
	ETag      string
	Arms      []string // IDs
	Segments  []string
	Keys      []string // of panel members
	Questions []fuzzQuestion
}

// A fuzzQuestion is an open question.
type fuzzQuestion struct {
	Token string
	Arms  []string
	Picks int
}

// A fuzzFile is a valid upload.
type fuzzFile struct {
	Name     string
	Contents string
	IDs      *fuzzFile // the row IDs of a .npy file
}
