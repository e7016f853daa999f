package replay

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"time"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
)

// A Report is the result of verifying an exported log.
type Report struct {
	Version  int // of the log
	Study    study.Study
	Verdict  study.Verdict // recomputed, and equal to the one recorded
	Arms     *archive.Catalogue
	Plans    int
	Outcomes int
	Open     int       // outcomes that no plan has counted
	Signer   PublicKey // whose signature the log has
	Trusted  bool      // the signer is the one that the caller trusts
	Notes    []string  // what the log does not prove, in sentences
}

// An ExportError reports the first invalid line of a log. Plan is 0 for lines that are not plans,
// and Field is empty if the problem is not a single field.
type ExportError struct {
	Line, Plan      int
	Field           string
	Found, Expected string
	Problem         string

	cause error
}

func (e *ExportError) Error() string {
	where := fmt.Sprintf("line %d", e.Line)
	if e.Plan != 0 {
		where += fmt.Sprintf(", plan %d", e.Plan)
	}
	return where + ": " + mismatch(e.Field, e.Found, e.Expected, e.Problem)
}

// Unwrap returns the [DivergedError] if the problem is a plan that does not follow from the log before it.
func (e *ExportError) Unwrap() error { return e.cause }

// Verify recomputes an exported study from its log: it repeats every plan and compares the questions and the verdict, and checks
// that the log is complete and ends with a valid signature, of any signer. All errors but those of source are an [ExportError].
// It reads line by line, and keeps the catalogue and the uncounted outcomes in memory.
func Verify(source io.Reader) (Report, error) { return VerifySigned(source, nil) }

// VerifySigned is like Verify, but returns an error unless the log was signed with the private key
// of the given public key, if it is not nil.
func VerifySigned(source io.Reader, key PublicKey) (Report, error) {
	v := verifier{trusted: key, hash: sha256.New()}
	if err := v.eachLine(source, v.read); err != nil {
		return v.report, err
	}
	v.line++
	err := v.end()
	return v.report, v.located(err)
}

// ReadLog reads the study, its arms and all outcomes of an exported log, which it holds in memory. It checks that the log is
// complete and ends with a valid signature, and repeats no plan. All errors but those of source are an [ExportError].
func ReadLog(source io.Reader) (st study.Study, arms *archive.Catalogue, outcomes []study.Outcome, err error) {
	v := verifier{hash: sha256.New()}
	err = v.eachLine(source, func(text []byte) error {
		line, err := parseLine(text)
		switch {
		case err != nil:
			return err
		case v.runner == nil:
			return v.begin(line)
		case line.Closing != nil:
			return v.close(*line.Closing)
		case line.Outcome == nil:
			return nil
		case !isWithin(*line.Outcome, v.report.Study.Arms):
			return &ExportError{Problem: "the outcome shows or picks an option that is not there"}
		}
		return v.outcome(*line.Outcome)
	})
	if err == nil && !v.closed {
		v.line++
		err = v.located(cutOff())
	}
	if err != nil {
		return st, nil, nil, err
	}
	return v.report.Study, v.runner.Arms, v.log, nil
}

// isWithin reports whether an outcome shows arms of a catalogue of this size, and picks shown arms, none or a tie.
func isWithin(o study.Outcome, arms int) bool {
	unknown := func(arm int) bool { return arm < 0 || arm >= arms }
	notShown := func(slot int) bool {
		return slot >= len(o.Shown) || slot < 0 && slot != study.None && slot != study.Tie
	}
	return !slices.ContainsFunc(o.Shown, unknown) && !slices.ContainsFunc(o.Picks, notShown)
}

// eachLine calls read for every line of a log.
func (v *verifier) eachLine(source io.Reader, read func(text []byte) error) error {
	lines := bufio.NewReader(source)
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(text) == 0 {
			return nil
		}
		v.line++
		if err := read(text); err != nil {
			return v.located(err)
		}
		v.hash.Write(text)
	}
}

// A verifier reads an exported log line by line.
type verifier struct {
	trusted PublicKey // nil if any signer is accepted
	report  Report
	line    int // the number of the line being read
	hash    hash.Hash
	runner  *Replayer
	log     []study.Outcome // not yet counted
	known   int64           // the last outcome that a plan knew
	last    study.Plan      // the last plan read
	closed  bool
}

// located adds the line to an error.
func (v *verifier) located(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*ExportError](err); ok {
		if e.Line == 0 {
			e.Line = v.line
		}
		return e
	}
	if e, ok := errors.AsType[*DivergedError](err); ok {
		return &ExportError{
			Line: v.line, Plan: e.Plan, Field: e.Field, Found: e.Found, Expected: e.Expected, Problem: e.Problem,
			cause: err,
		}
	}
	return &ExportError{Line: v.line, Problem: err.Error(), cause: err}
}

