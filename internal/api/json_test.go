package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/strategy"
	"bestpick/wire"
)

// TestExamples: every example of a request has the fields of its type, and no others.
func TestExamples(t *testing.T) {
	var bodies map[string]json.RawMessage
	if err := json.Unmarshal(examples, &bodies); err != nil {
		t.Fatal(err)
	}
	types := map[string]any{
		"add-members": &wire.NewMembers{}, "answer": &wire.Answer{}, "answer-profile": &wire.ProfileAnswers{}, "ask": &wire.Ask{},
		"change-study": &wire.Change{}, "create-study": &wire.NewStudy{}, "create-token": &wire.NewToken{},
		"erase-respondent": &wire.Erase{},
		"import-answers":   &wire.NewAnswers{}, "remove-members": &wire.Removal{}, "renew-key": &wire.Renewal{},
		"revoke-token": &wire.Revocation{}, "set-contexts": &wire.NewContexts{}, "set-prior": &wire.NewPrior{},
		"exclude-respondent": &wire.Exclude{}, "set-webhook": &wire.NewWebhook{}, "skip": &wire.Skip{}, "undo": &wire.Undo{},
		"withdraw-arm": &wire.Withdrawal{},
	}
	for id, body := range bodies {
		decoder := json.NewDecoder(strings.NewReader(string(body)))
		decoder.DisallowUnknownFields()
		if into := types[id]; into == nil {
			t.Errorf("%s is no operation with a body", id)
		} else if err := decoder.Decode(into); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// TestDoubts: a verdict lists the doubts about majority with their arms, shares and texts, which are also in its sentence.
func TestDoubts(t *testing.T) {
	contents := strings.NewReader("id,label\no,Orb\na,Arm\n")
	arms, err := archive.OpenUpload(read.Upload{Name: "lamps.csv", Contents: contents, Size: contents.Size()},
		catalogue.Options{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := overview.Progress{Verdict: study.Verdict{
		Status: "certified", Assumption: strategy.Majority, Answered: 9, Doubts: []strategy.Doubt{
			{About: strategy.Drift, Arm: 0, Rival: 1, Chosen: 0.62, Otherwise: 0.41, People: 25}, {About: strategy.FewPeople, People: 70},
		},
	}}
	p.Study.State, p.Study.Settings.Strategy.Delta = study.Done, 0.05
	got := writeVerdict(p, &arms.Catalogue, arms.Card)
	want := []wire.Doubt{
		{
			Kind: "drift", Arm: &wire.Arm{ID: "o", Label: "Orb"}, Rival: &wire.Arm{ID: "a", Label: "Arm"}, Chosen: 0.62, Otherwise: 0.41,
			People: 25, Text: "Doubtful: of later people 62% chose Arm over Orb, of earlier ones 41%.",
		},
		{Kind: "people", People: 70, Text: "Not checked: 70 people are too few to show whether later ones choose otherwise."},
	}
	if !reflect.DeepEqual(got.Doubts, want) || !strings.Contains(got.Sentence, want[0].Text+" "+want[1].Text) {
		t.Errorf("%+v in %q", got.Doubts, got.Sentence)
	}
}

// TestTidy: problems are short and contain no values of the request, only locations.
func TestTidy(t *testing.T) {
	long := strings.Repeat("é", 10_000)
	told := problem(422, "", "start "+long+" end")
	for i := range 500 {
		told.Errors = append(told.Errors, &huma.ErrorDetail{
			Location: fmt.Sprintf("form.x[%d]%s", i, long), Message: long,
			Value: "secret",
		})
	}
	tidy(told)
	if !strings.HasPrefix(told.Detail, "start é") || !strings.HasSuffix(told.Detail, "é end") || len(told.Detail) > 4010 ||
		!utf8.ValidString(told.Detail) {
		t.Errorf("the detail is %s", told.Detail)
	}
	if len(told.Errors) != 21 || told.Errors[20].Message != "and 480 more" {
		t.Errorf("got %d errors, the last is %+v", len(told.Errors), told.Errors[len(told.Errors)-1])
	}
	for i, detail := range told.Errors[:20] {
		if !strings.HasPrefix(detail.Location, fmt.Sprintf("body.x[%d]", i)) || len(detail.Location) > 510 ||
			len(detail.Message) > 1010 || detail.Value != nil {
			t.Errorf("an error is %+v", detail)
		}
	}
}

// TestStrictJSON: JSON is read as package json reads it, except for input that it should not accept.
func TestStrictJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":[1,{"b":"x"},null,true],"c_2":{"Größe":[]}}`: "",
		"\t7\n":                         "",
		`"\ud83c\udf52"`:                "",
		``:                              "unexpected end of JSON input",
		`{`:                             "unexpected end of JSON input",
		`{}}`:                           "invalid character '}' after top-level value",
		`{"a":1,}`:                      "invalid character '}' looking for beginning of object key string",
		`{"a":[{"b":1},{"b":2,"b":3}]}`: `field "b" must not be repeated`,
		`{"a":["x","\u0000"]}`:          `field "a": ` + notText,
		`{"\u0000":1}`:                  notText,
		"{\"a\":[\"\xc3\"]}":            notText,
		`{"a":-1e999}`:                  "the number -1e999 does not fit ",
		`[0,-0,0.0,0e5,1e-400]`:         "",
		strings.Repeat("[", 20) + strings.Repeat("]", 20): "",
		strings.Repeat("[", 21) + strings.Repeat("]", 21): "values must not be nested in more than 20 lists and objects",
		"[" + strings.Repeat("0,", 998) + "0]":            "",
		"[" + strings.Repeat("0,", 999) + "0]":            "the JSON has too many values",
	} {
		var value any
		got := ""
		if err := strictly(maxValues)([]byte(text), &value); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q is refused with %q, want %q", text, got, want)
		}
	}
	var bound struct {
		K int `json:"k"`
	}
	if err := strictly(maxValues)([]byte(`{"k":1.5}`), &bound); err == nil || err.Error() != "the number 1.5 does not fit k" {
		t.Errorf("half a number: %v", err)
	}
}

// TestStrictJSONTakesLittleRoom: large input is refused with little memory.
func TestStrictJSONTakesLittleRoom(t *testing.T) {
	const depth, most = 9000, 16 << 20
	for kind, text := range map[string]string{
		"objects in objects": strings.Repeat(`{"`+strings.Repeat("n", 100)+`":`, depth) + "1" + strings.Repeat("}", depth),
		"lists in lists":     strings.Repeat("[", depth) + strings.Repeat("]", depth),
		"many values":        "[" + strings.Repeat("0,", 1<<18) + "0]",
		"a long name twice":  `{"` + strings.Repeat("n", 1<<19) + `":1,"` + strings.Repeat("n", 1<<19) + `":1}`,
	} {
		var before, after runtime.MemStats
		var value any
		runtime.ReadMemStats(&before)
		err := strictly(maxValues)([]byte(text), &value)
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; err == nil || taken > most {
			t.Errorf("%s: %d bytes for %d: %v", kind, taken, len(text), err != nil)
		}
	}
}

// FuzzStrictJSON: accepted input decodes as in package json, and input that package json rejects is rejected.
func FuzzStrictJSON(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,-2.5e3,{"b":"x"}],"c":null}`, `[[[]]]`, `{"a":1,"a":2}`, "\"\xff\"", `"\u0000"`, `1e999`, `1e-999`,
		`{"A":1}`, `{} {}`, ``,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var got, want any
		told, err := strictly(maxValues)(text, &got), json.Unmarshal(text, &want)
		if told == nil && (err != nil || !reflect.DeepEqual(got, want) || !utf8.Valid(text)) {
			t.Errorf("%q is read as %v, want %v, %v", text, got, want, err)
		}
	})
}

// BenchmarkAnswerBody reads an answer over HTTP, without recording it: docs/decisions/0012-http.md has the figure.
func BenchmarkAnswerBody(b *testing.B) {
	mux := http.NewServeMux()
	a := &api{huma: humago.New(mux, config(Options{}))}
	a.huma.UseMiddleware(a.readBody)
	huma.Register(a.huma, operation("answer", "POST /answers", tagRespondents, "", "", ""),
		func(_ context.Context, in *struct{ Body wire.Answer }) (*struct{}, error) {
			if len(in.Body.Picks) != 1 {
				b.Error("the answer is not read")
			}
			return &struct{}{}, nil
		})
	text := `{"token":"` + strings.Repeat("x", 150) + `","picks":["arm-17"],"next":true}`
	for b.Loop() {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/answers", strings.NewReader(text))
		r.Header.Set("Content-Type", jsonType)
		mux.ServeHTTP(httptest.NewRecorder(), r)
	}
}
