package strategy_test

import (
	"bytes"
	"errors"
	"testing"

	"bestpick/strategy"
)

// TestUnseal: a sealed state is read back, and refused under another name, with another version or
// after a change.
func TestUnseal(t *testing.T) {
	type state struct{ Answers int }
	sealed, err := strategy.Seal("mine", 2, state{17})
	if err != nil {
		t.Fatal(err)
	}
	if parts := strategy.SealEncoded("mine", 2, []byte(`{"Answers":`), []byte("17}")); !bytes.Equal(parts, sealed) {
		t.Errorf("%s, and in parts %s", sealed, parts)
	}
	var read state
	if err := strategy.Unseal(sealed, "mine", 2, &read); err != nil || read.Answers != 17 {
		t.Fatalf("%+v, %v", read, err)
	}
	for name, unseal := range map[string]func() error{
		"another name":    func() error { return strategy.Unseal(sealed, "yours", 2, &read) },
		"another version": func() error { return strategy.Unseal(sealed, "mine", 3, &read) },
		"another state": func() error {
			return strategy.Unseal(bytes.Replace(sealed, []byte("17"), []byte("18"), 1), "mine", 2, &read)
		},
		"half of it":   func() error { return strategy.Unseal(sealed[:len(sealed)/2], "mine", 2, &read) },
		"another type": func() error { return strategy.Unseal(sealed, "mine", 2, new([]int)) },
	} {
		if err := unseal(); !errors.Is(err, strategy.ErrSnapshot) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
