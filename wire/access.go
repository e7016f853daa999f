package wire

import "time"

// An AccessToken is what is known of a token that was given out.
type AccessToken struct {
	Name    string    `json:"name" doc:"Whose it is."`
	Role    string    `json:"role" enum:"owner,viewer"`
	Created time.Time `json:"created"`
}

// AccessTokens are all of them.
type AccessTokens struct {
	Tokens []AccessToken `json:"tokens" nullable:"false"`
}

// A NewToken is one that is to be made.
type NewToken struct {
	Name string `json:"name" minLength:"1" maxLength:"100" doc:"Whose it is. No two are called the same."`
	Role string `json:"role" enum:"owner,viewer" doc:"Owners may do everything; viewers may read results, but change nothing, and read nothing about respondents."`
}

// A CreatedToken is a new one.
type CreatedToken struct {
	AccessToken

	Secret string `json:"secret" doc:"The token itself, which is shown this once."`
}

// A Revocation names a token that is made worthless. The name is not part of an address, as it may be any text.
type Revocation struct {
	Name string `json:"name" minLength:"1" maxLength:"1000"`
}

// An Entry says what somebody did.
type Entry struct {
	At        time.Time `json:"at"`
	By        string    `json:"by,omitempty" doc:"The name of the token; absent for what was done at the command line."`
	Operation string    `json:"operation" doc:"As it is called here, such as create-study."`
	Study     string    `json:"study,omitempty" doc:"The id of the study, which may be deleted since."`
	Detail    string    `json:"detail,omitempty" doc:"Such as which fields were changed."`
}

// Audit is a page of what was done.
type Audit struct {
	Entries []Entry `json:"entries" nullable:"false"`
	Next    string  `json:"next,omitempty" doc:"The cursor of the next page; absent on the last one."`
}
