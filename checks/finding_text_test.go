package checks

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFindingsAreReadAsWritten tests the text encoding of findings, and that other text is
// rejected.
func TestFindingsAreReadAsWritten(t *testing.T) {
	for _, status := range []Status{Fits, Doubtful, Refuted} {
		for _, check := range All() {
			want := Finding{Status: status, Check: check, Sentence: "s", Evidence: 1.5, Each: []float64{1, 2}}
			text, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			var got Finding
			if err := json.Unmarshal(text, &got); err != nil || !cmp.Equal(got, want) {
				t.Errorf("%s became %+v, %v", text, got, err)
			}
		}
	}
	for _, text := range []string{`{"status":"fit"}`, `{"check":"slots"}`, `{"status":1}`} {
		if json.Unmarshal([]byte(text), &Finding{}) == nil {
			t.Errorf("%s is read", text)
		}
	}
}