// read reads the next line.
func (v *verifier) read(text []byte) error {
	if v.closed {
		return &ExportError{Problem: "a line follows the closing line"}
	}
	line, err := parseLine(text)
	if err != nil {
		return err
	}
	if v.runner == nil {
		if err := v.begin(line); err != nil {
			return err
		}
	}
	if err := line.sameAs(text); err != nil {
		return err
	}
	switch first := v.line == 1; {
	case line.parts() != 1:
		return &ExportError{Problem: "a line must have exactly one of study, outcome, plan and closing"}
	case first:
		return nil
	case line.Outcome != nil:
		return v.outcome(*line.Outcome)
	case line.Plan != nil:
		return v.plan(*line.Plan)
	case line.Closing != nil:
		return v.close(*line.Closing)
	}
	return &ExportError{Problem: "the line is not allowed at this place"}
}

// parseLine reads a line that has fields of an exportLine and no others.
func parseLine(text []byte) (exportLine, error) {
	var line exportLine
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&line); err != nil {
		return exportLine{}, &ExportError{Problem: "not a line of a log: " + err.Error()}
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return exportLine{}, &ExportError{Problem: "unexpected text after the JSON object"}
	}
	return line, nil
}

// parts returns how many of study, outcome, plan and closing a line has.
func (l exportLine) parts() (n int) {
	for _, has := range []bool{
		l.Study != nil || l.Version != 0 || l.Catalogue != nil, l.Outcome != nil, l.Plan != nil,
		l.Closing != nil,
	} {
		if has {
			n++
		}
	}
	return n
}

// sameAs returns an error unless a text is byte for byte the line as Export writes it.
func (l exportLine) sameAs(text []byte) error {
	if l.Outcome != nil {
		o := l.Outcome.Normal()
		l.Outcome = &o
	}
	if l.Plan != nil {
		p := l.Plan.Normal()
		l.Plan = &p
	}
	var expected bytes.Buffer
	if err := json.NewEncoder(&expected).Encode(l); err != nil {
		return &ExportError{Problem: "not a line of a log: " + err.Error()}
	}
	if bytes.Equal(text, expected.Bytes()) {
		return nil
	}
	at := 0
	for at < min(len(text), expected.Len()) && text[at] == expected.Bytes()[at] {
		at++
	}
	return &ExportError{
		Field: fmt.Sprintf("at byte %d", at+1), Found: excerpt(text, at),
		Expected: excerpt(expected.Bytes(), at), Problem: "this is not how bestpick writes the line",
	}
}

// excerpt returns a few bytes of a text from an offset.
func excerpt(text []byte, at int) string {
	const longest = 40
	if at == len(text) {
		return "the end"
	}
	return fmt.Sprintf("%q", text[at:min(len(text), at+longest)])
}

// begin reads the first line.
func (v *verifier) begin(line exportLine) error {
	if line.Study == nil {
		return &ExportError{Problem: "not the first line of a log"}
	}
	if line.Version != exportVersion {
		return altered("bestpick_study", line.Version, exportVersion, "this program reads logs of this version only")
	}
	r, err := New(*line.Study, line.Catalogue)
	if err != nil {
		return &ExportError{Field: "catalogue", Found: "an archive that cannot be read", Expected: "options", Problem: err.Error()}
	}
	v.runner, v.report.Study, v.report.Version = r, *line.Study, line.Version
	if arms := r.Arms.Arms.Len(); line.Study.Arms != arms {
		return &ExportError{Field: "study.arms", Found: strconv.Itoa(line.Study.Arms), Expected: strconv.Itoa(arms)}
	}
	if again, _, err := canonical(line.Catalogue, 0); err != nil || !bytes.Equal(again, line.Catalogue) {
		return &ExportError{Field: "catalogue", Found: "other bytes", Expected: "those that bestpick writes for these options"}
	}
	return nil
}

// outcome reads an outcome.
func (v *verifier) outcome(o study.Outcome) error {
	if next := int64(v.report.Outcomes) + 1; o.Number != next {
		return &ExportError{Field: "outcome.number", Found: strconv.FormatInt(o.Number, 10), Expected: strconv.FormatInt(next, 10)}
	}
	if err := o.Check(); err != nil {
		return &ExportError{Problem: err.Error()}
	}
	v.report.Outcomes++
	v.log = append(v.log, o)
	return nil
}

