package webhook

import (
	"net/netip"
	"time"

	"bestpick/internal/outbound"
)

// What the tests know of the inside.
const (
	Soon     = soon
	Hold     = hold
	Shortest = shortest
	GiveUp   = giveUp
)

// Hurry makes a sender less patient.
func (s *Sender) Hurry(patience time.Duration) { s.patience = patience }

// Public is public.
func Public(address netip.Addr) bool { return outbound.Public(address) }
