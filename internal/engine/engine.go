// Package engine runs a race for another program, which writes one JSON object per line and reads one
// per line: ask, deal, tell, verdict, snapshot. docs/engine.md describes the protocol.
package engine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"bestpick/strategy/racing"
)

// maxLine bounds a line, so that input that is not meant for the engine cannot fill the memory.
const maxLine = 256 << 20

// An Engine runs at most one race at a time. The zero value has none. Not safe for concurrent use.
type Engine struct{ race *race }

// Serve reads requests until the input ends, and writes the reply to each before it reads the next. It
// skips empty lines. A request that fails has an error in its reply and changes nothing.
func Serve(in io.Reader, out io.Writer) error {
	var e Engine
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if _, err := out.Write(e.Reply(line)); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a line must have at most %d MiB", maxLine>>20)
	}
	return lines.Err()
}

// Reply executes a request and returns the line of its reply.
func (e *Engine) Reply(line []byte) []byte {
	reply, err := e.execute(line)
	if err == nil {
		var text []byte
		if text, err = encode(reply); err == nil {
			return text
		}
	}
	text, _ := encode(failure{err.Error()}) // a text is always valid
	return text
}

// execute finds the command of a request and executes it.
func (e *Engine) execute(line []byte) (any, error) {
	var named command
	if err := json.Unmarshal(line, &named); err != nil {
		return nil, fmt.Errorf("a request must be a JSON object in one line: %w", err)
	}
	switch named.Command {
	case "start": //nolint:goconst // a command of the protocol
		return run(line, startRequest{Settings: wanted{Settings: racing.Settings{Seed: 1}}}, e.start)
	case "restore": //nolint:goconst // a command of the protocol
		return run(line, restoreRequest{}, e.restore)
	}
	command := commands(e.race)[named.Command]
	switch {
	case command == nil:
		return nil, fmt.Errorf(
			"command must be start, restore, ask, deal, tell, lose, end, verdict, estimate, leaderboard or snapshot, got %q",
			named.Command)
	case e.race == nil:
		return nil, fmt.Errorf("%s needs a race: start or restore one first", named.Command)
	}
	return command(line)
}

// commands returns the commands of a race, by name.
//
//nolint:goconst // the names are the protocol
func commands(r *race) map[string]func(line []byte) (any, error) {
	return map[string]func([]byte) (any, error){
		"ask":         func(line []byte) (any, error) { return run(line, askRequest{}, r.ask) },
		"deal":        func(line []byte) (any, error) { return run(line, dealRequest{}, r.deal) },
		"tell":        func(line []byte) (any, error) { return run(line, answerRequest{}, r.tell) },
		"lose":        func(line []byte) (any, error) { return run(line, questionRequest{}, r.lose) },
		"end":         func(line []byte) (any, error) { return run(line, endRequest{}, r.end) },
		"verdict":     func(line []byte) (any, error) { return run(line, plainRequest{}, r.verdict) },
		"estimate":    func(line []byte) (any, error) { return run(line, plainRequest{}, r.estimate) },
		"leaderboard": func(line []byte) (any, error) { return run(line, plainRequest{}, r.leaderboard) },
		"snapshot":    func(line []byte) (any, error) { return run(line, plainRequest{}, r.snapshot) },
	}
}

func (e *Engine) start(r startRequest) (any, error) {
	race, err := newRace(r)
	if err != nil {
		return nil, err
	}
	e.race = race
	return race.started(), nil
}

func (e *Engine) restore(r restoreRequest) (any, error) {
	race, err := restoreRace(r.Snapshot)
	if err != nil {
		return nil, err
	}
	e.race = race
	reply := race.started()
	reply.Options = race.origin.Options
	return reply, nil
}

// run decodes a request over its defaults, and executes it. The request must have no other fields.
func run[R any](line []byte, request R, execute func(R) (any, error)) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&request); err != nil {
		return nil, fmt.Errorf("invalid request: %w", err)
	}
	return execute(request)
}

// encode returns a reply as one line of JSON.
func encode(reply any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(reply)
	return text.Bytes(), err
}
