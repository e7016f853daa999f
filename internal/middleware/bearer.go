package middleware

import "strings"

// Bearer returns the token of an Authorization header, or "" if there is none.
func Bearer(header string) (token string) {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return token
}
