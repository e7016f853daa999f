package study

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// A Member is a respondent in a study's panel. If a study has a panel, only members may answer.
type Member struct {
	Number  int64  // in the study, in the order of addition, set by the store
	Name    string // recorded with their answers
	Segment string // overrides the segment in a request; may be empty
	Key     string // unguessable; identifies the member
	Added   time.Time
}

// HashKey returns the hash by which stores look up members. The time that a lookup takes reveals
// nothing about the key.
func HashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// Check returns an error unless every store can keep the member.
func (m Member) Check() error {
	if m.Name == "" || m.Key == "" {
		return errors.New("study: a member must have a name and a key")
	}
	for _, text := range []string{m.Name, m.Segment, m.Key} {
		if err := CheckText(text); err != nil {
			return fmt.Errorf("study: %w", err)
		}
	}
	return nil
}

// A PanelChange is one atomic change of a panel.
type PanelChange struct {
	Put    []Member // new members; one with the name of an existing member replaces it and keeps its number
	Remove []string // names; unknown names are ignored
}

// Check returns an error unless every store can apply the change: all members are valid, and no
// name occurs twice.
func (c PanelChange) Check() error {
	named := map[string]bool{}
	for _, m := range c.Put {
		if err := m.Check(); err != nil {
			return err
		}
		if named[m.Name] {
			return errors.New("study: a name occurs twice among the members to put")
		}
		named[m.Name] = true
	}
	for _, name := range c.Remove {
		if err := CheckText(name); err != nil {
			return fmt.Errorf("study: %w", err)
		}
		if named[name] {
			return errors.New("study: a member cannot be put and removed in one change")
		}
	}
	return nil
}
