package api

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/wire"
)

// tooMany is the problem of somebody who comes too often.
func tooMany(wait time.Duration) error {
	told := problem(http.StatusTooManyRequests, wire.TooMany, "there are too many requests; try again later")
	return huma.ErrorWithHeaders(told, http.Header{"Retry-After": {retryAfter(wait)}})
}

// TooMany replies to somebody who comes too often, before any operation is chosen.
func TooMany(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", retryAfter(wait))
	tell(w, problem(http.StatusTooManyRequests, wire.TooMany, "there are too many requests from this address; try again later"))
}

func retryAfter(wait time.Duration) string { return strconv.Itoa(int(math.Ceil(wait.Seconds()))) }
