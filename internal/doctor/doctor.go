// Package doctor checks the configuration, the database and the machine of a server, and changes nothing.
package doctor

import (
	"context"

	"bestpick/internal/store"
)

// A Condition is the severity of a finding.
type Condition string

// The conditions.
const (
	Healthy Condition = "ok"
	Warning Condition = "warning" // works, but needs attention
	Problem Condition = "problem"
)

// A Finding is the result of one check.
type Finding struct {
	Check   string    `json:"check"`
	Status  Condition `json:"status"`
	Message string    `json:"message"` // the state, and what to do about it
}

// Check checks a server with a database, which [store.Open] would open, that is to listen on an address.
func Check(ctx context.Context, path, listen string) []Finding {
	findings := []Finding{checkConfiguration(path)}
	if store.IsPostgres(path) {
		findings = append(findings, checkPostgres(ctx, path)...)
	} else {
		findings = append(findings, checkFile(ctx, path)...)
	}
	return append(findings, checkAddress(ctx, listen))
}
