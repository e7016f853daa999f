package study

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math"
	"slices"
	"time"

	"bestpick/checks"
	"bestpick/strategy"
)

// A Verdict is the result of a study as of its last plan. Logs have it as JSON, which replay compares
// byte by byte: new fields must be omitted when they are zero.
type Verdict struct {
	Status     string              `json:"status"` // asking, decided, certified or cyclic
	Leader     int                 `json:"leader"`
	Contenders []strategy.Standing `json:"contenders"`       // besides the leader, by their lead
	Others     int                 `json:"others,omitempty"` // contenders that are not listed
	Forecast   strategy.Forecast   `json:"forecast"`
	Progress   float64             `json:"progress"`        // see [strategy.Verdict]
	Early      bool                `json:"early,omitempty"` // see [strategy.Verdict]
	Verifying  []int               `json:"verifying,omitempty"`
	Answered   int                 `json:"answered"`
	Model      checks.Finding      `json:"model"`

	Assumption strategy.Assumption `json:"assumption"`        // what the certificate rests on, or will rest on
	Misfits    []strategy.Misfit   `json:"misfits,omitempty"` // see [strategy.Verdict]
	Cycle      []int               `json:"cycle,omitempty"`   // see [strategy.Verdict]

	// Respondents, Answering, Arrived and Finished count people, where evidence is about people, see [strategy.Verdict]. Guiding
	// answers are no evidence about them: they were imported, or came after the end of a hand. Excluded answers are no part of
	// the budget: the rules leave them out, or the owner excluded the person. Erased people are left out because their data was
	// deleted. A certificate holds with and without the people whom the owner excluded ByHand. From and Until are the times of
	// the first and the last answer.
	Respondents int       `json:"respondents,omitempty"`
	Answering   int       `json:"answering,omitempty"`
	Arrived     int       `json:"arrived,omitempty"`
	Finished    int       `json:"finished,omitempty"`
	Guiding     int       `json:"guiding,omitempty"`
	Excluded    int       `json:"excluded,omitempty"`
	Erased      int       `json:"erased,omitempty"`
	ByHand      int       `json:"by_hand,omitempty"`
	From        time.Time `json:"from,omitzero"`
	Until       time.Time `json:"until,omitzero"`

	// Proven, Partial, Missing, Withstands, FirstChoice and Doubts are those of [strategy.Verdict].
	Proven      strategy.Proven  `json:"proven,omitzero"`
	Partial     bool             `json:"partial,omitempty"`
	Missing     float64          `json:"missing,omitempty"`
	Withstands  int              `json:"withstands,omitempty"`
	FirstChoice float64          `json:"first_choice,omitempty"`
	Doubts      []strategy.Doubt `json:"doubts,omitempty"`

	// Signs are signs of fraud among the counted outcomes.
	Signs Signs `json:"signs,omitzero"`

	// Outside compares the arms with none of them, where the study offers that.
	Outside strategy.Outside `json:"outside,omitzero"`

	// HandsEnded says that the plan ended the hands without an answer after it.
	HandsEnded time.Time `json:"hands_ended,omitzero"`

	// Segments and SegmentsDiffer are those of [strategy.Verdict]. Only studies under majority with segments have them.
	Segments       []strategy.SegmentVerdict `json:"segments,omitempty"`
	SegmentsDiffer bool                      `json:"segments_differ,omitempty"`

	// Top is that of [strategy.Verdict]. Only studies of several best arms, or of a ranking, have it.
	Top []int `json:"top,omitempty"`

	// Ended says that the study was over before this plan. CertifiedEpsilon is the smallest certified ε
	// once a study is over, nil where there is none.
	Ended            bool         `json:"ended,omitempty"`
	CertifiedEpsilon *float64     `json:"epsilon_certified,omitempty"`
	Leaderboard      *Leaderboard `json:"leaderboard,omitempty"`

	// Settings and Catalogue are digests of the study's terms and of its arms at the time of the plan.
	// Pruned verdicts have no Catalogue and no Digest.
	Settings  string `json:"settings"`
	Catalogue string `json:"catalogue,omitempty"`

	// Digest is the hash chain over everything that led to the verdict: settings, arms, outcomes and plans.
	Digest string `json:"digest,omitempty"`

	// Pruned is empty in a complete verdict. In a pruned one it is the hash of the complete one, see [Verdict.Prune].
	Pruned string `json:"hash,omitempty"`
}

