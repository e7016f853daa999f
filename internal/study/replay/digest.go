package replay

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/strategy"
)

// terms are the parts of a study besides its arms and plans on which its result rests. They may
// change until the study ends, but not afterwards.
//
// Digests contain them as JSON: fields that are added here, to [study.Settings], [study.Outcome] or [study.Plan] must be
// omitted when they are zero, or older logs no longer verify.
type terms struct {
	ID       string         `json:"id"`
	Prompt   string         `json:"prompt"`
	Settings study.Settings `json:"settings"`
	Imported bool           `json:"imported"`
	Stopped  bool           `json:"stopped"`
	Created  time.Time      `json:"created"`
}

// Terms returns the digest of a study's terms. Its result does not rest on how long names are kept.
func Terms(s study.Study) string {
	s.Settings.Retention = 0
	return link("", "study", terms{s.ID, s.Prompt, s.Settings, s.Imported, s.State == study.Done && s.Reason.Closed(), s.Created})
}

// link extends a digest by a value, as JSON, and the name of its kind.
func link(before, kind string, value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic("study: " + err.Error())
	}
	return sum(before, kind, text)
}

// sum extends a digest by some bytes.
func sum(before, kind string, text []byte) string {
	hash := sha256.Sum256(slices.Concat([]byte(before+" "+kind+" "), text))
	return hex.EncodeToString(hash[:])
}

// linkArms extends the digest of a catalogue's first arms by those up to a number. It covers
// everything that people see of an arm, and its features. The arms of a product are added together.
func linkArms(before string, arms *archive.Catalogue, from, to int) (string, error) {
	if arms.Profiles != nil {
		all, err := Saved(arms)
		return sum(before, "profiles", all), err
	}
	if from == 0 {
		before = link(before, "encoding", arms.Encoding)
		if arms.Contexts != nil {
			before = link(before, "contexts", arms.Contexts)
		}
	}
	hash, card := sha256.New(), arms.Cards()
	hash.Write([]byte(before))
	for arm := from; arm < to; arm++ {
		text, err := json.Marshal(card(arm))
		if err != nil {
			return "", err
		}
		hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
		hash.Write(text)
		for _, x := range arms.Arms.Arm(arm) {
			hash.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// covered is what the digest of a plan covers besides the digests and outcomes before it.
type covered struct {
	Settings   string              `json:"settings"`
	Catalogue  string              `json:"catalogue"`
	Assumption strategy.Assumption `json:"assumption,omitempty"`
	HandsEnded time.Time           `json:"hands_ended,omitzero"`
	Ended      bool                `json:"ended,omitempty"`
	Plan       study.Plan          `json:"plan"`
}

// linkPlan extends a digest by a plan. The store numbers plans that begin afresh, so the digest
// omits their numbers and positions.
func linkPlan(before string, v study.Verdict, p study.Plan) string {
	p = p.Normal()
	p.Verdict = nil
	if p.Restart != nil {
		p.Number, p.First = 0, 0
	}
	return link(before, "plan", covered{v.Settings, v.Catalogue, v.Assumption, v.HandsEnded, v.Ended, p})
}

// Saved returns a catalogue in the bytes of a saved catalogue.
func Saved(arms *archive.Catalogue) ([]byte, error) {
	var saved bytes.Buffer
	err := archive.Save(&saved, arms)
	return saved.Bytes(), err
}

// A PublicKey verifies the signatures of exported logs. Each store has one key, shared by all its processes.
type PublicKey ed25519.PublicKey

// String returns the key in hexadecimal digits.
func (k PublicKey) String() string { return hex.EncodeToString(k) }

// Equal reports whether two keys are the same.
func (k PublicKey) Equal(other PublicKey) bool {
	return ed25519.PublicKey(k).Equal(ed25519.PublicKey(other))
}

// ParsePublicKey parses the result of String.
func ParsePublicKey(text string) (PublicKey, error) {
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("a public key must have %d hexadecimal digits", hex.EncodedLen(ed25519.PublicKeySize))
	}
	return key, nil
}

// PublicKeyOf returns the key that verifies the logs exported from the store with a secret.
func PublicKeyOf(secret []byte) PublicKey { return publicKey(signingKey(secret)) }

// signingKey derives the key that signs exported logs from the secret of a store.
func signingKey(secret []byte) ed25519.PrivateKey {
	seed, err := hkdf.Key(sha256.New, secret, nil, "bestpick: Ed25519 key of exported logs", ed25519.SeedSize)
	if err != nil {
		panic("study: " + err.Error()) // the secret is too short only in FIPS mode
	}
	return ed25519.NewKeyFromSeed(seed)
}

func publicKey(key ed25519.PrivateKey) PublicKey {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		panic("study: an Ed25519 key has another kind of public key")
	}
	return PublicKey(public)
}

// exportVersion is the version of exported logs. It changes with their lines or with the rules of
// replay, and programs read logs of their own version only.
const exportVersion = 1

// A closing is the last line of an exported log: the number of lines before it, the hash of their bytes, and a signature of both.
type closing struct {
	Lines     int    `json:"lines"`
	SHA256    string `json:"sha256"`
	PublicKey string `json:"public_key"`
	Signature string `json:"signature"`
}

// newClosing signs the number and the hash of lines.
func newClosing(lines int, hash []byte, key ed25519.PrivateKey) closing {
	c := closing{Lines: lines, SHA256: hex.EncodeToString(hash), PublicKey: publicKey(key).String()}
	c.Signature = hex.EncodeToString(ed25519.Sign(key, c.message()))
	return c
}

// message returns the bytes to be signed.
func (c closing) message() []byte {
	return fmt.Appendf(nil, "bestpick log, version %d\n%d lines\nsha256 %s\n", exportVersion, c.Lines, c.SHA256)
}

// signer returns the key in the closing line, if the signature is valid.
func (c closing) signer() (PublicKey, error) {
	key, err := ParsePublicKey(c.PublicKey)
	if err != nil {
		return nil, err
	}
	signature, err := hex.DecodeString(c.Signature)
	if key.String() != c.PublicKey || hex.EncodeToString(signature) != c.Signature {
		return nil, errors.New("keys and signatures must be in lower case")
	}
	if err != nil || !ed25519.Verify(ed25519.PublicKey(key), c.message(), signature) {
		return nil, errors.New("it was not made with the key in public_key")
	}
	return key, nil
}

// firstDifference returns the path, in the order of names, of the first value in which two values
// differ as JSON, and both values. If only the spelling differs, the path is that of the root.
func firstDifference(path string, found, expected any) (field, is, want string) {
	a, errA := parsed(found)
	b, errB := parsed(expected)
	if errA == nil && errB == nil {
		if field, is, want, differ := difference(path, a, b); differ {
			return field, is, want
		}
	}
	return path, shown(found), shown(expected)
}

// parsed returns a value as decoded from JSON: maps, slices, texts, and numbers as written.
func parsed(value any) (parsed any, err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&parsed)
	return parsed, err
}

