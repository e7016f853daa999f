package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"bestpick/choice"
	"bestpick/internal/catalogue/archive"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// An askSession is a conversation of one person with one strategy. It appends answers to a file, one per line,
// and restores its state by replaying them.
type askSession struct {
	arms     *archive.Catalogue
	card     func(arm int) archive.Card
	settings racing.Settings
	racing   *racing.Racing
	question choice.Question // the current one
	answers  []askAnswer
	file     *os.File
	ends     []int64 // of the lines, the first of which is the header
}

// skipped is the slot of a skipped question.
const skipped = -1

// An askHeader is the first line of the file. It identifies the arms and the settings.
type askHeader struct {
	About   string  `json:"about"` // a hash of the arms
	K       int     `json:"k"`
	Delta   float64 `json:"delta"`
	Epsilon float64 `json:"epsilon"`

	PerOption bool `json:"per_option,omitempty"`
}

// An askAnswer is one of the other lines.
type askAnswer struct {
	Shown []string `json:"shown"`          // ids of arms
	Pick  string   `json:"pick,omitempty"` // one of them, unless it was skipped
}

// openSession continues with the answers of a file, or creates it.
func openSession(path string, arms *archive.Catalogue, settings racing.Settings) (*askSession, error) {
	s := &askSession{arms: arms, card: arms.Cards(), settings: settings}
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
func (s *askSession) load() error {
	text, err := io.ReadAll(s.file)
	if err != nil {
		return err
	}
	header := askHeader{about(s.arms.Arms), s.settings.K, s.settings.Delta, s.settings.Epsilon, s.settings.Model.Intercepts}
	reader := bufio.NewReader(bytes.NewReader(text))
	for number, at := 1, int64(0); ; number++ {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		at += int64(len(line))
		if number == 1 {
			var there askHeader
			if json.Unmarshal(line, &there) != nil || there != header {
				return errors.New("the saved answers belong to other options or settings; --anew discards them, --answers names another file")
			}
		} else {
			var answer askAnswer
			if err := json.Unmarshal(line, &answer); err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
			s.answers = append(s.answers, answer)
		}
		s.ends = append(s.ends, at)
	}
	if len(s.ends) == 0 {
		if err := s.write(header); err != nil {
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
func (s *askSession) write(line any) error {
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
func (s *askSession) replay() error {
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
func (s *askSession) ids() []string {
	ids := make([]string, len(s.question))
	for i, arm := range s.question {
		ids[i] = s.arms.Arms.ID(arm)
	}
	return ids
}

// tell saves an answer and counts it.
func (s *askSession) tell(slot int) error {
	answer := askAnswer{Shown: s.ids()}
	if slot != skipped {
		answer.Pick = answer.Shown[slot]
	}
	if err := s.write(answer); err != nil {
		return err
	}
	s.answers = append(s.answers, answer)
	return s.count(slot)
}

// count passes an answer to the strategy and asks the next question. A skipped question stays unanswered.
func (s *askSession) count(slot int) error {
	if slot != skipped {
		if err := s.racing.Tell(choice.Answer{Question: s.question, Picks: []int{slot}}); err != nil {
			return err
		}
	}
	return s.next()
}

// next asks another question, if possible with other arms than the last one.
func (s *askSession) next() (err error) {
	const soon = 10
	last := slices.Sorted(slices.Values(s.question))
	s.question = nil
	for range soon {
		if s.decided() {
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
func (s *askSession) undo() error {
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

func (s *askSession) verdict() strategy.Verdict { return s.racing.Verdict() }

func (s *askSession) decided() bool { return s.verdict().Status != strategy.Asking }

// says returns the verdict in words.
func (s *askSession) says() string {
	v := s.verdict()
	name := cardName(s.card(v.Leader))
	switch {
	case v.Status == strategy.Certified:
		return fmt.Sprintf("%s is your favourite, after %s. That is wrong at most once in %.0f times.", name, answersSaid(v.Answered), 1/s.settings.Delta)
	case v.Status != strategy.Asking:
		return fmt.Sprintf("%s leads after %s, and nothing can be certain: %s", name, answersSaid(v.Answered), v.Model.Sentence)
	case v.Answered == 0:
		return "Nothing is known yet."
	}
	text := fmt.Sprintf("%s leads after %s; %s", name, answersSaid(v.Answered), possible(len(v.Contenders)-1+v.Others))
	if v.Forecast.Known {
		text += "; " + likely(v.Forecast)
	}
	return text + "."
}

// evidence returns the evidence against a contender, as a share of the threshold.
func (s *askSession) evidence(arm strategy.Standing) float64 {
	return arm.Evidence / math.Log(1/s.settings.Delta)
}

// Close closes the file.
func (s *askSession) Close() error { return s.file.Close() }

// cardName returns the display name of an arm.
func cardName(c archive.Card) string {
	if c.Label != "" {
		return visible(c.Label)
	}
	return visible(c.ID)
}
