package store

import (
	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/webhook"
)

// A LedError is ErrNotYours, with the end of the other planner's lease.
type LedError = study.LedError

// Errors of [Studies].
var (
	ErrNotFound    = study.ErrNotFound
	ErrChanged     = study.ErrChanged
	ErrNoMember    = study.ErrNoMember
	ErrTaken       = study.ErrTaken
	ErrEnough      = study.ErrEnough
	ErrQuota       = study.ErrQuota
	ErrNotYours    = study.ErrNotYours
	ErrBusy        = study.ErrBusy
	ErrUnavailable = study.ErrUnavailable
)

// Errors of [Tokens].
var (
	ErrTokenUnknown = access.ErrUnknown
	ErrTokenTaken   = access.ErrTaken
	ErrTokenLast    = access.ErrLast
)

// Errors of [Webhooks].
var (
	ErrWebhookNone = webhook.ErrNone
	ErrWebhookLost = webhook.ErrLost
)
