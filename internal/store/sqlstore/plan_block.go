package sqlstore

import (
	"bytes"
	"compress/flate"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"bestpick/internal/study"
)

// blockPlans is the number of plans in a block, except for the last block of a study.
const blockPlans = 32

// hashBytes is the number of bytes of the hash in a pruned verdict.
const hashBytes = 16

// A planBlock has consecutive plans in compact form, a field of all plans after the other: numbers that grow are less
// those of the plan before, and what plans have in common is written once. Plans of one study follow each other, so
// that numbers and positions are implied. Field names are short, but every block has them once only.
type planBlock struct {
	Number    int            `json:"number"`   // of the first plan
	Position  study.Position `json:"position"` // of the first question
	Upto      []int64        `json:"upto"`     // less that of the plan before
	Known     []int64        `json:"known"`    // less Upto
	Questions [][][]int      `json:"questions"`
	At        []int64        `json:"at"` // in microseconds, less that of the plan before

	// Of pruned verdicts. In place of the hash of a complete verdict there are zeros.
	Leader   []int  `json:"leader"`
	Others   []int  `json:"others"`
	Answered []int  `json:"answered"` // less that of the plan before
	Pruned   []byte `json:"pruned"`

	// Rest has the plans without these fields; null for one that is the same as in the plan before.
	Rest []json.RawMessage `json:"rest"`
}

// pack returns plans in compact form, with pruned verdicts.
func pack(plans []study.Plan) ([]byte, error) {
	b := planBlock{Number: plans[0].Number, Position: plans[0].First}
	var upto, at int64
	var answered int
	var rest json.RawMessage
	for _, p := range plans {
		p = p.Prune()
		b.Upto, b.Known = append(b.Upto, p.Upto-upto), append(b.Known, p.Known-p.Upto)
		b.Questions, b.At = append(b.Questions, p.Questions), append(b.At, p.At.UnixMicro()-at)
		upto, at = p.Upto, p.At.UnixMicro()
		v, err := b.addVerdict(&p, answered)
		if err != nil {
			return nil, err
		}
		answered = v
		p.Number, p.Upto, p.Known, p.First, p.Questions, p.At = 0, 0, 0, 0, nil, time.Time{}
		text, err := json.Marshal(p)
		if err != nil {
			return nil, err
		}
		if b.Rest = append(b.Rest, text); bytes.Equal(text, rest) {
			b.Rest[len(b.Rest)-1] = json.RawMessage(`null`)
		}
		rest = text
	}
	return b.compressed()
}

// addVerdict moves the numbers and the hash of a pruned verdict from a plan to the block. It returns the number of
// answers for the next plan.
func (b *planBlock) addVerdict(p *study.Plan, before int) (answered int, err error) {
	var v study.Verdict
	hash := make([]byte, hashBytes)
	answered = before
	if p.IsPruned() {
		if err := json.Unmarshal(p.Verdict, &v); err != nil {
			return 0, err
		}
		if hash, err = hex.DecodeString(v.Pruned); err != nil || len(hash) != hashBytes {
			return 0, fmt.Errorf("store: plan %d: the hash of its verdict must have %d digits, got %q", p.Number, 2*hashBytes, v.Pruned)
		}
		answered = v.Answered
	}
	b.Leader, b.Others = append(b.Leader, v.Leader), append(b.Others, v.Others)
	b.Answered, b.Pruned = append(b.Answered, answered-before), append(b.Pruned, hash...)
	if p.IsPruned() {
		v.Leader, v.Others, v.Answered, v.Pruned = 0, 0, 0, ""
		p.Verdict = v.Written()
	}
	return answered, nil
}

// compressed returns the block as it is stored.
func (b *planBlock) compressed() ([]byte, error) {
	text, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	err = w.Close()
	return packed.Bytes(), err
}

// unpack returns the plans in compact form.
func unpack(packed []byte) (plans []study.Plan, err error) {
	r := flate.NewReader(bytes.NewReader(packed))
	text, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		return nil, fmt.Errorf("store: a block of plans is damaged: %w", err)
	}
	var b planBlock
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, fmt.Errorf("store: a block of plans is damaged: %w", err)
	}
	n := len(b.Rest)
	for _, length := range []int{len(b.Upto), len(b.Known), len(b.Questions), len(b.At), len(b.Leader), len(b.Others), len(b.Answered)} {
		if length != n || len(b.Pruned) != n*hashBytes {
			return nil, errors.New("store: a block of plans is damaged: its columns have different lengths")
		}
	}
	return b.plans()
}

// plans returns the plans of a block whose columns have equal lengths.
func (b *planBlock) plans() (plans []study.Plan, err error) {
	var upto, at int64
	var answered int
	var rest json.RawMessage
	position := b.Position
	for i, text := range b.Rest {
		if string(text) != "null" {
			rest = text
		}
		var p study.Plan
		if err := json.Unmarshal(rest, &p); err != nil {
			return nil, err
		}
		upto, at, answered = upto+b.Upto[i], at+b.At[i], answered+b.Answered[i]
		p.Number, p.First, p.Questions = b.Number+i, position, b.Questions[i]
		p.Upto, p.Known, p.At = upto, upto+b.Known[i], utc(time.UnixMicro(at))
		position += study.Position(len(p.Questions))
		if hash := b.Pruned[i*hashBytes : (i+1)*hashBytes]; !bytes.Equal(hash, make([]byte, hashBytes)) {
			var v study.Verdict
			if err := json.Unmarshal(p.Verdict, &v); err != nil {
				return nil, err
			}
			v.Leader, v.Others, v.Answered, v.Pruned = b.Leader[i], b.Others[i], answered, hex.EncodeToString(hash)
			p.Verdict = v.Written()
		}
		plans = append(plans, p)
	}
	return plans, nil
}
