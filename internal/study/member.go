package study

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// A Member is a respondent of a panel: one of those who alone may answer where a study has one.
type Member struct {
	Number  int64  // in the study, in the order in which they were added, set by the store
	Name    string // under which they are recorded
	Segment string // to which they belong, whatever they say; or nothing
	Key     string // unguessable: whoever has it is this member
	Added   time.Time
}

// HashKey returns what members are looked up by. Looking a hash up by equality tells nothing of the key by the time it
// takes.
func HashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// Check returns an error unless every store can keep the member.
func (m Member) Check() error {
	if m.Name == "" || m.Key == "" {
		return errors.New("study: a member has a name and a key")
	}
	for _, text := range []string{m.Name, m.Segment, m.Key} {
		if err := CheckText(text); err != nil {
			return fmt.Errorf("study: %w", err)
		}
	}
	return nil
}

// A PanelChange is what happens to a panel at once.
type PanelChange struct {
	Put    []Member // new ones, and those who take the place of a member of the same name and keep the number
	Remove []string // names, of which some may be nobody's
}

// Check returns an error unless every store can do it: all members can be kept, and no name is there twice.
func (c PanelChange) Check() error {
	named := map[string]bool{}
	for _, m := range c.Put {
		if err := m.Check(); err != nil {
			return err
		}
		if named[m.Name] {
			return errors.New("study: a member is there twice")
		}
		named[m.Name] = true
	}
	for _, name := range c.Remove {
		if err := CheckText(name); err != nil {
			return fmt.Errorf("study: %w", err)
		}
		if named[name] {
			return errors.New("study: a member is put and removed at once")
		}
	}
	return nil
}
