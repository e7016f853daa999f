// Package interview finds the favourite of one person, who answers in a terminal.
package interview

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"bestpick/choice"
	"bestpick/internal/catalogue/archive"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// A Session is the interview of one person by one strategy. It appends answers to a file, one per line, and restores
// its state by replaying them. Not safe for concurrent use.
type Session struct {
	arms     *archive.Catalogue
	card     func(arm int) archive.Card
	settings racing.Settings
	racing   racing.Race
	question choice.Question // the current one
	answers  []answer
	file     *os.File
	ends     []int64 // of the lines, the first of which is the header
}

// skipped is the slot of a skipped question.
const skipped = -1

// A header is the first line of the file. It identifies the arms and the settings.
type header struct {
	About   string  `json:"about"` // a hash of the arms
	K       int     `json:"k"`
	Delta   float64 `json:"delta"`
	Epsilon float64 `json:"epsilon"`

	PerOption bool `json:"per_option,omitempty"`
}

// An answer is one of the other lines.
type answer struct {
	Shown []string `json:"shown"`          // ids of arms
	Pick  string   `json:"pick,omitempty"` // one of them, unless it was skipped
}

// Open continues with the answers of a file, or creates it. It returns an error if the answers are about other arms or
// settings.
func Open(path string, arms *archive.Catalogue, settings racing.Settings) (*Session, error) {
	s := &Session{arms: arms, card: arms.Cards(), settings: settings}
	var err error
	if s.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if err := s.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), s.file.Close())
	}
	return s, nil
}

// load reads the file. It removes an incomplete last line, as after a crash, which was not acknowledged.
func (s *Session) load() error {
	text, err := io.ReadAll(s.file)
	if err != nil {
		return err
	}
	want := header{about(s.arms.Arms), s.settings.K, s.settings.Delta, s.settings.Epsilon, s.settings.Model.Intercepts}
	reader := bufio.NewReader(bytes.NewReader(text))
	for number, at := 1, int64(0); ; number++ {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		at += int64(len(line))
		if number == 1 {
			var found header
			err := json.Unmarshal(line, &found)
			if err != nil || found != want {
				return errors.New("the saved answers belong to other options or settings; --anew discards them, --answers names another file")
			}
		} else {
			var given answer
			if err := json.Unmarshal(line, &given); err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
			s.answers = append(s.answers, given)
		}
		s.ends = append(s.ends, at)
	}
	if len(s.ends) == 0 {
		if err := s.write(want); err != nil {
			return err
		}
	}
	return s.replay()
}

// about returns a hash of the arms, on which the strategy's questions depend.
func about(arms *choice.Catalogue) string {
	hash := sha256.New()
	for arm := range arms.Len() {
		_, _ = fmt.Fprintf(hash, "%q %v\n", arms.ID(arm), arms.Arm(arm)) // writing to a hash never fails
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// write appends a line to the file.
func (s *Session) write(line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	at := int64(0)
	if len(s.ends) > 0 {
		at = s.ends[len(s.ends)-1]
	}
	if _, err := s.file.WriteAt(append(text, '\n'), at); err != nil {
		return err
	}
	s.ends = append(s.ends, at+int64(len(text))+1)
	return s.file.Truncate(s.ends[len(s.ends)-1])
}

// replay restores the strategy from the answers, and asks the next question.
func (s *Session) replay() error {
	var err error
	if s.racing, err = racing.New(s.arms.Arms, s.settings); err != nil {
		return err
	}
	s.question = nil
	if err := s.next(); err != nil {
		return err
	}
	for i, a := range s.answers {
		if !slices.Equal(a.Shown, s.ids()) {
			return fmt.Errorf("line %d: the strategy would not ask about these options; --anew starts over", i+2)
		}
		if err := s.count(slices.Index(a.Shown, a.Pick)); err != nil {
			return fmt.Errorf("line %d: %w", i+2, err)
		}
	}
	return nil
}

// ids returns the ids of the arms of the current question.
func (s *Session) ids() []string {
	ids := make([]string, len(s.question))
	for i, arm := range s.question {
		ids[i] = s.arms.Arms.ID(arm)
	}
	return ids
}

// tell saves the pick of a slot, or skipped, and counts it.
func (s *Session) tell(slot int) error {
	given := answer{Shown: s.ids()}
	if slot != skipped {
		given.Pick = given.Shown[slot]
	}
	if err := s.write(given); err != nil {
		return err
	}
	s.answers = append(s.answers, given)
	return s.count(slot)
}

// count passes an answer to the strategy and asks the next question. A skipped question stays unanswered.
func (s *Session) count(slot int) error {
	if slot != skipped {
		if err := s.racing.Tell(choice.Answer{Question: s.question, Picks: []int{slot}}); err != nil {
			return err
		}
	}
	return s.next()
}

// next asks another question, if possible with other arms than the last one.
func (s *Session) next() (err error) {
	const soon = 10
	last := slices.Sorted(slices.Values(s.question))
	s.question = nil
	for range soon {
		if s.Decided() {
			return nil
		}
		s.question, err = s.racing.Ask()
		if err != nil || !slices.Equal(slices.Sorted(slices.Values(s.question)), last) {
			return err
		}
	}
	return nil
}

// undo removes the last answer, if there is one.
func (s *Session) undo() error {
	if len(s.answers) == 0 {
		return nil
	}
	last := len(s.answers) - 1
	s.answers, s.ends = s.answers[:last], s.ends[:last+1]
	if err := s.file.Truncate(s.ends[last]); err != nil {
		return err
	}
	return s.replay()
}

// Decided reports whether the strategy has stopped.
func (s *Session) Decided() bool { return s.racing.Verdict().Status != strategy.Asking }

// Close closes the file.
func (s *Session) Close() error { return s.file.Close() }
