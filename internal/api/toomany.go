package api

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"bestpick/wire"
)

// TooMany writes the problem for a client that exceeds the rate limit, before routing.
func TooMany(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", retryAfter(wait))
	tell(w, problem(http.StatusTooManyRequests, wire.TooMany, "too many requests from this address; try again later"))
}

func retryAfter(wait time.Duration) string { return strconv.Itoa(int(math.Ceil(wait.Seconds()))) }