func difference(path string, found, expected any) (field, is, want string, differ bool) {
	switch e := expected.(type) {
	case map[string]any:
		if f, ok := found.(map[string]any); ok {
			names := maps.Clone(e)
			maps.Copy(names, f)
			for _, name := range slices.Sorted(maps.Keys(names)) {
				if field, is, want, differ = memberDifference(path+"."+name, name, f, e); differ {
					return field, is, want, true
				}
			}
			return "", "", "", false
		}
	case []any:
		if f, ok := found.([]any); ok && len(f) == len(e) {
			for i := range e {
				if field, is, want, differ = difference(fmt.Sprintf("%s[%d]", path, i), f[i], e[i]); differ {
					return field, is, want, true
				}
			}
			return "", "", "", false
		}
	default:
		if found == expected {
			return "", "", "", false
		}
	}
	return path, shown(found), shown(expected), true
}

// absent represents a missing value.
const absent = "nothing"

func memberDifference(path, name string, found, expected map[string]any) (field, is, want string, differ bool) {
	f, has := found[name]
	e, should := expected[name]
	switch {
	case !has:
		return path, absent, shown(e), true
	case !should:
		return path, shown(f), absent, true
	}
	return difference(path, f, e)
}

// shown returns a value as short JSON.
func shown(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	const longest = 200
	if len(text) > longest {
		return string(text[:longest]) + "…"
	}
	return string(text)
}
