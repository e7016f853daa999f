package wire

import "time"

// A Verdict is what a study knows.
type Verdict struct {
	State      string      `json:"state" enum:"draft,open,paused,done"`
	Reason     string      `json:"reason,omitempty" enum:"certified,refuted,stopped,spent,lapsed"`
	Status     string      `json:"status" enum:"asking,decided,certified" doc:"certified: the leader is best, or within epsilon, but for a probability of delta. decided: the answers do not fit the model, so nothing can be certified."`
	Leader     *Arm        `json:"leader,omitempty" doc:"The best arm so far; absent before the first answers are planned."`
	Contenders []Contender `json:"contenders" nullable:"false" doc:"Arms that may still be better, the most doubtful first."`
	Others     int         `json:"others" doc:"How many more there are that are not listed."`
	Answers    int         `json:"answers" doc:"How many were counted."`
	Counting   *Counting   `json:"counting,omitempty" doc:"Present while a backlog is being counted, as after an import or an erasure: the verdict is provisional until then."`
	Evidence   float64     `json:"evidence" doc:"The least of the contenders' evidence; at the threshold all are refuted."`
	Threshold  float64     `json:"threshold" doc:"log(1/delta)"`
	Delta      float64     `json:"delta"`
	Epsilon    float64     `json:"epsilon"`
	Forecast   Forecast    `json:"forecast"`
	Model      Fit         `json:"model" doc:"Whether the answers fit the model."`
	Plan       int         `json:"plan" doc:"The number of the plan that it is of."`
	At         time.Time   `json:"at,omitzero"`
	Digest     string      `json:"digest,omitempty" doc:"A hash of everything that led to it: settings, arms, outcomes and plans. In studies begun by an earlier version, of the outcomes only."`
}

// A Counting is how far a backlog of outcomes (answers, skipped and lost questions) is counted.
type Counting struct {
	Counted int `json:"counted" doc:"Outcomes that are counted."`
	Total   int `json:"total" doc:"Outcomes in the log."`
}

// A Contender is an arm that may still be better than the leader.
type Contender struct {
	Arm      Arm     `json:"arm"`
	Evidence float64 `json:"evidence" doc:"Against its being better than the leader by more than epsilon, as a logarithm. It is refuted at the threshold."`
	Lead     float64 `json:"lead" doc:"The leader's estimated lead in utility."`
	Low      float64 `json:"low" doc:"The true lead is between low and high, of all arms and at all times at once, but for a probability of delta."`
	High     float64 `json:"high"`
}

// Contenders are the list alone.
type Contenders struct {
	Contenders []Contender `json:"contenders" nullable:"false"`
	Others     int         `json:"others"`
}

// A Forecast is how many more answers are likely to be needed.
type Forecast struct {
	Known    bool    `json:"known" doc:"False while nothing can be said yet; then there are no numbers."`
	Median   float64 `json:"median,omitempty" doc:"Absent if it is more than 10 million."`
	Low      float64 `json:"low,omitempty" doc:"Four studies of five need between low and high. Absent if it is more than 10 million."`
	High     float64 `json:"high,omitempty" doc:"Absent if it is more than 10 million."`
	Hopeless bool    `json:"hopeless,omitempty" doc:"More than any reasonable budget."`
	Epsilon  float64 `json:"epsilon,omitempty" doc:"The epsilon that as many answers again as are in would certify."`
}

// A Fit says whether the answers fit the model.
type Fit struct {
	Status   string  `json:"status" doc:"fits, doubtful or refuted"`
	Check    string  `json:"check,omitempty" doc:"The check that speaks most against the model."`
	Sentence string  `json:"sentence,omitempty"`
	Remedy   string  `json:"remedy,omitempty"`
	Evidence float64 `json:"evidence" doc:"The logarithm of the combined evidence against it."`
}
