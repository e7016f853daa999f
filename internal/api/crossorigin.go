package api

import (
	"net/http"

	"bestpick/wire"
)

// CrossOrigin replies to a browser that a page of another site has sent here, before any operation is chosen.
func CrossOrigin(w http.ResponseWriter) {
	tell(w, problem(http.StatusForbidden, wire.CrossOrigin, "a page of another site may not change anything here"))
}
