package study

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"bestpick/choice"
)

// A Position is the number of a question in a study's deck, from 0. Every planned question has one.
type Position int64

// A Kind is the kind of an outcome.
type Kind string

// The kinds of outcomes. A question has at most one standing outcome: the first one. After Undone it may be answered again.
const (
	Answered Kind = "answered"
	Skipped  Kind = "skipped" // the respondent could not decide; it is asked again
	Undone   Kind = "undone"  // the respondent took the answer back in time
	Lost     Kind = "lost"    // not answered in time; it is asked again

	// Arrived is a person who is dealt a hand, the questions of their session, in a study whose evidence is
	// about people. It is outside the deck.
	Arrived Kind = "arrived"

	// Imported is an answer to a question that was asked elsewhere.
	Imported Kind = "imported"

	// Erased replaces an outcome when its respondent's data is deleted. It keeps the number, the
	// position and the time of the erasure.
	Erased Kind = "erased"
)

// The picks of an answer that are no slots.
const (
	None = choice.None // none of the arms shown
	Tie  = choice.Tie  // all arms shown are equally good
)

// OutsideDeck is the position of questions outside the deck.
const OutsideDeck Position = -1

// An Outcome records what happened to a question. Outcomes are the log of a study: they are numbered in the order of writing, and
// never change unless they are erased. Their JSON is part of digests: new fields must be omitted when they are zero.
type Outcome struct {
	Number     int64     `json:"number"` // in the study, from 1 on, set by the store
	Position   Position  `json:"position"`
	Kind       Kind      `json:"kind"`
	Shown      []int     `json:"shown,omitempty"` // arms, in the order on the screen
	Hand       *Hand     `json:"hand,omitempty"`  // of a person who arrives
	Picks      []int     `json:"picks,omitempty"` // slots of Shown, best first, or as [choice.Offer] says
	Respondent string    `json:"respondent,omitempty"`
	Segment    string    `json:"segment,omitempty"`
	Plan       int       `json:"plan,omitempty"` // the number of the question's plan: the version of the deck
	Asked      time.Time `json:"asked,omitzero"`
	At         time.Time `json:"at"`
	Note       Note      `json:"note,omitzero"`

	// Network identifies the network and the hour of a person who arrives, for [Plans.Deal] to count them: a
	// keyed hash. It is not stored with the outcome.
	Network string `json:"-"`
}

// A Hand is the questions that a person is dealt: those at the positions from the first on.
type Hand struct {
	First Position `json:"first"`
	Cards [][]int  `json:"cards"`

	// Nth is how many people of the person's network had arrived in the same hour, with them. It is 0 for people
	// whom the owner knows, and if the network is unknown. No log has the network itself.
	Nth int `json:"nth,omitempty"`
}

// A Plan is one step of the strategy: it adds and withdraws arms, counts the standing outcomes up to LastCounted that no earlier
// plan counts, and asks the strategy for questions. Plans are numbered from 1.
//
// The strategy's state contains the answers of all respondents. An erasure therefore removes all
// plans, and a plan that restarts the strategy replaces them. Numbers and positions continue.
//
// A plan never counts an answer that was undone, even if the undo comes after LastCounted. Otherwise no
// plan could count anything while any respondent has an answer to undo, which in a busy study is
// always the case. LastSeen is the number up to which the log was searched for undos.
//
// The JSON of plans is part of digests: new fields must be omitted when they are zero.
type Plan struct {
	Number      int             `json:"number"`
	Restart     *Restart        `json:"afresh,omitempty"`    // in the first plan after an erasure
	Arms        int             `json:"arms,omitempty"`      // size of the catalogue from this plan on; 0 if unchanged
	Withdrawn   []int           `json:"withdrawn,omitempty"` // arms withdrawn by this plan
	People      []int64         `json:"people,omitempty"`    // people excluded from this plan on, see [Study.Excluded]
	LastCounted int64           `json:"upto"`                // the number of the last counted outcome
	LastSeen    int64           `json:"known"`               // all undos up to this number are respected
	First       Position        `json:"first"`               // position of the first question
	Questions   [][]int         `json:"questions"`           // may be empty
	Verdict     json.RawMessage `json:"verdict"`
	Done        Reason          `json:"done,omitempty"` // this plan ends the study
	At          time.Time       `json:"at"`

	// Low is the number of unclaimed questions at which the study needs another plan, and Wakes the time at which it does
	// in any case, because a hand ends; zero for never. They are not part of the log.
	Low   int       `json:"-"`
	Wakes time.Time `json:"-"`

	// SameSettings says that the verdict has the digest of the settings that the verdict before has. It is not stored.
	SameSettings bool `json:"-"`

	// Version is the study's version that the planner has read. A plan cannot end a study that has
	// changed since. It is not stored.
	Version int `json:"-"`
}

// Prune returns the plan with a pruned verdict, which omits the digest of the settings if they are the same as before.
// Plans that end a study keep their verdicts.
func (p Plan) Prune() Plan {
	var v pruned
	if p.Done != "" || json.Unmarshal(p.Verdict, &v) != nil || v.Pruned != "" {
		return p
	}
	if v.Pruned = hashOf(p.Verdict); p.SameSettings {
		v.Settings = ""
	}
	p.Verdict = v.written()
	return p
}

