package wire

import "time"

// An Ask is a respondent's request for a question.
type Ask struct {
	Respondent string `json:"respondent,omitempty" maxLength:"200" doc:"The respondent in the reply to welcome or to an earlier request, which has a signature. Any name, if the request has an owner's token. Defaults to a new name, which is in the reply, for a respondent who is asked one question."`
	Segment    string `json:"segment,omitempty" maxLength:"200" doc:"The respondent's part of the population, if the study has segments."`
	Key        string `json:"key,omitempty" maxLength:"200" doc:"The key of a member of the panel. The member's name, and segment if there is one, override the other fields."`
	Consent    string `json:"consent,omitempty" maxLength:"32" doc:"The consent_id of the text that the respondent agrees to: see welcome. Needed once, if the study asks for consent."`
	PID        string `json:"pid,omitempty" maxLength:"200" doc:"The id in the respondent's link, if the audience is ids or signed. It is the respondent's name."`
	Signature  string `json:"signature,omitempty" maxLength:"64" doc:"The HMAC-SHA-256 of the id under the study's key, in hexadecimal digits, if the audience is signed."`
}

// A Question has the arms to pick from.
type Question struct {
	Token      string    `json:"token" doc:"Identifies the question in the answer."`
	Respondent string    `json:"respondent" doc:"The name to send with later requests of this respondent. It has a signature if the server has chosen it."`
	Prompt     string    `json:"prompt"`
	Context    string    `json:"context,omitempty" doc:"The context in which to compare the arms, if the study has contexts. Each arm then has its text in this context, and nothing else."`
	Format     string    `json:"format,omitempty" enum:"plain,markdown" doc:"The format of the context and the texts. Never render HTML in them."`
	Arms       []Arm     `json:"arms" nullable:"false" doc:"In the order in which to show them."`
	Picks      int       `json:"picks" doc:"The number of arms to pick, best first."`
	None       bool      `json:"none,omitempty" doc:"Whether none of the arms is an answer, too."`
	Tie        bool      `json:"tie,omitempty" doc:"Whether it is an answer, too, that all arms are equally good."`
	Worst      bool      `json:"worst,omitempty" doc:"Whether to name the worst arm, too."`
	Expires    time.Time `json:"expires" doc:"The end of the lease. Later answers count unless the question was given to another respondent."`
	Done       *int      `json:"done,omitempty" doc:"The number of questions that this respondent has answered or skipped, if there is a limit. Not in the reply to a request with an id that is not checked, since it proves nothing."`
	Each       int       `json:"each,omitempty" doc:"The largest number of questions per respondent."`
}

// ProfileAnswers are what a respondent says about themselves.
type ProfileAnswers struct {
	Respondent string            `json:"respondent,omitempty" maxLength:"200" doc:"The respondent in the reply to welcome or to an earlier request, which has a signature. Any name, if the request has an owner's token. Defaults to a new name, which is in the reply."`
	Key        string            `json:"key,omitempty" maxLength:"200" doc:"The key of a member of the panel. The member's name overrides the respondent."`
	After      bool              `json:"after,omitempty" doc:"Answer the questions that follow the last question. Defaults to those before the first one."`
	Answers    map[string]string `json:"answers" doc:"The answers by the names of the profile questions: one of the choices, or a number. All questions must be answered."`
	Consent    string            `json:"consent,omitempty" maxLength:"32" doc:"As in a request for a question."`
	PID        string            `json:"pid,omitempty" maxLength:"200" doc:"The id in the respondent's link, if the audience is ids or signed. It is the respondent's name."`
	Signature  string            `json:"signature,omitempty" maxLength:"64" doc:"The HMAC-SHA-256 of the id under the study's key, in hexadecimal digits, if the audience is signed."`
}

// An Admission is the reply to the answers of a respondent about themselves.
type Admission struct {
	Respondent string `json:"respondent" doc:"The name to ask for questions with."`
}

