package wire

import "time"

// An Ask is a respondent who wants a question.
type Ask struct {
	Respondent string `json:"respondent,omitempty" maxLength:"200" doc:"Who answers: the same text each time. Default a new one, which the reply has."`
	Segment    string `json:"segment,omitempty" maxLength:"200" doc:"Which part of the population they belong to, where the study has segments."`
	Key        string `json:"key,omitempty" maxLength:"200" doc:"That of a member of the panel. Their name, and their segment if they have one, are the member's, whatever else is said here."`
}

// A Question is arms to pick from.
type Question struct {
	Token      string    `json:"token" doc:"What to answer with."`
	Respondent string    `json:"respondent"`
	Prompt     string    `json:"prompt"`
	Arms       []Arm     `json:"arms" nullable:"false" doc:"In the order in which they are to be shown."`
	Picks      int       `json:"picks" doc:"How many to pick, best first."`
	Expires    time.Time `json:"expires" doc:"Until when the question is the respondent's. Later answers count as long as it was not given to somebody else."`
	Done       *int      `json:"done,omitempty" doc:"Questions this respondent has answered or skipped, where there is a limit. Only for members of the panel, for names that the server chose, and in the reply to an answer or skip: a name alone proves nothing."`
	Each       int       `json:"each,omitempty" doc:"The limit of questions per respondent."`
}

// An Answer is picks of a question.
type Answer struct {
	Token string   `json:"token" minLength:"1" maxLength:"10000"`
	Picks []string `json:"picks" minItems:"1" maxItems:"999" nullable:"false" doc:"Ids of arms that were shown, best first."`
	Next  bool     `json:"next,omitempty" doc:"Ask for another question, too."`
}

// A Skip names a question that the respondent cannot decide.
type Skip struct {
	Token string `json:"token" minLength:"1" maxLength:"10000"`
	Next  bool   `json:"next,omitempty" doc:"Ask for another question, too."`
}

// An Undo names a question whose answer is taken back.
type Undo struct {
	Token string `json:"token" minLength:"1" maxLength:"10000"`
}

// An Outcome says what became of a question.
type Outcome struct {
	Kind string    `json:"kind" enum:"answered,skipped,undone"`
	Next *Question `json:"next,omitempty" doc:"Another question, if one was asked for and there is one at once."`
}

// An Imported says how many answers were imported.
type Imported struct {
	Batch   string `json:"batch"`
	Answers int    `json:"answers"`
}
