package study

import (
	"bytes"
	"testing"
)

// TestKeys: a purpose has one key, other purposes and other secrets have others.
func TestKeys(t *testing.T) {
	one, other := &Service{secret: []byte("one secret of the store")}, &Service{secret: []byte("another secret of a store")}
	key := one.Key("a")
	if len(key) != 32 || !bytes.Equal(key, one.Key("a")) {
		t.Errorf("%x", key)
	}
	for _, different := range [][]byte{one.Key("b"), other.Key("a"), one.secret} {
		if bytes.Equal(key, different) {
			t.Errorf("%x twice", key)
		}
	}
}
