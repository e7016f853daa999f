package web

import (
	"net/http"
	"strings"

	"bestpick/access"
)

// sessionCookie has the token of whoever is signed in.
const sessionCookie = "session"

// signedIn lets only those through whose token allows a role.
func (p *Pages) signedIn(role access.Role, next func(w http.ResponseWriter, r *http.Request, who access.Token)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		secret, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if cookie, err := r.Cookie(sessionCookie); err == nil {
			secret = cookie.Value
		}
		who, err := p.Tokens.Token(r.Context(), access.Hash(secret))
		switch {
		case err != nil:
			http.Error(w, "this needs a token", http.StatusUnauthorized)
		case !who.Role.May(role):
			http.Error(w, "only an owner may do that", http.StatusForbidden)
		default:
			next(w, r, who)
		}
	}
}
