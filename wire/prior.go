package wire

// NewPrior has the recorded choices of a prior.
type NewPrior struct {
	Answers []RecordedAnswer `json:"answers" minItems:"1" maxItems:"100000" nullable:"false"`
}

// A Prior describes the prior of a study.
type Prior struct {
	Choices int `json:"choices" doc:"The number of choices read. A ranking has one for each arm picked."`
}
