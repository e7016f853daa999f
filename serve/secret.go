package serve

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bestpick/internal/store"
	"bestpick/internal/study"
)

// minSecret is the least number of characters of a secret.
const minSecret = 32

// SecretFile returns the file in which the secret of an SQLite database is kept, beside the database.
func SecretFile(database string) string { return database + ".secret" }

// secretOf returns the secret of a service: the given one, or, for SQLite, that of the secret file, which it creates if
// needed.
func secretOf(database, given string) (string, error) {
	if given == "" && !store.IsPostgres(database) {
		text, err := os.ReadFile(SecretFile(database))
		if errors.Is(err, fs.ErrNotExist) {
			return createSecret(database)
		}
		if err != nil {
			return "", err
		}
		given = string(text)
	}
	given = strings.TrimSpace(given)
	for line := range strings.SplitSeq(given, "\n") {
		if line = strings.TrimSpace(line); len(line) < minSecret {
			return "", OptionError{Err: fmt.Errorf("the secret must have at least %d characters, got %d: "+
				"set BESTPICK_SECRET or --secret-file to a random text, the same for all replicas", minSecret, len(line))}
		}
	}
	return given, nil
}

// createSecret writes a new secret to the secret file, which only its owner can read, unless another process was faster,
// and returns the secret of the file.
func createSecret(database string) (string, error) {
	file, err := os.CreateTemp(filepath.Dir(database), ".bestpick-*.secret")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(file.Name()) }() // a leftover file is not used
	_, err = fmt.Fprintln(file, rand.Text()+rand.Text())
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return "", err
	}
	err = os.Link(file.Name(), SecretFile(database))
	if err != nil && !errors.Is(err, fs.ErrExist) { // not every file system has links
		err = os.Rename(file.Name(), SecretFile(database))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	text, err := os.ReadFile(SecretFile(database))
	return strings.TrimSpace(string(text)), err
}

// Secret returns the secret from which all keys are derived: from the one outside the database, and from random bytes
// in the database, which backups omit. So neither a copy of the database nor the secret alone is enough to make a
// session, and a restored database has other keys.
func (s instrumentedStore) Secret(ctx context.Context) ([]byte, error) {
	all, err := s.secrets(ctx)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// secrets returns the secret, and then earlier secrets whose sessions and questions are still accepted.
func (s instrumentedStore) secrets(ctx context.Context) (all [][]byte, err error) {
	salt, err := measured(s, "secret", func() ([]byte, error) { return s.Store.Secret(ctx) })
	for line := range strings.SplitSeq(s.secret, "\n") {
		all = append(all, study.Key([]byte(strings.TrimSpace(line)), "keys of the store "+hex.EncodeToString(salt)))
	}
	return all, err
}
