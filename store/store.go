// Package store has the interface of a store of live studies and the types in it, so that another
// module can write a store for package serve.
//
// The types are aliases: their documentation is that of the types that they name. Package storetest
// tests the contract; every store must pass it. All data that a store does not interpret, such as the
// settings of a study, can be stored as JSON: it survives encoding/json unchanged.
//
// The interface grows with bestpick. A store that embeds another [Store] and replaces some of its
// methods compiles after an update; a store that has all methods itself needs the new ones.
package store

import (
	"bestpick/internal/access"
	"bestpick/internal/picture"
	"bestpick/internal/study"
	"bestpick/internal/webhook"
)

// A Store stores studies, tokens, the audit log and webhooks. It never loses acknowledged writes. Safe
// for concurrent use.
type Store interface {
	Studies
	Tokens
	Audit
	Webhooks
}

// The parts of a store.
type (
	Studies  = study.Store
	Tokens   = access.Tokens
	Audit    = access.Audit
	Webhooks = webhook.Store
)

// Studies with their panels, profiles, pictures and moves.
type (
	Study           = study.Study
	Settings        = study.Settings
	Presentation    = study.Presentation
	State           = study.State
	Reason          = study.Reason
	Pulse           = study.Pulse
	Picture         = picture.Picture
	Member          = study.Member
	PanelChange     = study.PanelChange
	Profile         = study.Profile
	ProfileQuestion = study.ProfileQuestion
	Archive         = study.Archive
)

// The log of a study and its plans.
type (
	Outcome  = study.Outcome
	Kind     = study.Kind
	Position = study.Position
	Note     = study.Note
	History  = study.History
	Plan     = study.Plan
	Afresh   = study.Afresh
	Claim    = study.Claim
)

// Tokens, the audit log and webhooks.
type (
	Token        = access.Token
	Role         = access.Role
	Entry        = access.Entry
	Webhook      = webhook.Hook
	WebhookState = webhook.State
	Delivery     = webhook.Delivery
)

// The states of a study.
const (
	Draft  = study.Draft
	Open   = study.Open
	Paused = study.Paused
	Done   = study.Done
)

// The kinds of outcomes, and the position of questions outside the deck.
const (
	Answered = study.Answered
	Skipped  = study.Skipped
	Undone   = study.Undone
	Lost     = study.Lost
	Imported = study.Imported
	Erased   = study.Erased

	Elsewhere = study.Elsewhere
)

// NoLimit as each lets a respondent answer any number of questions.
const NoLimit = study.NoLimit

// Owner is the role of tokens of which a store keeps the last one.
const Owner = access.Owner

// The states of a webhook, and the number of deliveries in the log of a study.
const (
	Waiting   = webhook.Waiting
	Delivered = webhook.Delivered
	GivenUp   = webhook.GivenUp

	MaxDeliveries = webhook.MaxDeliveries
)
