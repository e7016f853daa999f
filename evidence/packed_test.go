package evidence

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"
)

// survives tests that a list survives JSON bit for bit, and returns the JSON.
func survives[E comparable, S ~[]E](tb testing.TB, given S) []byte {
	tb.Helper()
	text, err := json.Marshal(given)
	if err != nil {
		tb.Fatal(err)
	}
	var back S
	if err := json.Unmarshal(text, &back); err != nil || !slices.Equal(given, back) {
		tb.Errorf("%v became %s and then %v, %v", given, text, back, err)
	}
	return text
}

// TestLogsInJSON: logarithms survive JSON bit for bit, and others than those of a capital are refused.
func TestLogsInJSON(t *testing.T) {
	for _, given := range []Logs{{math.Log(0.15), math.Log(0.15)}, {1, -2.5e-300, -1e9, math.Pi}, {}} {
		survives(t, given)
	}
	for _, text := range []string{`[1]`, `[1e9, 0]`, `"AAAA"`, `{}`, `[0, 1]`} {
		if err := json.Unmarshal([]byte(text), new(Logs)); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

// FuzzBets: bets survive JSON bit for bit, with all their fields, and no other text gives bets that do not.
func FuzzBets(f *testing.F) {
	full := Bet{
		Arrival: math.MaxInt32, Arm: 300, Stake: 0.1, Cards: 4, Shown: 3, Rival: 2, Nominee: 1, Ended: true, Distrusted: true, Cut: true,
		Mean: -2.5e-300, Within: 1e300, Chosen: math.Pi, Variance: -1,
	}
	for at := range reflect.TypeFor[Bet]().NumField() {
		if reflect.ValueOf(full).Field(at).IsZero() {
			f.Fatalf("the field %s is not tested", reflect.TypeFor[Bet]().Field(at).Name)
		}
	}
	for _, given := range []Bets{{}, {full}, {{}, full, {Arrival: 1, Shown: 200}}, {{Ended: true}, {Distrusted: true}, {Cut: true}}} {
		text := survives(f, given)
		f.Add(text)
		f.Add(text[:len(text)/2])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var given, back Bets
		if json.Unmarshal(text, &given) != nil {
			return
		}
		first, err := json.Marshal(given)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(first, &back); err != nil {
			t.Fatal(err)
		}
		if second, err := json.Marshal(back); err != nil || string(first) != string(second) {
			t.Errorf("%s became %s and then %s, %v", text, first, second, err)
		}
	})
}
