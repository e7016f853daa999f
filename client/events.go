package client

import (
	"bufio"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"

	"bestpick/wire"
)

// Events iterates over the verdicts of a study: the current one first, then each change. It ends
// with an error, or without one when the server stops.
func (c *Client) Events(ctx context.Context, study string) iter.Seq2[wire.Verdict, error] {
	return func(yield func(wire.Verdict, error) bool) {
		reply, err := c.do(ctx, request{method: http.MethodGet, path: at(study, "events")})
		if err != nil {
			yield(wire.Verdict{}, err)
			return
		}
		defer finish(reply)
		const longest = 16 << 20
		lines := bufio.NewScanner(reply.Body)
		lines.Buffer(nil, longest)
		var event string
		var data []string
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ":")
			value = strings.TrimPrefix(value, " ")
			switch {
			case name == "event":
				event = value
			case name == "data":
				data = append(data, value)
			case lines.Text() == "" && data != nil:
				verdict, err := readEvent(event, strings.Join(data, "\n"))
				if !yield(verdict, err) || err != nil {
					return
				}
				event, data = "", nil
			}
		}
		if err := lines.Err(); err != nil {
			yield(wire.Verdict{}, err)
		}
	}
}

func readEvent(event, data string) (v wire.Verdict, err error) {
	if event == "problem" {
		problem := &Error{}
		if err := json.Unmarshal([]byte(data), &problem.Problem); err != nil {
			return v, err
		}
		return v, problem
	}
	return v, json.Unmarshal([]byte(data), &v)
}
