package wire

// A Problem is what went wrong, as in RFC 9457.
type Problem struct {
	Type   string   `json:"type,omitempty" format:"uri" doc:"What kind of problem it is, for programs; absent where the status says all."`
	Title  string   `json:"title,omitempty" doc:"What the status means."`
	Status int      `json:"status,omitempty" doc:"The status of the reply."`
	Detail string   `json:"detail,omitempty" doc:"What went wrong, in a sentence."`
	Errors []Detail `json:"errors,omitempty" nullable:"false" doc:"What is wrong with what was sent, one by one."`
}

// A Detail is one thing that is wrong, and where.
type Detail struct {
	Message  string `json:"message,omitempty"`
	Location string `json:"location,omitempty" doc:"Such as body.settings.k, query.limit or header.If-Match."`
}

// The types of problems that a program may want to tell apart.
const (
	NotFound     = "urn:bestpick:not-found"
	StudyDraft   = "urn:bestpick:draft"        // the study has not been opened yet
	StudyPaused  = "urn:bestpick:paused"       // the study is paused and may continue later
	StudyDone    = "urn:bestpick:done"         // the study is done
	StudyLapsed  = "urn:bestpick:lapsed"       // the study ended for a reason that no longer holds; its owner may open it again
	NotMember    = "urn:bestpick:not-member"   // only members of the panel may answer, each with a key
	NoQuestion   = "urn:bestpick:no-question"  // there is none at the moment
	Enough       = "urn:bestpick:enough"       // the respondent has answered as many questions as the study allows
	Conflict     = "urn:bestpick:conflict"     // the question was answered in another way
	Replaced     = "urn:bestpick:replaced"     // the question was given to somebody else
	TooLate      = "urn:bestpick:too-late"     // the answer counts already
	NotAnswered  = "urn:bestpick:not-answered" // there is nothing to take back
	BadToken     = "urn:bestpick:bad-token"    //nolint:gosec // not one of a question of this study
	Changed      = "urn:bestpick:changed"      // somebody else has changed the study in the meantime
	NoVersion    = "urn:bestpick:no-version"   // If-Match is needed
	Started      = "urn:bestpick:started"      // only a draft can be changed like that
	WrongState   = "urn:bestpick:wrong-state"  // the study cannot go to that state
	Known        = "urn:bestpick:known"        // the batch was imported before
	Invalid      = "urn:bestpick:invalid"      // errors say what, and where
	TooLarge     = "urn:bestpick:too-large"    // what was sent is larger than what is taken
	TooMany      = "urn:bestpick:too-many"     // too many requests; Retry-After says how long to wait
	Taken        = "urn:bestpick:taken"        // something else is called like that
	LastOwner    = "urn:bestpick:last-owner"   // without this token nobody could do anything
	Unavailable  = "urn:bestpick:unavailable"  // the database cannot be used at the moment; the same may work later
	Timeout      = "urn:bestpick:timeout"      // the request took too long; the same may work later
	Busy         = "urn:bestpick:busy"         // the study is locked, or changes too often, at the moment; the same may work later
	Unauthorized = "urn:bestpick:unauthorized" // a token is needed
	Forbidden    = "urn:bestpick:forbidden"    // the token does not allow that
	CrossOrigin  = "urn:bestpick:cross-origin" // a page of another site may not change anything here
)
