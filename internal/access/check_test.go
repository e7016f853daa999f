package access_test

import (
	"strings"
	"testing"
	"time"

	"bestpick/internal/access"
)

func TestCheck(t *testing.T) {
	_, good := access.New("Zoë", access.Viewer, time.Unix(0, 0))
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*access.Token){
		`access: the role must be owner or viewer, got "king"`:                                             func(t *access.Token) { t.Role = "king" },
		`access: a name or hash must be valid UTF-8 without zero bytes, 1 to 1000 bytes long, got ""`:      func(t *access.Token) { t.Name = "" },
		`access: a name or hash must be valid UTF-8 without zero bytes, 1 to 1000 bytes long, got "\xff"`:  func(t *access.Token) { t.Name = "\xff" },
		`access: a name or hash must be valid UTF-8 without zero bytes, 1 to 1000 bytes long, got "a\x00"`: func(t *access.Token) { t.Hash = "a\x00" },
		`access: a name or hash must be valid UTF-8 without zero bytes, 1 to 1000 bytes long, got "` + strings.Repeat("x", 100) +
			`"`: func(t *access.Token) { t.Name = strings.Repeat("x", 5000) },
	} {
		bad := good
		spoil(&bad)
		if err := bad.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestCheckEntry(t *testing.T) {
	good := access.Entry{At: time.Unix(0, 0), By: "Zoë", Operation: "open-study", Study: "a", Detail: "“x”\n"}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*access.Entry){
		`access: an entry needs an operation and a time`:                                                           func(e *access.Entry) { e.At = time.Time{} },
		`access: a part of an entry must be valid UTF-8 without zero bytes, at most 10000 bytes long, got "\xff"`:  func(e *access.Entry) { e.By = "\xff" },
		`access: a part of an entry must be valid UTF-8 without zero bytes, at most 10000 bytes long, got "a\x00"`: func(e *access.Entry) { e.Detail = "a\x00" },
		`access: a part of an entry must be valid UTF-8 without zero bytes, at most 10000 bytes long, got "` +
			strings.Repeat("x", 100) + `"`: func(e *access.Entry) { e.Study = strings.Repeat("x", 50_000) },
	} {
		bad := good
		spoil(&bad)
		if err := bad.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestHash: a token has only the hash of its secret. Every other text has another hash, even if
// only the case of a letter differs. Spaces around a copied secret are ignored.
func TestHash(t *testing.T) {
	secret, token := access.New("anna", access.Owner, time.Now())
	other, another := access.New("anna", access.Owner, time.Now())
	if secret == other || token.Hash == another.Hash || token.Hash != access.Hash(secret) {
		t.Error("two tokens have the same hash, or a hash does not match its secret")
	}
	if kept := token.Name + token.Hash; strings.Contains(kept, secret) ||
		strings.Contains(kept, strings.TrimPrefix(secret, "bestpick_")) {
		t.Error("the token contains the secret")
	}
	if access.Hash(" "+secret+"\n") != token.Hash {
		t.Error("spaces change the hash")
	}
	for i := range secret {
		changed := []byte(secret)
		changed[i] ^= ' ' // switches the case of a letter
		if access.Hash(string(changed)) == token.Hash || access.Hash(secret[:i]) == token.Hash ||
			access.Hash(secret[:i]+secret[i+1:]) == token.Hash {
			t.Errorf("character %d does not change the hash", i)
		}
	}
}

// TestCheckName: a name is one line of visible text. Errors do not contain the name, which may be a
// token by mistake.
func TestCheckName(t *testing.T) {
	for _, good := range []string{"anna", "Zoë’s laptop", "a/b", "..", "x y", strings.Repeat("ü", 100)} {
		if err := access.CheckName(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	secret, _ := access.New("a", access.Owner, time.Now())
	for _, bad := range []string{
		"", "  ", "a\nb", "a\x00", "\xff", "a\u202eb", "a\u2028b", strings.Repeat("ü", 101), secret,
		" " + secret,
	} {
		err := access.CheckName(bad)
		if err == nil {
			t.Errorf("%q is accepted", bad)
		} else if strings.TrimSpace(bad) != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("the error contains the name: %v", err)
		}
	}
}

func TestMay(t *testing.T) {
	for _, c := range []struct {
		has, needed access.Role
		may         bool
	}{
		{access.Owner, access.Owner, true},
		{access.Owner, access.Viewer, true},
		{access.Viewer, access.Viewer, true},
		{access.Viewer, access.Owner, false},
		{"", access.Viewer, false},
	} {
		if got := c.has.May(c.needed); got != c.may {
			t.Errorf("a role %q may do what needs %q: %v", c.has, c.needed, got)
		}
	}
}

func TestNewMailer(t *testing.T) {
	for _, c := range [][2]string{
		{"mail.example.com", "a@example.com"},
		{"http://mail.example.com", "a@example.com"},
		{"smtp://", "a@example.com"},
		{"smtp://mail", "Anna"},
	} {
		if _, err := access.NewMailer(c[0], c[1]); err == nil {
			t.Errorf("%v is accepted", c)
		}
	}
}
