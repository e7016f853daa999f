package webhook

import (
	"net/netip"
	"time"

	"bestpick/internal/middleware"
)

// Constants that the tests use.
const (
	Soon   = soon
	GiveUp = giveUp
)

// Hurry sets the timeout of an attempt.
func (s *Sender) Hurry(patience time.Duration) { s.patience = patience }

// Public exports public.
func Public(address netip.Addr) bool { return middleware.Public(address) }
