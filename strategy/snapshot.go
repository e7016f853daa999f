package strategy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// ErrSnapshot is the error of [Unseal] for data that is not a snapshot of the given strategy and
// version, or that was modified. The caller then replays the answers.
var ErrSnapshot = errors.New("strategy: not a snapshot of this strategy and version")

// envelope is a snapshot: a state with its name, version and checksum.
type envelope struct {
	Strategy string          `json:"strategy"`
	Version  int             `json:"version"`
	SHA256   string          `json:"sha256"` // of State, in hexadecimal
	State    json.RawMessage `json:"state"`
}

// Seal encodes the state of a strategy as JSON, in an envelope with its name, the version of the
// encoding and a checksum. A strategy increments the version whenever the encoding or the meaning
// of its state changes.
func Seal(name string, version int, state any) ([]byte, error) {
	encoded, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	return SealEncoded(name, version, encoded), nil
}

// SealEncoded is [Seal] for a state that is already encoded as json.Marshal does, in any number of
// parts. It copies the state, which may have tens of megabytes, only once.
func SealEncoded(name string, version int, parts ...[]byte) []byte {
	head := fmt.Appendf(nil, `{"strategy":%q,"version":%d,"sha256":"%s","state":`, name, version, checksum(parts...))
	return slices.Concat(slices.Concat([][]byte{head}, parts, [][]byte{[]byte("}")})...)
}

// Unseal decodes a state that [Seal] encoded under the same name and version into state. The
// checksum guarantees that the state is unmodified, so its decoder need not check it.
func Unseal(data []byte, name string, version int, state any) error {
	var e envelope
	if json.Unmarshal(data, &e) != nil || e.Strategy != name || e.Version != version || e.SHA256 != checksum(e.State) {
		return ErrSnapshot
	}
	if err := json.Unmarshal(e.State, state); err != nil {
		return fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	return nil
}

// checksum returns the SHA-256 of a state in parts.
func checksum(parts ...[]byte) string {
	hash := sha256.New()
	for _, part := range parts {
		hash.Write(part)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
