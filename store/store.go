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
	"bestpick/internal/jobs"
	"bestpick/internal/picture"
	"bestpick/internal/study"
	"bestpick/internal/webhook"
)

// A Store stores studies, tokens, the audit log, webhooks and background jobs. It never loses acknowledged
// writes. Safe for concurrent use.
type Store interface {
	Studies
	Tokens
	Audit
	Webhooks
	Jobs
}

type (
	// Studies stores studies and everything in them.
	Studies = study.Store

	// Tokens stores the tokens of owners and viewers.
	Tokens = access.Tokens

	// Audit stores the audit log.
	Audit = access.Audit

	// Webhooks stores the webhooks of studies and their deliveries.
	Webhooks = webhook.Store

	// Jobs stores and runs work for the background.
	Jobs = jobs.Queue
)

type (
	// Study is the owner's setup of a study and its current state.
	Study = study.Study

	// Settings configure a study. Stores do not interpret them.
	Settings = study.Settings

	// Presentation has the texts of the pages for respondents. Stores do not interpret it.
	Presentation = study.Presentation

	// State is draft, open, paused or done.
	State = study.State

	// Reason says why a study is done.
	Reason = study.Reason

	// Pulse tells whether anything has happened in a study.
	Pulse = study.Pulse

	// Replica is a process that plans studies.
	Replica = study.Replica

	// Picture is a picture of an arm.
	Picture = picture.Picture

	// Member is a person in the panel of a study.
	Member = study.Member

	// PanelChange adds members to a panel and removes others.
	PanelChange = study.PanelChange

	// Profile has a respondent's answers to profile questions.
	Profile = study.Profile

	// ProfileQuestion is a question about the respondent. Its choices can have quotas.
	ProfileQuestion = study.ProfileQuestion

	// Archive is a complete study.
	Archive = study.Archive
)

type (
	// Outcome is an entry of the log: what happened to a question.
	Outcome = study.Outcome

	// Kind is the kind of an outcome.
	Kind = study.Kind

	// Position is the number of a question in the deck.
	Position = study.Position

	// Note has the rationale, the metadata and the kind of judge of an answer.
	Note = study.Note

	// History summarises a respondent's outcomes.
	History = study.History

	// Plan is one step of the strategy.
	Plan = study.Plan

	// Afresh describes the first plan after an erasure.
	Afresh = study.Afresh

	// Claim is a set of questions that one process may deal.
	Claim = study.Claim
)

type (
	// Token is the token of an owner or a viewer, with the hash of its secret.
	Token = access.Token

	// Role is owner or viewer.
	Role = access.Role

	// Entry is an operation in the audit log.
	Entry = access.Entry

	// Webhook is the webhook of a study, with the state of its delivery.
	Webhook = webhook.Hook

	// WebhookState is waiting, delivered or given up.
	WebhookState = webhook.State

	// Delivery is one attempt to deliver a webhook.
	Delivery = webhook.Delivery

	// Job is work for the background.
	Job = jobs.Job

	// Workers run the jobs of a process.
	Workers = jobs.Workers

	// Worker does a job.
	Worker = jobs.Worker

	// AgainError is the error of a worker that runs the job again at a time of its choice.
	AgainError = jobs.AgainError
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
