package wire

// An Erase names a respondent whose data to delete. The name is in the body, not in the path,
// because it may be any text.
type Erase struct {
	Respondent string `json:"respondent" minLength:"1" maxLength:"1000" doc:"The name as in requests for questions, or in an imported file of answers."`
}

// An Erased reports the deleted data and the effect on the verdict.
type Erased struct {
	Answers   int     `json:"answers" doc:"The number of deleted answers, including imported ones."`
	Skips     int     `json:"skips" doc:"The number of deleted skips."`
	TakenBack int     `json:"taken_back" doc:"The number of deleted answers that the respondent had taken back."`
	Member    bool    `json:"member" doc:"Whether the respondent was a member of the panel and was removed."`
	Sentence  string  `json:"sentence" doc:"The effect on the verdict."`
	Before    Verdict `json:"before"`
	After     Verdict `json:"after" doc:"Provisional if it has counting: the remaining answers are then being counted again."`
}
