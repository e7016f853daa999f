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

	"bestpick/catalogue/archive"
	"bestpick/choice"
	"bestpick/strategy"
)

// An askSession is one person and one strategy. Answers go to a file, a line each, and what they lead to
// is found again by telling them again.
type askSession struct {
	arms     *archive.Catalogue
	card     func(arm int) archive.Card
	settings strategy.Settings
	racing   *strategy.Racing
	question choice.Question // the one that is being asked
	answers  []askAnswer
	file     *os.File
	ends     []int64 // of the lines, the first of which is the header
}

// skipped is the slot of nobody's pick.
const skipped = -1

// An askHeader is the first line of the file: what the answers are about.
type askHeader struct {
	About   string  `json:"about"` // a hash of the arms
	K       int     `json:"k"`
	Delta   float64 `json:"delta"`
	Epsilon float64 `json:"epsilon"`
}

// An askAnswer is another line.
type askAnswer struct {
	Shown []string `json:"shown"`          // ids of arms
	Pick  string   `json:"pick,omitempty"` // one of them, unless it was skipped
}

// openSession goes on with the answers in a file, or begins one.
func openSession(path string, arms *archive.Catalogue, settings strategy.Settings) (*askSession, error) {
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

// load reads the file. A last line that is cut off, as after a crash, was not acknowledged and goes.
func (s *askSession) load() error {
	text, err := io.ReadAll(s.file)
	if err != nil {
		return err
	}
	header := askHeader{about(s.arms.Arms), s.settings.K, s.settings.Delta, s.settings.Epsilon}
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
				return errors.New("the answers are about other options, or were given with other settings; --anew throws them away, --answers names another file")
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

// about is a hash of arms: what a question of the strategy depends on.
func about(arms *choice.Catalogue) string {
	hash := sha256.New()
	for arm := range arms.Len() {
		_, _ = fmt.Fprintf(hash, "%q %v\n", arms.ID(arm), arms.Arm(arm)) // a hash takes everything
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// write adds a line to the file.
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

// replay makes the strategy what the answers make of it, and asks the next question.
func (s *askSession) replay() error {
	var err error
	if s.racing, err = strategy.NewRacing(s.arms.Arms, s.settings); err != nil {
		return err
	}
	s.question = nil
	if err := s.next(); err != nil {
		return err
	}
	for i, a := range s.answers {
		if !slices.Equal(a.Shown, s.ids()) {
			return fmt.Errorf("line %d: these options would not be asked about here; --anew begins anew", i+2)
		}
		if err := s.count(slices.Index(a.Shown, a.Pick)); err != nil {
			return fmt.Errorf("line %d: %w", i+2, err)
		}
	}
	return nil
}

// ids are those of the arms in question.
func (s *askSession) ids() []string {
	ids := make([]string, len(s.question))
	for i, arm := range s.question {
		ids[i] = s.arms.Arms.ID(arm)
	}
	return ids
}

// tell writes an answer down and counts it.
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

// count tells the strategy an answer and asks the next question. One that was skipped stays unanswered.
func (s *askSession) count(slot int) error {
	if slot != skipped {
		if err := s.racing.Tell(choice.Answer{Question: s.question, Picks: []int{slot}}); err != nil {
			return err
		}
	}
	return s.next()
}

// next asks another question: one that shows other arms than the last, if there is one soon.
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

// undo takes the last answer back, if there is one.
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

// says is the verdict in words.
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

// evidence is that against a contender, as a share of what refutes it.
func (s *askSession) evidence(arm strategy.Standing) float64 {
	return arm.Evidence / math.Log(1/s.settings.Delta)
}

// Close closes the file.
func (s *askSession) Close() error { return s.file.Close() }

// cardName is what to call an arm.
func cardName(c archive.Card) string {
	if c.Label != "" {
		return visible(c.Label)
	}
	return visible(c.ID)
}
