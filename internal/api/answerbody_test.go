package api

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"bestpick/wire"
)

// TestAnswerOf tests that a decoded body is bound as package json binds it, with all fields.
func TestAnswerOf(t *testing.T) {
	for _, want := range []wire.Answer{{Token: "a", Picks: []string{"b", "c"}, Next: true}, {Token: "a", Picks: []string{"b"}, Worst: "c"}, {Token: "a", None: true}, {Token: "a", Tie: true}, {Token: "a", Note: wire.Note{Rationale: "r", Metadata: map[string]string{"x": "y", "z": ""}, Judge: "model"}}} {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		body, told := readJSON(text, "body")
		if told != nil {
			t.Fatal(told)
		}
		if got := answerOf(context.WithValue(t.Context(), decodedBody{}, body)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is bound as %+v", text, got)
		}
	}
	const bound = 6 + 3
	if fields := len(reflect.VisibleFields(reflect.TypeFor[wire.Answer]())) - 1; fields != bound { // without the embedded note itself
		t.Errorf("answers have %d fields, and answerOf binds %d", fields, bound)
	}
}
