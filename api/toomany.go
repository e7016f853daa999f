package api

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/api/wire"
)

// tooMany is the problem of somebody who comes too often.
func tooMany(wait time.Duration) error {
	told := problem(http.StatusTooManyRequests, wire.TooMany, "there are too many requests; try again later")
	return huma.ErrorWithHeaders(told, http.Header{"Retry-After": {retryAfter(wait)}})
}

// TooMany replies to somebody who comes too often, before any operation is chosen.
func TooMany(w http.ResponseWriter, wait time.Duration) {
	told := problem(http.StatusTooManyRequests, wire.TooMany, "there are too many requests from this address; try again later")
	text, err := json.Marshal(wire.Problem{Type: told.Type, Title: told.Title, Status: told.Status, Detail: told.Detail})
	if err != nil {
		panic("api: " + err.Error())
	}
	w.Header().Set("Content-Type", problemType)
	w.Header().Set("Retry-After", retryAfter(wait))
	w.WriteHeader(told.Status)
	_, _ = w.Write(text) // whoever asked has gone
}

func retryAfter(wait time.Duration) string { return strconv.Itoa(int(math.Ceil(wait.Seconds()))) }
