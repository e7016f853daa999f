// Package client is a Go client of bestpick's HTTP API. Each method sends one request; package wire
// has the types of requests and replies.
//
//	c := &client.Client{URL: "http://localhost:8080", Token: token}
//	created, err := c.Create(ctx, client.NewStudy{Name: "Coffee", Catalogue: client.File{Name: "arms.csv", Contents: file}})
//	_, err = c.Open(ctx, created.Study.ID)
//	…
//	question, err := c.Ask(ctx, created.Study.ID, wire.Ask{Respondent: "ann"})
//	err = c.Answer(ctx, created.Study.ID, question.Token, question.Arms[0].ID)
//	…
//	verdict, err := c.Verdict(ctx, created.Study.ID)
//
// Respondents need no token; owners and viewers do. Methods return an [*Error] for a problem
// reported by the server; [Is] tests for its type:
//
//	if client.Is(err, wire.StudyDone) { … }
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"bestpick/wire"
)

// A Client sends requests to one server. Safe for concurrent use.
type Client struct {
	// URL is the address of the server, such as http://localhost:8080.
	URL string

	// Token is the token of an owner or a viewer. Respondents need none.
	Token string

	// HTTP sends the requests. Defaults to http.DefaultClient.
	HTTP *http.Client
}

// An Error is a problem reported by the server.
type Error struct{ wire.Problem }

// Error returns the detail of the problem in one line, or one line for each invalid field of the
// request.
func (e *Error) Error() string {
	lines := make([]string, 0, len(e.Errors))
	for _, detail := range e.Errors {
		lines = append(lines, strings.TrimPrefix(detail.Location+": "+detail.Message, ": "))
	}
	switch {
	case len(lines) > 0:
		return strings.Join(lines, "\n")
	case e.Detail != "":
		return e.Detail
	}
	return e.Title
}

// Is reports whether err is a problem of the given type, such as [wire.StudyDone].
func Is(err error, kind string) bool {
	problem, ok := errors.AsType[*Error](err)
	return ok && problem.Type == kind
}

// A request is an HTTP request to the API.
type request struct {
	method, path string
	query        url.Values
	version      int    // of the study, 0 for any
	in           any    // the body as JSON, or nil
	kind         string // content type of another body
	body         io.Reader
}

// do sends a request and returns a successful reply. The caller must close its body.
func (c *Client) do(ctx context.Context, r request) (*http.Response, error) {
	address := strings.TrimSuffix(c.URL, "/") + "/api/v1" + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	if r.in != nil {
		text, err := json.Marshal(r.in)
		if err != nil {
			return nil, err
		}
		r.kind, r.body = "application/json", bytes.NewReader(text)
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, address, r.body)
	if err != nil {
		return nil, err
	}
	if c.Token != "" {
		sent.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if r.kind != "" {
		sent.Header.Set("Content-Type", r.kind)
	}
	if r.version != 0 {
		sent.Header.Set("If-Match", strconv.Quote(strconv.Itoa(r.version)))
	}
	sender := c.HTTP
	if sender == nil {
		sender = http.DefaultClient
	}
	reply, err := sender.Do(sent)
	if err != nil {
		return nil, err
	}
	if reply.StatusCode < 300 {
		return reply, nil
	}
	defer finish(reply)
	problem := &Error{}
	const most = 1 << 20
	if json.NewDecoder(io.LimitReader(reply.Body, most)).Decode(&problem.Problem) != nil || problem.Status == 0 {
		problem.Problem = wire.Problem{Status: reply.StatusCode, Title: reply.Status}
	}
	return nil, problem
}

// call sends a request and decodes the JSON reply into out, unless out is nil.
func (c *Client) call(ctx context.Context, r request, out any) error {
	reply, err := c.do(ctx, r)
	if err != nil {
		return err
	}
	defer finish(reply)
	if out == nil {
		_, err = io.Copy(io.Discard, reply.Body)
		return err
	}
	if err := json.NewDecoder(reply.Body).Decode(out); err != nil {
		return fmt.Errorf("client: decode the reply to %s %s: %w", r.method, r.path, err)
	}
	return nil
}

// finish closes a reply.
func finish(reply *http.Response) { _ = reply.Body.Close() } // a read-only body

// send sends a request and returns the reply.
func send[T any](ctx context.Context, c *Client, r request) (reply T, err error) {
	err = c.call(ctx, r, &reply)
	return reply, err
}

// get reads a resource.
func get[T any](ctx context.Context, c *Client, path string) (T, error) {
	return send[T](ctx, c, request{method: http.MethodGet, path: path})
}

// getPage reads a page of a list, the first one without a cursor.
func getPage[T any](ctx context.Context, c *Client, path, cursor string) (T, error) {
	r := request{method: http.MethodGet, path: path}
	if cursor != "" {
		r.query = url.Values{"cursor": {cursor}}
	}
	return send[T](ctx, c, r)
}

// post sends JSON and returns the reply.
func post[T any](ctx context.Context, c *Client, path string, in any) (T, error) {
	return send[T](ctx, c, request{method: http.MethodPost, path: path, in: in})
}

// tell sends JSON and discards the reply.
func (c *Client) tell(ctx context.Context, path string, in any) error {
	return c.call(ctx, request{method: http.MethodPost, path: path, in: in}, nil)
}

// at returns the path of a resource of a study.
func at(study string, more ...string) string {
	return "/" + strings.Join(append([]string{"studies", url.PathEscape(study)}, more...), "/")
}
