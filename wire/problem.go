package wire

// A Problem describes an error, as in RFC 9457.
type Problem struct {
	Type   string   `json:"type,omitempty" format:"uri" enum:"urn:bestpick:not-found,urn:bestpick:draft,urn:bestpick:paused,urn:bestpick:done,urn:bestpick:lapsed,urn:bestpick:not-member,urn:bestpick:no-question,urn:bestpick:enough,urn:bestpick:no-consent,urn:bestpick:full,urn:bestpick:no-profile,urn:bestpick:quota-full,urn:bestpick:not-eligible,urn:bestpick:conflict,urn:bestpick:replaced,urn:bestpick:too-late,urn:bestpick:not-answered,urn:bestpick:bad-token,urn:bestpick:changed,urn:bestpick:no-version,urn:bestpick:started,urn:bestpick:wrong-state,urn:bestpick:known,urn:bestpick:invalid,urn:bestpick:too-large,urn:bestpick:too-many,urn:bestpick:taken,urn:bestpick:last-owner,urn:bestpick:unavailable,urn:bestpick:timeout,urn:bestpick:busy,urn:bestpick:unauthorized,urn:bestpick:forbidden,urn:bestpick:cross-origin,urn:bestpick:wrong-method" doc:"The type of problem, for programs. Absent if the status says enough. not-found: the study or other resource does not exist. draft: the study has not been opened yet. paused: the study is paused and may continue later. done: the study is done. lapsed: the study ended for a reason that no longer holds; its owner may open it again. not-member: the respondent is not in the audience of the study; the detail says what is missing. no-question: no question is available at the moment. enough: the respondent has answered as many questions as the study allows. no-consent: the respondent must agree to the text of consent first. full: the study has no place for another answer at the moment; one may become free. no-profile: the respondent must answer the profile questions first. quota-full: the study has enough respondents of this group now. not-eligible: the study is for other respondents. conflict: the question already has a different answer. replaced: the question was given to another respondent. too-late: the answer is already counted. not-answered: there is no answer to take back. bad-token: the token is not of a question of this study. changed: the study was changed since the version in If-Match. no-version: the request needs an If-Match header. started: only a draft allows this change. wrong-state: the study cannot change to this state. known: the batch was imported before. invalid: the request is invalid; errors lists where. too-large: the request body exceeds the size limit. too-many: rate limit exceeded; Retry-After has the time to wait. taken: the name is already in use. last-owner: the last owner token cannot be revoked. unavailable: the database is unavailable; retry later. timeout: the request took too long; retry later. busy: the study is locked or changes too often at the moment; retry later. unauthorized: the request needs a valid token. forbidden: the token does not allow this, or one is needed to name respondents. cross-origin: a page of another site may not change anything. wrong-method: the path has other methods; Allow lists them."`
	Title  string   `json:"title,omitempty" doc:"The meaning of the status."`
	Status int      `json:"status,omitempty" doc:"The status of the reply."`
	Detail string   `json:"detail,omitempty" doc:"The error in one sentence."`
	Errors []Detail `json:"errors,omitempty" nullable:"false" doc:"The invalid parts of the request, one by one."`
}

// A Detail is one invalid part of a request.
type Detail struct {
	Message  string `json:"message,omitempty"`
	Location string `json:"location,omitempty" doc:"The place in the request, such as body.settings.k, query.limit or header.If-Match."`
}

// The types of problems, for programs that handle them differently.
const (
	NotFound     = "urn:bestpick:not-found"    // the study or other resource does not exist
	StudyDraft   = "urn:bestpick:draft"        // the study has not been opened yet
	StudyPaused  = "urn:bestpick:paused"       // the study is paused and may continue later
	StudyDone    = "urn:bestpick:done"         // the study is done
	StudyLapsed  = "urn:bestpick:lapsed"       // the study ended for a reason that no longer holds; its owner may open it again
	NotMember    = "urn:bestpick:not-member"   // the respondent is not in the audience of the study
	NoQuestion   = "urn:bestpick:no-question"  // no question is available at the moment
	Enough       = "urn:bestpick:enough"       // the respondent has answered as many questions as the study allows
	NoConsent    = "urn:bestpick:no-consent"   // the respondent must agree to the text of consent first
	Full         = "urn:bestpick:full"         // the study has no place for another answer at the moment; one may become free
	NoProfile    = "urn:bestpick:no-profile"   // the respondent must answer the profile questions first
	QuotaFull    = "urn:bestpick:quota-full"   // the study has enough respondents of this group now
	NotEligible  = "urn:bestpick:not-eligible" // the study is for other respondents
	Conflict     = "urn:bestpick:conflict"     // the question already has a different answer
	Replaced     = "urn:bestpick:replaced"     // the question was given to another respondent
	TooLate      = "urn:bestpick:too-late"     // the answer is already counted
	NotAnswered  = "urn:bestpick:not-answered" // there is no answer to take back
	BadToken     = "urn:bestpick:bad-token"    //nolint:gosec // not a secret; the token is not of a question of this study
	Changed      = "urn:bestpick:changed"      // the study was changed since the version in If-Match
	NoVersion    = "urn:bestpick:no-version"   // the request needs an If-Match header
	Started      = "urn:bestpick:started"      // only a draft allows this change
	WrongState   = "urn:bestpick:wrong-state"  // the study cannot change to this state
	Known        = "urn:bestpick:known"        // the batch was imported before
	Invalid      = "urn:bestpick:invalid"      // the request is invalid; errors lists where
	TooLarge     = "urn:bestpick:too-large"    // the request body exceeds the size limit
	TooMany      = "urn:bestpick:too-many"     // rate limit exceeded; Retry-After has the time to wait
	Taken        = "urn:bestpick:taken"        // the name is already in use
	LastOwner    = "urn:bestpick:last-owner"   // the last owner token cannot be revoked
	Unavailable  = "urn:bestpick:unavailable"  // the database is unavailable; retry later
	Timeout      = "urn:bestpick:timeout"      // the request took too long; retry later
	Busy         = "urn:bestpick:busy"         // the study is locked or changes too often at the moment; retry later
	Unauthorized = "urn:bestpick:unauthorized" // the request needs a valid token
	Forbidden    = "urn:bestpick:forbidden"    // the token does not allow this, or one is needed to name respondents
	CrossOrigin  = "urn:bestpick:cross-origin" // a page of another site may not change anything
	WrongMethod  = "urn:bestpick:wrong-method" // the path has other methods; Allow lists them
)
