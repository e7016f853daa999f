package api

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/wire"
)

// tooMany returns the problem for a respondent who exceeds the rate limit.
func tooMany(wait time.Duration, quota http.Header) error {
	told := problem(http.StatusTooManyRequests, wire.TooMany, "too many requests; try again later")
	return huma.ErrorWithHeaders(huma.ErrorWithHeaders(told, http.Header{"Retry-After": {retryAfter(wait)}}), quota)
}

// TooMany writes the problem for a client that exceeds the rate limit, before routing.
func TooMany(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", retryAfter(wait))
	tell(w, problem(http.StatusTooManyRequests, wire.TooMany, "too many requests from this address; try again later"))
}

func retryAfter(wait time.Duration) string { return strconv.Itoa(int(math.Ceil(wait.Seconds()))) }