// plan reads a plan and repeats it.
func (v *verifier) plan(p study.Plan) error {
	v.known = max(v.known, p.LastSeen)
	if outcomes := int64(v.report.Outcomes); v.known != outcomes {
		return differs(p, "known", p.LastSeen, outcomes)
	}
	if p.Verdict == nil {
		return differs(p, "verdict", absent, "a verdict")
	}
	if err := v.mayFollow(p); err != nil {
		return err
	}
	known, _ := Split(v.log, p.LastSeen)
	if err := v.runner.apply(p, known); err != nil {
		return err
	}
	if err := v.checkDone(p); err != nil {
		return err
	}
	_, rest := Split(v.log, p.LastCounted)
	v.log, v.last = slices.Clone(rest), p
	v.report.Plans++
	return nil
}

// stopped reports whether the owner closed the study. Then planning continues until all answers are counted.
func (v *verifier) stopped() bool {
	return v.report.Study.State == study.Done && v.report.Study.Reason.Closed()
}

// mayFollow returns an error if a plan follows a plan that has decided the study, unless it repeats the reason and counts
// the last answers. After a spent budget its owner may have opened it again.
func (v *verifier) mayFollow(p study.Plan) error {
	repeats := p.Done == v.last.Done && len(p.Questions) == 0
	if done := v.last.Done; done != "" && done != study.Lapsed && done != study.Spent && !v.stopped() && !repeats {
		return &DivergedError{Plan: p.Number, Problem: fmt.Sprintf("the study was over with plan %d: %s", v.last.Number, done)}
	}
	return nil
}

// checkDone returns an error if a plan ends the study for a reason that contradicts its verdict. A plan that leaves outcomes to
// count does not end the study, whatever its verdict; checkEnd and the digest detect a removed reason. The budget at the time is
// only known for the last plan, see checkState.
func (v *verifier) checkDone(p study.Plan) error {
	budget := 0
	if p.Done == study.Spent {
		budget = 1
	}
	expected := v.runner.Reason(budget)
	switch {
	case p.Done == "", p.Done == expected, p.Done == v.last.Done, p.Done == study.Lapsed && expected == "" && p.Restart != nil:
		return nil
	}
	return differs(p, "done", shown(p.Done), shown(expected))
}

// close reads the closing line.
func (v *verifier) close(c closing) error {
	if before := v.line - 1; c.Lines != before {
		return &ExportError{
			Field: "closing.lines", Found: strconv.Itoa(c.Lines), Expected: strconv.Itoa(before),
			Problem: "lines were added or are missing",
		}
	}
	if sum := hex.EncodeToString(v.hash.Sum(nil)); c.SHA256 != sum {
		return &ExportError{Field: "closing.sha256", Found: c.SHA256, Expected: sum, Problem: "a line was altered"}
	}
	signer, err := c.signer()
	if err != nil {
		return &ExportError{Field: "closing.signature", Found: shown(c.Signature), Expected: "a signature", Problem: err.Error()}
	}
	if v.trusted != nil && !signer.Equal(v.trusted) {
		return &ExportError{
			Field: "closing.public_key", Found: signer.String(), Expected: v.trusted.String(),
			Problem: "the log is signed with another key",
		}
	}
	v.closed, v.report.Signer, v.report.Trusted = true, signer, v.trusted != nil
	return nil
}

// end checks the log as a whole.
func (v *verifier) end() error {
	switch {
	case v.runner == nil:
		return &ExportError{Problem: "the file is empty"}
	case !v.closed:
		return cutOff()
	}
	if err := v.checkEnd(); err != nil {
		return err
	}
	v.report.Open, v.report.Verdict = len(v.log), v.runner.Verdict()
	v.report.Arms = v.runner.Arms
	v.report.Notes = append(v.notes(), v.report.Notes...)
	return nil
}

func cutOff() error { return &ExportError{Problem: "the closing line is missing: the log was cut off"} }

// checkEnd compares the study in the first line with the state after the last plan.
func (v *verifier) checkEnd() error {
	s, state := v.report.Study, v.runner.State
	if v.last.IsPruned() {
		return &ExportError{
			Plan: v.last.Number, Field: "verdict.hash", Found: "a hash", Expected: absent,
			Problem: "the verdict of the last plan must be complete",
		}
	}
	if err := v.checkState(); err != nil {
		return err
	}
	if s.RestartPlan != state.RestartPlan {
		return altered("study.afresh", s.RestartPlan, state.RestartPlan, "")
	}
	known := min(len(state.Withdrawn), len(s.Withdrawn))
	if !slices.Equal(state.Withdrawn, s.Withdrawn[:known]) {
		return altered("study.withdrawn", s.Withdrawn, state.Withdrawn, "")
	}
	known = min(len(state.People), len(s.Excluded))
	if !slices.Equal(state.People, s.Excluded[:known]) || s.State == study.Done && known < len(s.Excluded) && !s.Reason.Closed() {
		return altered("study.excluded", s.Excluded, state.People, "")
	}
	return v.checkTerms()
}