// A Leaderboard ranks the arms after a number of answers, perhaps fewer than the verdict counts. Its statements hold even so.
type Leaderboard struct {
	Answers int             `json:"answers"`
	Ranks   []strategy.Rank `json:"ranks"`
}

// NoVerdict is the verdict of a study with these settings before its first plan.
func NoVerdict(s Settings) Verdict {
	return Verdict{Status: strategy.Asking.String(), Leader: -1, Assumption: s.Assumption()}
}

// Text returns the verdict as JSON, as the log has it.
func (v Verdict) Text() string { return string(v.Written()) }

// Written returns the verdict as JSON for the log.
func (v Verdict) Written() json.RawMessage {
	if v.Pruned != "" {
		return pruned{v.Answered, v.HandsEnded, v.Ended, v.Settings, v.Pruned}.written()
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic("study: " + err.Error())
	}
	return text
}

// pruned has the fields of a pruned verdict, of which every plan has one.
type pruned struct {
	Answered   int       `json:"answered"`
	HandsEnded time.Time `json:"hands_ended,omitzero"`
	Ended      bool      `json:"ended,omitempty"`
	Settings   string    `json:"settings,omitempty"` // unless they are those of the plan before
	Pruned     string    `json:"hash"`
}

func (v pruned) written() json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic("study: " + err.Error())
	}
	return text
}

// hashOf returns the hash of a complete verdict that a pruned one has.
func hashOf(verdict []byte) string {
	const hashed = 12 // bytes of the SHA-256
	hash := sha256.Sum256(verdict)
	return base64.RawURLEncoding.EncodeToString(hash[:hashed])
}

// Prune returns the verdict of a plan that is not the last one, as stores keep it. It has what a replay cannot recompute, and a
// hash of the complete verdict, which a replay compares with that of the recomputed one.
func (v Verdict) Prune() Verdict {
	return Verdict{
		Answered: v.Answered, HandsEnded: v.HandsEnded, Ended: v.Ended, Settings: v.Settings, Pruned: hashOf(v.Written()),
	}
}

// Arms returns the arms that the verdict names: the leader, −1 if there is none, the contenders, of all people and of each
// segment, misfits, the proven arm, a cycle, the best arms, the leaderboard, and the arms better or worse than none.
func (v Verdict) Arms() []int {
	arms := slices.Concat([]int{v.Leader}, v.Cycle, v.Top)
	for _, c := range v.Contenders {
		arms = append(arms, c.Arm)
	}
	for _, m := range v.Misfits {
		arms = append(arms, m.Arm)
	}
	if v.Proven.Share > 0 {
		arms = append(arms, v.Proven.Arm)
	}
	for _, d := range v.Doubts {
		arms = append(arms, d.Arm, d.Rival)
	}
	if v.Leaderboard != nil {
		for _, r := range v.Leaderboard.Ranks {
			arms = append(arms, r.Arm)
		}
	}
	for _, s := range v.Segments {
		arms = append(arms, s.Contenders...)
	}
	return slices.Concat(arms, v.Outside.Better, v.Outside.Worse)
}

// Evidence returns the least evidence against a contender, capped at the evidence that refutes one.
// Without contenders it returns the cap.
func (v Verdict) Evidence(delta float64) float64 {
	least := math.Log(1 / delta)
	for _, c := range v.Contenders {
		least = min(least, c.Evidence)
	}
	return least
}

// Share returns the least evidence against a contender as a share of the evidence that refutes it, 1 without contenders.
func (v Verdict) Share(delta float64) float64 { return v.Evidence(delta) / math.Log(1/delta) }

// HasLeader reports whether there is a reason to name a leader: a nominee that is not ruled out, or a decision.
func (v Verdict) HasLeader() bool {
	return v.Leader >= 0 && (v.Answered > 0 && !v.Early && !v.IsOut(v.Leader) || v.Status != strategy.Asking.String())
}

// IsOut reports whether an arm is ruled out for good, while the arms of the study stay the same, see [strategy.Rank].
func (v Verdict) IsOut(arm int) bool {
	return v.Leaderboard != nil &&
		slices.ContainsFunc(v.Leaderboard.Ranks, func(r strategy.Rank) bool { return r.Arm == arm && r.Out })
}

// Out counts the arms that are ruled out for good.
func (v Verdict) Out() int {
	out := 0
	if v.Leaderboard != nil {
		for _, r := range v.Leaderboard.Ranks {
			if r.Out {
				out++
			}
		}
	}
	return out
}

// Possible returns how many arms may still be better than the leader.
func (v Verdict) Possible() int { return len(v.Contenders) + v.Others }
