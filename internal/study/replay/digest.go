package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"time"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/strategy"
)

// terms are the parts of a study besides its arms and plans on which its result rests. They may
// change until the study ends, but not afterwards.
//
// Digests contain them as JSON: fields that are added here, to [study.Settings], [study.Outcome] or [study.Plan] must be
// omitted when they are zero, or older logs no longer verify.
type terms struct {
	ID       string         `json:"id"`
	Prompt   string         `json:"prompt"`
	Settings study.Settings `json:"settings"`
	Imported bool           `json:"imported"`
	Stopped  bool           `json:"stopped"`
	Created  time.Time      `json:"created"`
}

// Terms returns the digest of a study's terms.
func Terms(s study.Study) string {
	return link("", "study", terms{s.ID, s.Prompt, s.Settings, s.Imported, s.State == study.Done && s.Reason.Closed(), s.Created})
}

// link extends a digest by a value, as JSON, and the name of its kind.
func link(before, kind string, value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic("study: " + err.Error())
	}
	return sum(before, kind, text)
}

// sum extends a digest by some bytes.
func sum(before, kind string, text []byte) string {
	hash := sha256.Sum256(slices.Concat([]byte(before+" "+kind+" "), text))
	return hex.EncodeToString(hash[:])
}

// linkArms extends the digest of a catalogue's first arms by those up to a number. It covers
// everything that people see of an arm, and its features. The arms of a product are added together.
func linkArms(before string, arms *archive.Catalogue, from, to int) (string, error) {
	if arms.Profiles != nil {
		all, err := Saved(arms)
		return sum(before, "profiles", all), err
	}
	if from == 0 {
		before = link(before, "encoding", arms.Encoding)
		if arms.Contexts != nil {
			before = link(before, "contexts", arms.Contexts)
		}
	}
	hash, card := sha256.New(), arms.Cards()
	hash.Write([]byte(before))
	for arm := from; arm < to; arm++ {
		text, err := json.Marshal(card(arm))
		if err != nil {
			return "", err
		}
		hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
		hash.Write(text)
		for _, x := range arms.Arms.Arm(arm) {
			hash.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// covered is what the digest of a plan covers besides the digests and outcomes before it.
type covered struct {
	Settings   string              `json:"settings"`
	Catalogue  string              `json:"catalogue"`
	Assumption strategy.Assumption `json:"assumption,omitempty"`
	HandsEnded time.Time           `json:"hands_ended,omitzero"`
	Ended      bool                `json:"ended,omitempty"`
	Plan       study.Plan          `json:"plan"`
}

// linkPlan extends a digest by a plan. The store numbers plans that begin afresh, so the digest
// omits their numbers and positions.
func linkPlan(before string, v study.Verdict, p study.Plan) string {
	p = p.Normal()
	p.Verdict = nil
	if p.Restart != nil {
		p.Number, p.First = 0, 0
	}
	return link(before, "plan", covered{v.Settings, v.Catalogue, v.Assumption, v.HandsEnded, v.Ended, p})
}

// Saved returns a catalogue in the bytes of a saved catalogue.
func Saved(arms *archive.Catalogue) ([]byte, error) {
	var saved bytes.Buffer
	err := archive.Save(&saved, arms)
	return saved.Bytes(), err
}