// IsPruned reports whether the plan has a pruned verdict.
func (p Plan) IsPruned() bool {
	var v struct {
		Pruned string `json:"hash"`
	}
	return json.Unmarshal(p.Verdict, &v) == nil && v.Pruned != ""
}

// Excluded returns how many counted answers are no part of the budget. It is 0 if the plan is pruned.
func (p Plan) Excluded() int {
	var v struct {
		Excluded int `json:"excluded"`
	}
	_ = json.Unmarshal(p.Verdict, &v) // nil in plans without a verdict
	return v.Excluded
}

// Erased returns the outcome as an erasure leaves it.
func (o Outcome) Erased(at time.Time) Outcome {
	return Outcome{Number: o.Number, Position: o.Position, Kind: Erased, At: at}
}

// Sealed returns the outcome as the removal of names leaves it: keyed hashes replace the name and the note. Strategies and
// digests get only sealed outcomes, so the removal changes neither. It is idempotent, and does nothing without a salt.
func (o Outcome) Sealed(salt string) Outcome {
	const mark, length = "~", 23 // of pseudonyms
	if salt == "" {
		return o
	}
	if isSealed := len(o.Respondent) == length && strings.HasPrefix(o.Respondent, mark); o.Respondent != "" && !isSealed {
		o.Respondent = mark + keyed(salt, "name", o.Respondent)
	}
	if o.Note.Rationale != "" || len(o.Note.Metadata) > 0 {
		o.Note = Note{Judge: o.Note.Judge, Removed: keyed(salt, "note", o.Note)}
	}
	return o
}

// keyed returns a keyed hash of a value, as JSON: 22 characters.
func keyed(salt, kind string, value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic("study: " + err.Error())
	}
	hash := hmac.New(sha256.New, []byte(salt))
	hash.Write(append([]byte(kind+" "), text...))
	return base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:16])
}

// Normal returns the outcome with its times as every store keeps them.
func (o Outcome) Normal() Outcome {
	o.Asked, o.At = Micro(o.Asked), Micro(o.At)
	return o
}

// Normal returns the plan with its time as every store keeps it.
func (p Plan) Normal() Plan {
	p.At = Micro(p.At)
	return p
}

// Micro returns a time as every store keeps it: in UTC to the microsecond.
func Micro(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// A Restart describes a plan that restarts the strategy: a new strategy counts all standing outcomes.
// Answers to questions of removed plans count as answers to questions asked earlier.
type Restart struct {
	// Arms is the number of arms in the study's very first plan. Later arms are added as new ones,
	// because the answers that are counted again may be the reason for adding them.
	Arms int `json:"arms"`

	// Seed is the seed of the new strategy, so that orders on the screen do not repeat.
	Seed uint64 `json:"seed"`
}

// Begin returns the study as the plan that restarts the strategy leaves it.
func (p Plan) Begin(s Study) Study {
	s.Version++
	s.Changed = p.At
	if p.Restart != nil {
		s.RestartPlan = p.Number
	}
	if p.Done != "" {
		s.State, s.Reason, s.Ended = Done, p.Done, cmp.Or(s.Ended, p.At)
	}
	return s
}

// A Note adds a rationale, metadata and the kind of respondent to an answer. Decisions do not depend on it.
type Note struct {
	Rationale string            `json:"rationale,omitempty"`
	Metadata  map[string]string `json:"metadata,omitempty"`
	Judge     Judge             `json:"judge,omitempty"`
	Removed   string            `json:"removed,omitempty"` // a hash of the rationale and metadata that were here
}

// A Judge is the kind of a respondent. It is a [Person] unless an answer says otherwise.
type Judge string

// The kinds of respondents.
const (
	Person Judge = "" // called person in the API and in files
	Model  Judge = "model"
)

// ParseJudge returns the kind of a respondent with a name, which may be unknown. Defaults to [Person].
func ParseJudge(name string) Judge {
	if name == Person.String() {
		return Person
	}
	return Judge(name)
}

// String returns the name of the kind.
func (j Judge) String() string {
	if j == Person {
		return "person"
	}
	return string(j)
}

// IsZero reports whether the note says nothing.
func (n Note) IsZero() bool {
	return n.Rationale == "" && len(n.Metadata) == 0 && n.Judge == Person && n.Removed == ""
}

// Check returns an error unless the note is within the limits, and all stores can keep it.
func (n Note) Check() error {
	if utf8.RuneCountInString(n.Rationale) > MaxRationale || !IsText(n.Rationale) {
		return Invalid("rationale", fmt.Sprintf("must be UTF-8 with at most %d characters and no zero bytes", MaxRationale))
	}
	if len(n.Metadata) > MaxMetadata {
		return Invalid("metadata", fmt.Sprintf("at most %d entries are possible, got %d", MaxMetadata, len(n.Metadata)))
	}
	bytes := 0
	for key, value := range n.Metadata {
		if key == "" || !IsText(key) || !IsText(value) {
			return Invalid("metadata", "names must not be empty, and texts must be UTF-8 without zero bytes")
		}
		bytes += len(key) + len(value)
	}
	if bytes > MaxMetadataBytes {
		return Invalid("metadata", fmt.Sprintf("at most %d bytes are possible, got %d", MaxMetadataBytes, bytes))
	}
	if n.Judge != Person && n.Judge != Model {
		return Invalid("judge", "must be person or model")
	}
	return nil
}