// altered reports an altered field of the first line.
func altered(field string, found, expected any, problem string) error {
	return &ExportError{Line: 1, Field: field, Found: shown(found), Expected: shown(expected), Problem: problem}
}

// checkState compares the state in the first line with the last plan.
func (v *verifier) checkState() error {
	s, state := v.report.Study, v.runner.State
	over := v.last.Done
	ended := over != "" && over != study.Lapsed
	spent := s.Settings.Budget > 0 && state.Answers >= s.Settings.Budget
	reopened := over == study.Spent && !spent
	stoppedLate := ended && s.Reason.Closed()
	switch {
	case !slices.Contains([]study.State{study.Draft, study.Open, study.Paused, study.Done}, s.State):
		return altered("study.state", s.State, []study.State{study.Draft, study.Open, study.Paused, study.Done},
			"it must be one of these")
	case s.State == study.Draft && v.report.Plans > 0:
		return altered("study.state", s.State, study.Open, "a draft has no plans")
	case ended && s.State != study.Done && !reopened:
		return altered("study.state", s.State, study.Done, "the last plan has ended the study")
	case reopened && s.State == study.Done:
		return altered("study.settings.budget", s.Settings.Budget, fmt.Sprintf("1 to %d", state.Answers),
			"the last plan says that the budget is spent")
	case (s.State == study.Done) == s.Ended.IsZero():
		return altered("study.ended", s.Ended, "a time if the study is done, and only then", "")
	case s.State != study.Done && s.Reason != "":
		return altered("study.reason", s.Reason, "", "the study is not done")
	case s.State == study.Done && !s.Reason.Closed() && s.Reason != over, s.State == study.Done && s.Reason == "", stoppedLate:
		return altered("study.reason", s.Reason, over,
			"the last plan does not end the study so: plans are missing, or the reason was altered")
	}
	return nil
}

// checkTerms compares settings and arms in the first line with those of the last plan. Until the
// study ends, its owner may have changed them since.
func (v *verifier) checkTerms() error {
	s, state := v.report.Study, v.runner.State
	if v.report.Plans == 0 || s.State == study.Draft {
		v.note("The study has no plans: nothing vouches for its settings and options.")
		return nil
	}
	final := s.State == study.Done
	if state.Settings != Terms(s) {
		running := s
		running.State, running.Reason = study.Open, ""
		switch {
		case !final:
			v.note("The settings in the first line are not those of the last plan: they were changed after it, or altered.")
		case s.Reason.Closed() && state.Settings == Terms(running):
			final = false
			v.note("The study was stopped after its last plan: a later export may count more answers.")
		default:
			return altered("study", Terms(s), state.Settings, "id, prompt, settings, imported or created are not those of the last plan")
		}
	}
	switch {
	case state.Arms == s.Arms && len(state.Withdrawn) == len(s.Withdrawn), s.Arms == 0:
	case final && state.Arms != s.Arms:
		return altered("study.arms", s.Arms, state.Arms, "")
	case final:
		return altered("study.withdrawn", s.Withdrawn, state.Withdrawn, "")
	default:
		v.note(fmt.Sprintf("%d options were added and %d withdrawn after the last plan.", s.Arms-state.Arms,
			len(s.Withdrawn)-len(state.Withdrawn)))
	}
	return nil
}

func (v *verifier) note(sentence string) { v.report.Notes = append(v.report.Notes, sentence) }

// notes returns what the log itself does not prove.
func (v *verifier) notes() (notes []string) {
	if !v.report.Trusted {
		notes = append(notes, "No public key was given: the log may have been made up as a whole. "+
			"Pass --public-key with a key from elsewhere.")
	}
	if removed := v.report.Study.Unnamed; !removed.IsZero() {
		notes = append(notes, "Names and notes were removed on "+removed.Format(time.DateOnly)+": pseudonyms stand for people.")
	}
	if last := v.last.LastCounted; int64(v.report.Outcomes) > last {
		notes = append(notes, fmt.Sprintf("No plan has counted the outcomes from number %d on: only the signature covers them.",
			last+1))
	}
	return notes
}
