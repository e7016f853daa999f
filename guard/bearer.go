package guard

import "strings"

// Bearer returns the bearer token of an Authorization header, or "".
func Bearer(header string) (token string) {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return token
}
