package api

import (
	"net/http"

	"bestpick/wire"
)

// CrossOrigin writes the problem for a cross-origin request that was rejected before routing.
func CrossOrigin(w http.ResponseWriter) {
	tell(w, problem(http.StatusForbidden, wire.CrossOrigin, "cross-origin requests must not change anything"))
}
