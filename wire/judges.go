package wire

// Judges compares the respondents of a study with one another.
type Judges struct {
	Answers   int     `json:"answers" doc:"The number of answers that are compared: of the last 100,000 outcomes."`
	Agreement float64 `json:"agreement" doc:"The share of the judges' choices that are also the most likely ones by the consensus of all others."`
	Expected  float64 `json:"expected" doc:"The agreement of judges who answer by the consensus."`
	Error     float64 `json:"error" doc:"The probability that any judge is called random who answers by the consensus."`
	Unjudged  int     `json:"unjudged" doc:"The number of respondents who are not compared: those with fewer than 20 answers, and all but the 100 with the most answers."`
	Judges    []Judge `json:"judges" nullable:"false" doc:"The judges with the most answers first."`

	Estimates []Estimate `json:"estimates" nullable:"false" doc:"Bradley–Terry estimates from the same answers (Plackett–Luce for larger questions), the best arm first. Empty for more than 100 arms."`
}

// A Judge is a respondent, compared with the consensus of all others.
type Judge struct {
	Respondent string  `json:"respondent"`
	Answers    int     `json:"answers"`
	Agreement  float64 `json:"agreement" doc:"The share of the judge's choices that are also the most likely ones by the consensus."`
	Expected   float64 `json:"expected" doc:"The agreement of a judge who answers by the consensus."`
	Chance     float64 `json:"chance" doc:"The agreement of a judge who picks at random."`
	Scale      float64 `json:"scale" doc:"How closely the judge follows the consensus: 1 like the others, 0 not at all, negative against it."`
	ScaleError float64 `json:"scale_error" doc:"The standard error of scale."`
	P          float64 `json:"p" doc:"The probability that a judge who answers by the consensus follows it as little as this one, or less."`
	Random     bool    `json:"random" doc:"The judge seems to answer at random: p is below error divided by the number of judges, and random picks explain the answers better than the consensus."`
}

// An Estimate is the utility of an arm, estimated by one utility for each arm.
type Estimate struct {
	Arm     Arm     `json:"arm"`
	Utility float64 `json:"utility" doc:"Utilities add up to zero."`
	Error   float64 `json:"error" doc:"The standard error."`
}
