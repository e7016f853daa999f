package guard

import "strings"

// Bearer returns the token that an Authorization header shows, empty if it shows none.
func Bearer(header string) (token string) {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return token
}
