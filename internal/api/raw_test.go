package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
)

// A raw is a received reply.
type raw struct {
	status int
	header http.Header
	text   string
}

// read decodes the reply as JSON.
func (r raw) read(out any) error { return json.Unmarshal([]byte(r.text), out) }

// A sent is a request that package client would not send.
type sent struct {
	token, method, path string
	kind, body          string
	headers             []string // alternating names and values
}

// send sends a request. Paths are relative to /api/v1 unless they are absolute.
func (s *stage) send(r sent) raw {
	s.Helper()
	address := s.url + "/api/v1" + r.path
	if strings.HasPrefix(r.path, "//") {
		address = s.url + r.path[1:]
	}
	request, err := http.NewRequestWithContext(context.WithoutCancel(s.Context()), r.method, address, strings.NewReader(r.body))
	s.must(err)
	if r.token != "" {
		request.Header.Set("Authorization", "Bearer "+r.token)
	}
	if r.kind != "" {
		request.Header.Set("Content-Type", r.kind)
	}
	for i := 0; i < len(r.headers); i += 2 {
		request.Header.Add(r.headers[i], r.headers[i+1])
	}
	reply, err := s.owner.HTTP.Do(request)
	s.must(err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	s.must(err)
	return raw{reply.StatusCode, reply.Header, string(text)}
}

// get reads a path as the owner.
func (s *stage) get(path string, out any) {
	s.Helper()
	reply := s.send(sent{token: s.owner.Token, method: http.MethodGet, path: path})
	if reply.status != http.StatusOK {
		s.Fatalf("GET %s: %d %s", path, reply.status, reply.text)
	}
	s.must(reply.read(out))
}

// A part is a field of a form, or a file if it has a file name.
type part struct{ field, file, text string }

// form encodes parts as a form, and returns its content type and body.
func (s *stage) form(parts ...part) (kind, body string) {
	s.Helper()
	var text bytes.Buffer
	form := multipart.NewWriter(&text)
	for _, p := range parts {
		if p.file == "" {
			s.must(form.WriteField(p.field, p.text))
			continue
		}
		w, err := form.CreateFormFile(p.field, p.file)
		s.must(err)
		_, err = w.Write([]byte(p.text))
		s.must(err)
	}
	s.must(form.Close())
	return form.FormDataContentType(), text.String()
}

// replace replaces old texts by new ones, given as pairs.
func replace(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }

// formed returns a request with a form.
func (s *stage) formed(r sent, parts ...part) sent {
	s.Helper()
	r.kind, r.body = s.form(parts...)
	return r
}