// An Answer has the picks of a question, or none or tie instead, where the question offers them.
type Answer struct {
	Token string   `json:"token" minLength:"1" maxLength:"10000"`
	Picks []string `json:"picks,omitempty" maxItems:"999" nullable:"false" doc:"Ids of the arms picked, best first. Required unless the answer is none or tie."`
	Worst string   `json:"worst,omitempty" maxLength:"1000" doc:"The id of the worst arm, if the question asks for it."`
	None  bool     `json:"none,omitempty" doc:"None of the arms."`
	Tie   bool     `json:"tie,omitempty" doc:"All arms are equally good."`
	Next  bool     `json:"next,omitempty" doc:"Also ask for the next question."`

	Note //nolint:embeddedstructfieldcheck // last in JSON
}

// A Note adds a rationale, metadata and the kind of respondent to an answer. Decisions do not depend on it.
type Note struct {
	Rationale string            `json:"rationale,omitempty" maxLength:"4000" doc:"Why the respondent answered so."`
	Metadata  map[string]string `json:"metadata,omitempty" maxProperties:"20" doc:"Texts about the answer, such as the version of a model. At most 4,000 bytes in all."`
	Judge     string            `json:"judge,omitempty" enum:"person,model" doc:"The kind of respondent. Defaults to person."`
}

// A Skip names a question that the respondent cannot decide.
type Skip struct {
	Token string `json:"token" minLength:"1" maxLength:"10000"`
	Next  bool   `json:"next,omitempty" doc:"Also ask for the next question."`
}

// An Undo names a question whose answer to take back.
type Undo struct {
	Token string `json:"token" minLength:"1" maxLength:"10000"`
}

// An Outcome reports the state of a question after a request.
type Outcome struct {
	Kind string    `json:"kind" enum:"answered,skipped,undone"`
	Next *Question `json:"next,omitempty" doc:"The next question, if the request asked for it and one is available."`
}

// An Imported reports how many answers were imported.
type Imported struct {
	Batch   string `json:"batch"`
	Answers int    `json:"answers"`
}

// NewAnswers are answers that were recorded elsewhere, to import.
type NewAnswers struct {
	Answers []RecordedAnswer `json:"answers" minItems:"1" maxItems:"1000000" nullable:"false"`
	Batch   string           `json:"batch,omitempty" maxLength:"200" doc:"The name of the batch, which is imported once. Defaults to a hash of the answers."`
}

// A RecordedAnswer is an answer that was recorded elsewhere.
type RecordedAnswer struct {
	Shown      []string   `json:"shown" minItems:"2" maxItems:"1000" nullable:"false" doc:"Ids of the arms shown, in their order."`
	Picks      []string   `json:"picks" minItems:"1" maxItems:"999" nullable:"false" doc:"Ids of the arms picked, best first."`
	Respondent string     `json:"respondent,omitempty" maxLength:"200"`
	Segment    string     `json:"segment,omitempty" maxLength:"200" doc:"The respondent's part of the population, if the study has segments."`
	Asked      *time.Time `json:"asked,omitempty" doc:"When the question was asked. Defaults to unknown."`
	At         *time.Time `json:"at,omitempty" doc:"When the question was answered. Defaults to the time of the import."`

	Note //nolint:embeddedstructfieldcheck // last in JSON
}

// A Welcome is what respondents read before the first question.
type Welcome struct {
	Texts      map[string]WelcomeTexts `json:"texts" doc:"Texts by language, such as en."`
	Respondent string                  `json:"respondent,omitempty" doc:"A new name for a respondent of an open link, with a signature: send it with all their requests. Absent if the audience of the study is another."`
	Privacy    string                  `json:"privacy,omitempty" doc:"Address of the privacy notice."`
}

// WelcomeTexts are the texts of a welcome in one language.
type WelcomeTexts struct {
	Welcome   string `json:"welcome,omitempty"`
	Consent   string `json:"consent,omitempty" doc:"The text that a respondent must agree to. Absent if the study asks for no consent."`
	ConsentID string `json:"consent_id,omitempty" doc:"Identifies the text of consent when a respondent agrees to it."`
}
