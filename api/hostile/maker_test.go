package hostile_test

import (
	"io"
	"testing"

	"bestpick/api/hostile"
)

// TestSameBytes: the same bytes make the same requests, and without bytes they are plain.
func TestSameBytes(t *testing.T) {
	const some = 50
	m := newTemplate(t)
	one, other := hostile.NewDice(hostile.Rolled(7, 5000)), hostile.NewDice(hostile.Rolled(7, 5000))
	different := map[string]bool{}
	for range some {
		a, b := m.description.Request(&m.world, one), m.description.Request(&m.world, other)
		if sent(t, a) != sent(t, b) {
			t.Fatalf("the same bytes made %v and %v", a, b)
		}
		different[sent(t, a)] = true
	}
	if len(different) < some/2 {
		t.Errorf("of %d requests %d are different", some, len(different))
	}
	s := m.begin(t)
	defer s.close(t)
	if reply := s.send(t, m.description.Request(&m.world, hostile.NewDice(nil))); reply.status != 200 {
		t.Errorf("a plain request gets %d", reply.status)
	}
}

func sent(t *testing.T, r hostile.Request) string {
	t.Helper()
	const enough = 1 << 16
	text, err := io.ReadAll(io.LimitReader(r.Reader(), enough))
	must(t, err)
	return string(text)
}

// TestInside: what must not be told is noticed, and what may be is not.
func TestInside(t *testing.T) {
	for text, tells := range map[string]bool{
		"goroutine 7 [running]:":                   true,
		"at body.go:17":                            true,
		"expected a wire.Settings":                 true,
		`"detail":"multipart: NextPart: EOF"`:      true,
		"runtime error: index out of range":        true,
		"cannot be read: multipart: NextPart: EOF": true,
		"fruits.csv: there is no column id":        false,
		"this is no saved catalogue: there is no":  false,
		"encoding.json: its bytes are damaged":     false,
		"a .npy is read together with its ids":     false,
		"the study is not open: it is a draft":     false,
		"expected number <= 100 body.settings.k":   false,
		"there is no study with the address study": false,
	} {
		if inside.MatchString(text) != tells {
			t.Errorf("%q tells of the inside: %v", text, !tells)
		}
	}
}

// TestBomb: it is small, and its text goes on as it ends.
func TestBomb(t *testing.T) {
	const size = 64 << 20
	if bomb := hostile.Bomb(fruits, size); len(bomb) > size/200 {
		t.Errorf("%d bytes for %d", len(bomb), size)
	}
}
