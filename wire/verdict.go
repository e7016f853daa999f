package wire

import "time"

// A Verdict is the current result of a study.
type Verdict struct {
	State      string      `json:"state" enum:"draft,open,paused,done"`
	Reason     string      `json:"reason,omitempty" enum:"certified,refuted,stopped,spent,lapsed"`
	Status     string      `json:"status" enum:"asking,decided,certified" doc:"certified: with probability 1 − delta, no arm is better than the leader by more than epsilon. decided: the answers do not fit the model, so nothing can be certified."`
	Leader     *Arm        `json:"leader,omitempty" doc:"The best arm so far; absent before the first plan."`
	Contenders []Contender `json:"contenders" nullable:"false" doc:"Arms that may still be better, the most doubtful first."`
	Others     int         `json:"others" doc:"The number of further contenders that are not listed."`
	Rivals     int         `json:"rivals" doc:"The number of arms that may still be better than the leader, listed or not."`
	Eliminated int         `json:"eliminated" doc:"The number of arms that are eliminated. In a product of attributes, of the profiles that differ from the leader in one attribute."`
	Progress   float64     `json:"progress" minimum:"0" maximum:"1" doc:"The share of the arms other than the leader that are eliminated: 0 at the start, 1 when only the leader is left."`
	Answers    int         `json:"answers" doc:"The number of answers counted."`
	Counting   *Counting   `json:"counting,omitempty" doc:"Present while a backlog is being counted, as after an import or an erasure: the verdict is provisional until then."`
	Evidence   float64     `json:"evidence" doc:"The least evidence against a contender. At the threshold all are eliminated."`
	Threshold  float64     `json:"threshold" doc:"log(1/delta)"`
	Delta      float64     `json:"delta"`
	Epsilon    float64     `json:"epsilon"`
	Forecast   Forecast    `json:"forecast"`
	Model      Fit         `json:"model" doc:"Whether the answers fit the model."`
	Plan       int         `json:"plan" doc:"The number of the plan with this verdict."`
	At         time.Time   `json:"at,omitzero"`
	Digest     string      `json:"digest,omitempty" doc:"A hash of everything that led to the verdict: settings, arms, outcomes and plans. In studies begun by an earlier version, of the outcomes only."`
}

// A Counting reports the progress of counting a backlog of outcomes (answers, skipped and lost
// questions).
type Counting struct {
	Counted int `json:"counted" doc:"The number of outcomes counted."`
	Total   int `json:"total" doc:"The number of outcomes in the log."`
}

// A Contender is an arm that may still be better than the leader.
type Contender struct {
	Arm      Arm     `json:"arm"`
	Evidence float64 `json:"evidence" doc:"The log of the evidence against this arm being better than the leader by more than epsilon. At the threshold the arm is eliminated."`
	Lead     float64 `json:"lead" doc:"The leader's estimated lead in utility."`
	Low      float64 `json:"low" doc:"With probability 1 − delta, the true leads of all arms lie between low and high at all times."`
	High     float64 `json:"high"`
}

// Contenders is the list of contenders alone.
type Contenders struct {
	Contenders []Contender `json:"contenders" nullable:"false"`
	Others     int         `json:"others"`
}

// A Forecast estimates how many more answers are needed.
type Forecast struct {
	Known    bool    `json:"known" doc:"False, without numbers, while there is no forecast, or the total number of answers it expects spans more than a factor of ten."`
	Median   float64 `json:"median,omitempty" doc:"Absent if it is more than 10 million."`
	Low      float64 `json:"low,omitempty" doc:"Four in five studies need between low and high. Absent if it is more than 10 million."`
	High     float64 `json:"high,omitempty" doc:"Absent if it is more than 10 million."`
	Hopeless bool    `json:"hopeless,omitempty" doc:"The study is likely to need more than any reasonable budget. May be present while the numbers are not known."`
	Epsilon  float64 `json:"epsilon,omitempty" doc:"The epsilon that twice the current number of answers would certify."`
}

// A Fit describes whether the answers fit the model.
type Fit struct {
	Status   string  `json:"status" doc:"fits, doubtful or refuted"`
	Check    string  `json:"check,omitempty" doc:"The check with the most evidence against the model."`
	Sentence string  `json:"sentence,omitempty"`
	Remedy   string  `json:"remedy,omitempty"`
	Evidence float64 `json:"evidence" doc:"The log of the combined evidence against the model."`
}
