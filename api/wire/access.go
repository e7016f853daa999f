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
