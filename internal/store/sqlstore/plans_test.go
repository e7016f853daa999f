package sqlstore

import (
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzQuestions: questions are read as by encoding/json.
func FuzzQuestions(f *testing.F) {
	for _, text := range []string{
		"null", "[]", "[[]]", "[[],[1]]", "[[1,2,3]]", "[[0,1],[2,3,4]]", "[[1, 2]]", "[[-1,20]]", "[[1,2],null]", "[[1.0,2]]", "[[1,2]", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var expected [][]int
		if json.Unmarshal([]byte(text), &expected) != nil {
			return
		}
		if got, err := parseQuestions(text); err != nil || !reflect.DeepEqual(got, expected) {
			t.Errorf("%s: got %v and %v, expected %v", text, got, err, expected)
		}
	})
}
