package api

import (
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReadJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":[1,{"b":"x"},null,true],"c_2":{}}`: "",
		"\t7\n":                                  "",
		`"\ud83c\udf52"`:                         "",
		``:                                       "at",
		`{`:                                      "at",
		`{}}`:                                    "at",
		`{"a":1,}`:                               "at",
		`{"a":[{"b":1},{"b":2,"b":3}]}`:          "at.a[1].b",
		`{"a":{"A":1}}`:                          "at.a.A",
		`{"\u212a":1}`:                           "at.\u212a", // the Kelvin sign, which equals k if case is ignored
		`{"":1}`:                                 "at.",
		`{"a":"\u0000"}`:                         "at.a",
		`["x","\u0000"]`:                         "at[1]",
		"{\"a\":[\"\xc3\"]}":                     "at.a[0]",
		`{"a":-1e999}`:                           "at.a",
		`{"a":1e-400}`:                           "at.a",
		`{"a":-0.0003E-322}`:                     "at.a",
		`[0,-0,0.0,0e5,0.000E-400,5e-324]`:       "",
		strings.Repeat("[", 20) + strings.Repeat("]", 20): "",
		strings.Repeat("[", 21) + strings.Repeat("]", 21): "at" + strings.Repeat("[0]", 20),
		"[" + strings.Repeat("0,", 998) + "0]":            "",
		"[" + strings.Repeat("0,", 999) + "0]":            "at[999]",
	} {
		_, told := readJSON([]byte(text), "at")
		got := ""
		if told != nil {
			got = told.Errors[0].Location
		}
		if got != want {
			t.Errorf("%q is refused at %q, want %q", text, got, want)
		}
	}
}

// TestReadJSONTakesLittleRoom: problems in large input are short, and decoding it needs little
// memory.
func TestReadJSONTakesLittleRoom(t *testing.T) {
	const depth, most = 9000, 16 << 20
	name := strings.Repeat("n", 100)
	for kind, text := range map[string]string{
		"objects in objects": strings.Repeat(`{"`+name+`":`, depth) + "1" + strings.Repeat("}", depth),
		"lists in lists":     strings.Repeat("[", depth) + strings.Repeat("]", depth),
		"many values":        "[" + strings.Repeat("0,", 1<<18) + "0]",
		"a long name twice":  `{"` + strings.Repeat("n", 1<<19) + `":1,"` + strings.Repeat("n", 1<<19) + `":1}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, told := readJSON([]byte(text), "body")
		runtime.ReadMemStats(&after)
		if told == nil || len(told.Errors[0].Location) > 3000 {
			t.Errorf("%s: got %+v", kind, told)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > most {
			t.Errorf("%s: %d bytes for %d", kind, taken, len(text))
		}
	}
}

// FuzzReadJSON: accepted input decodes as in package json, and rejected input is not text or is
// invalid JSON.
func FuzzReadJSON(f *testing.F) {
	for _, text := range []string{`{"a":[1,-2.5e3,{"b":"x"}],"c":null}`, `[[[]]]`, `{"a":1,"a":2}`, "\"\xff\"", `"\u0000"`, `1e999`, `1e-999`, `{"A":1}`, `{} {}`, ``} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, told := readJSON(text, "body")
		var want any
		err := json.Unmarshal(text, &want)
		switch {
		case told == nil && (err != nil || !reflect.DeepEqual(got, want)):
			t.Errorf("%q is read as %v, want %v, %v", text, got, want, err)
		case told == nil && !utf8.Valid(text):
			t.Errorf("%q is not UTF-8, but accepted", text)
		case told != nil && (told.Status < 400 || told.Status > 499 || told.Errors[0].Location == ""):
			t.Errorf("%q is rejected with %+v", text, told)
		case told != nil && told.Status == 400 && err == nil:
			t.Errorf("%q is JSON, but rejected with %+v", text, told)
		}
	})
}

// FuzzReadTable: the rows of a table are the bytes of the request, valid, and as many as were decoded.
func FuzzReadTable(f *testing.F) {
	for _, text := range []string{`{"name":"x","arms":[{"id":"a","Größe (cm)":1}]}`, `{"arms":[]}`, `{"arms":{"A":1}}`, `{"arms":[1],"arms":[2]}`, `{"arms" : [ {"a":{"arms":[1]}} ] , "b":1}`, "{\"arms\":[{\"\xff\":1}]}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := strictJSON{text: text, at: "body", table: "body.arms"}
		value := s.read()
		if s.told != nil {
			if s.told.Status < 400 || s.told.Status > 499 || s.told.Errors[0].Location == "" {
				t.Errorf("%q is rejected with %+v", text, s.told)
			}
			return
		}
		object, _ := value.(map[string]any)
		list, has := object["arms"]
		if has != (s.rows != nil) {
			t.Fatalf("%q has the rows %q", text, s.rows)
		}
		if !has {
			return
		}
		var rows any
		if err := json.Unmarshal(s.rows, &rows); err != nil || !reflect.DeepEqual(rows, list) || !utf8.Valid(s.rows) {
			t.Errorf("%q has the rows %q: %v", text, s.rows, err)
		}
	})
}
