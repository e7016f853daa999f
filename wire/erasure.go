package wire

// An Erase names a respondent whose data is to be deleted. The name is not part of an address, as it may be any text.
type Erase struct {
	Respondent string `json:"respondent" minLength:"1" maxLength:"1000" doc:"As in the questions that they asked for, or in the file of answers that was imported."`
}

// An Erased is what was deleted, and what that did to the verdict.
type Erased struct {
	Answers   int     `json:"answers" doc:"How many answers were deleted, those imported among them."`
	Skips     int     `json:"skips" doc:"How many skipped questions."`
	TakenBack int     `json:"taken_back" doc:"How many answers that they had taken back."`
	Member    bool    `json:"member" doc:"They were in the panel, and are not any more."`
	Sentence  string  `json:"sentence" doc:"What that did to the verdict."`
	Before    Verdict `json:"before"`
	After     Verdict `json:"after" doc:"Provisional if it has counting: then the remaining answers are being counted again."`
}
