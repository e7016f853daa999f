//go:build long

package main

import (
	"testing"

	"bestpick/client"
)

// TestLongLiveRounds: after a restart in the middle of the study, the log is replayed, and the questions
// that the first process had claimed are asked again. That takes 21 seconds: the time to live of a claim
// and the lease.
func TestLongLiveRounds(t *testing.T) {
	live(t, func(owner *client.Client, id string) { answer(t, owner, id, 10) })
}
