package study

import (
	"bytes"
	"testing"
)

// TestKeys: a purpose has one key; other purposes and other secrets have other keys.
func TestKeys(t *testing.T) {
	one, other := []byte("one secret of the store"), []byte("another secret of a store")
	key := Key(one, "a")
	if len(key) != 32 || !bytes.Equal(key, Key(one, "a")) {
		t.Errorf("%x", key)
	}
	for _, different := range [][]byte{Key(one, "b"), Key(other, "a"), one} {
		if bytes.Equal(key, different) {
			t.Errorf("%x twice", key)
		}
	}
}
