package wire

// Judges compares the respondents of a study with one another.
type Judges struct {
	Answers   int     `json:"answers" doc:"The number of answers that are compared: of the last 100,000 outcomes."`
	Agreement float64 `json:"agreement" doc:"The share of the judges' choices that the consensus of all others finds most likely."`
	Expected  float64 `json:"expected" doc:"The mean of agreement if all judges follow the consensus."`
	Error     float64 `json:"error" doc:"The approximate false-positive rate: the probability that one or more judges are called random although all follow the consensus."`
	Unjudged  int     `json:"unjudged" doc:"The number of respondents that are not compared: those with fewer than 20 answers, and all but the 100 with the most answers."`
	Judges    []Judge `json:"judges" nullable:"false" doc:"The judges with the most answers first."`

	Estimates []Estimate `json:"estimates" nullable:"false" doc:"Bradley–Terry estimates from the same answers (Plackett–Luce for larger questions), the best arm first. Empty for more than 100 arms."`
}

// A Judge is a respondent, compared with the consensus of all others.
type Judge struct {
	Respondent string  `json:"respondent"`
	Kind       string  `json:"kind" enum:"person,model" doc:"As the respondent's last answer says."`
	Answers    int     `json:"answers"`
	Agreement  float64 `json:"agreement" doc:"The share of the judge's choices that the consensus finds most likely."`
	Expected   float64 `json:"expected" doc:"The mean of agreement if the judge follows the consensus."`
	Chance     float64 `json:"chance" doc:"The mean of agreement for random picks."`
	Scale      float64 `json:"scale" doc:"How closely the judge follows the consensus: 1 like the others, 0 not at all, negative against it."`
	ScaleError float64 `json:"scale_error" doc:"The standard error of scale."`
	P          float64 `json:"p" doc:"The p-value of the hypothesis that the judge follows the consensus."`
	Random     bool    `json:"random" doc:"The judge seems to answer at random: p is below error divided by the number of judges, and random picks explain the answers better than the consensus."`
}

// An Estimate is the utility of an arm, estimated by one utility for each arm.
type Estimate struct {
	Arm     Arm     `json:"arm"`
	Utility float64 `json:"utility" doc:"Utilities add up to zero."`
	Error   float64 `json:"error" doc:"The standard error."`
}
