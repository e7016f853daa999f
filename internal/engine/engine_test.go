package engine

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/testsupport"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// lamps are options as a program has them, and as a file.
const lamps = `[{"id": "orb", "price": 89, "colour": "brass"}, {"id": "reed", "price": 129, "colour": "black"},
	{"id": "fold", "price": 45, "colour": "black"}, {"id": "dome", "price": 99, "colour": "white"}, {"id": "disc", "price": 60, "colour": "brass"}]`

// call sends a request and returns the reply.
func call(t *testing.T, e *Engine, request map[string]any) map[string]any {
	t.Helper()
	line := testsupport.Value(json.Marshal(request)).OrFail(t)
	var reply map[string]any
	testsupport.NoError(t, json.Unmarshal(e.Reply(line), &reply))
	if problem, failed := reply["error"]; failed {
		t.Fatalf("%s: %v", line, problem)
	}
	return reply
}

func start(t *testing.T, settings map[string]any) *Engine {
	t.Helper()
	var e Engine
	call(t, &e, map[string]any{"command": "start", "options": json.RawMessage(lamps), "settings": settings})
	return &e
}

// numbers returns the list of numbers in a field of a reply, nil if there is none.
func numbers(reply map[string]any, field string) (list []int) {
	values, _ := reply[field].([]any)
	for _, value := range values {
		number, _ := value.(float64)
		list = append(list, int(number))
	}
	return list
}

// A recorder notes the questions that a crowd answers, and its picks.
type recorder struct {
	crowd.Respondent

	questions [][]int
	picks     [][]int // arms
}

func (r *recorder) Pick(q choice.Question, picks int) []int {
	slots := r.Respondent.Pick(q, picks)
	arms := make([]int, min(len(slots), len(q)-1))
	for i := range arms {
		arms[i] = q[slots[i]]
	}
	r.questions, r.picks = append(r.questions, slices.Clone(q)), append(r.picks, arms)
	return slots
}

// TestSameQuestionsAsSimulate: the engine asks the questions of the first run of an experiment with the same
// seed, arms and picks, and comes to the same verdict.
func TestSameQuestionsAsSimulate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lamps.json")
	testsupport.NoError(t, os.WriteFile(path, []byte(lamps), 0o600))
	arms := testsupport.Value(archive.Open(path, catalogue.Options{}, 0)).OrFail(t)
	theta := []float64{-3, 2, 1}
	for seed := uint64(1); seed <= 4; seed++ {
		people := &recorder{}
		settings, asked := racing.Settings{K: 3, Epsilon: 0.2, Assume: strategy.Majority, Fakes: 2}, map[string]any{"seed": seed}
		if seed > 2 {
			settings = racing.Settings{K: 3, Delta: 0.05}
			asked = map[string]any{"seed": seed, "assume": "linear", "verify": 0, "fallback": 0}
		}
		run, err := simulate.Experiment{
			Instance: simulate.Instance{Catalogue: arms.Arms, Theta: theta},
			Strategy: func(seed uint64) (strategy.Strategy, error) {
				settings.Seed = seed
				return racing.New(arms.Arms, settings)
			},
			Crowd: func(rng *rand.Rand) crowd.Respondent {
				people.Respondent = crowd.NewMNL(arms.Arms, theta, rng)
				return people
			},
			Seed: seed, Picks: settings.DefaultPicks(),
		}.One(t.Context(), 0)
		testsupport.NoError(t, err)
		e := start(t, asked)
		for i, want := range people.questions {
			if got := numbers(call(t, e, map[string]any{"command": "ask"}), "arms"); !slices.Equal(got, want) {
				t.Fatalf("seed %d: question %d is %v, want %v", seed, i, got, want)
			}
			call(t, e, map[string]any{"command": "tell", "arms": want, "picks": people.picks[i]})
		}
		if last := call(t, e, map[string]any{"command": "ask"}); last["status"] != "certified" || last["arms"] != nil {
			t.Errorf("after %d answers the engine asks %v", len(people.picks), last)
		}
		verdict := call(t, e, map[string]any{"command": "verdict"})
		if verdict["leader"] != float64(run.Leader) || verdict["answers"] != float64(run.Questions) || !run.Certified {
			t.Errorf("verdict %v, and of the run %+v", verdict, run)
		}
	}
}

// TestSnapshotAnyTime: a race that is restored after every step, its snapshot having passed through another
// JSON encoder, cannot be told from one that goes on, under either assumption.
func TestSnapshotAnyTime(t *testing.T) {
	for _, settings := range []map[string]any{
		{"k": 2, "seed": 7, "assume": "linear"},
		{"k": 2, "seed": 7},
		{"k": 2, "seed": 7, "assume": "linear", "fallback": 0, "verify": 0},
	} {
		one, other := start(t, settings), start(t, settings)
		for i := range 40 {
			person, request := fmt.Sprint("r", i), map[string]any{"command": "ask"}
			if i%4 == 1 {
				request = map[string]any{"command": "deal", "respondent": person, "questions": 3}
			}
			reply := call(t, one, request)
			if again := call(t, other, request); !reflect.DeepEqual(reply, again) {
				t.Fatalf("step %d: restored %v, want %v", i, again, reply)
			}
			if i%7 == 6 {
				continue // the question stays open
			}
			hand, _ := reply["questions"].([]any)
			if hand == nil {
				hand = []any{reply}
			}
			var requests []map[string]any
			for j, one := range hand {
				question, _ := one.(map[string]any)
				arms := numbers(question, "arms")
				if arms == nil {
					continue
				}
				request := map[string]any{
					"command": "tell", "arms": arms, "picks": arms[i%2 : i%2+1], "respondent": question["respondent"],
				}
				switch {
				case i%5 == 4:
					request = map[string]any{"command": "lose", "arms": arms, "respondent": question["respondent"]}
				case j == 2 && i%8 == 1:
					request = map[string]any{"command": "end", "respondent": person}
				}
				requests = append(requests, request)
			}
			for _, request := range requests {
				call(t, one, request)
				call(t, other, request)
			}
			snapshot := call(t, other, map[string]any{"command": "snapshot"})
			other = &Engine{}
			call(t, other, map[string]any{"command": "restore", "snapshot": snapshot["snapshot"]})
		}
		for _, command := range []string{"verdict", "leaderboard", "snapshot"} {
			request := map[string]any{"command": command}
			if want, got := call(t, one, request), call(t, other, request); !reflect.DeepEqual(want, got) {
				t.Errorf("%s: restored %v, want %v", command, got, want)
			}
		}
	}
}

// TestPeople: people are distinguished by name, also with the same question, and have one hand.
func TestPeople(t *testing.T) {
	var e Engine
	call(t, &e, map[string]any{"command": "start", "options": []string{"a", "b"}})
	first, second := call(t, &e, map[string]any{"command": "ask"}), call(t, &e, map[string]any{"command": "ask"})
	refused := func(request string) {
		t.Helper()
		if reply := string(e.Reply([]byte(request))); !strings.Contains(reply, "error") {
			t.Errorf("%s: %s", request, reply)
		}
	}
	if reflect.DeepEqual(first["arms"], second["arms"]) {
		refused(`{"command": "tell", "arms": [0, 1], "picks": [0]}`)
	}
	for _, q := range []map[string]any{second, first} {
		arms := numbers(q, "arms")
		call(t, &e, map[string]any{"command": "tell", "arms": arms, "picks": arms[:1], "respondent": q["respondent"]})
	}
	hand := call(t, &e, map[string]any{"command": "deal", "respondent": "ann", "questions": 2})
	if cards, _ := hand["questions"].([]any); len(cards) != 2 {
		t.Errorf("%v", hand)
	}
	refused(`{"command": "deal", "respondent": "ann", "questions": 2}`)
	refused(`{"command": "deal", "respondent": "", "questions": 2}`)
	refused(`{"command": "deal", "respondent": "bob"}`)
	call(t, &e, map[string]any{"command": "end", "respondent": "ann"})
	refused(`{"command": "deal", "respondent": "ann", "questions": 2}`)
	if v := call(t, &e, map[string]any{"command": "verdict"}); v["answers"] != 2.0 || v["respondents"] != 2.0 {
		t.Errorf("%v", v)
	}
}

// TestGuarantee: a race has the guarantee of a live study, also with attributes.
func TestGuarantee(t *testing.T) {
	for settings, want := range map[string]string{
		`{}`:                                    `{"k":3,"delta":0.05,"epsilon":0.2,"assume":"majority","fakes":2,"seed":1,"picks":2}`,
		`{"k": 2, "epsilon": 0}`:                `{"k":2,"delta":0.05,"assume":"majority","fakes":2,"seed":1,"picks":1}`,
		`{"assume": "linear"}`:                  `{"k":3,"delta":0.05,"assume":"linear","fakes":2,"verify":0.5,"fallback":0.25,"seed":1,"picks":1}`,
		`{"model": {"slots": true}, "picks":2}`: `{"k":3,"delta":0.05,"model":{"slots":true},"assume":"linear","verify":0.5,"seed":1,"picks":2}`,
	} {
		var e Engine
		reply := string(e.Reply([]byte(`{"command": "start", "options": ` + strings.ReplaceAll(lamps, "\n",
			" ") + `, "settings": ` + settings + `}`)))
		if !strings.Contains(reply, `"settings":`+want) {
			t.Errorf("%s: %s, want %s", settings, reply, want)
		}
	}
}

// TestErrorsChangeNothing: after requests that fail the snapshot is the same.
func TestErrorsChangeNothing(t *testing.T) {
	e := start(t, map[string]any{"k": 2})
	arms := numbers(call(t, e, map[string]any{"command": "ask"}), "arms")
	snapshot := map[string]any{"command": "snapshot"}
	before := call(t, e, snapshot)
	pair := testsupport.Value(json.Marshal(arms)).OrFail(t)
	for request, want := range map[string]string{
		`{"command": "tell", "arms": [9, 1], "picks": [9]}`:                        "arms must be those of an outstanding question",
		`{"command": "tell", "arms": [4, 4], "picks": [4]}`:                        "",
		`{"command": "tell", "arms": ` + string(pair) + `, "picks": []}`:           "",
		`{"command": "tell", "arms": ` + string(pair) + `, "picks": [8]}`:          "picks must be among the arms",
		`{"command": "lose", "arms": [1]}`:                                         "arms must be those of an outstanding question",
		`{"command": "start", "options": {"a": 1}}`:                                "options must be a list of names or of objects",
		`{"command": "start", "options": ["a", "b"], "settings": {"k": 5}}`:        "settings: K must be at most the number of arms",
		`{"command": "start", "options": ["a", "b"], "settings": {"speed": 5}}`:    `unknown field "speed"`,
		`{"command": "start", "options": ["a", "b"], "kinds": {"name": "colour"}}`: `"colour" is no kind of column`,
		`{"command": "restore", "snapshot": "{\"state\": \"\"}"}`:                  "snapshot must be the text of a snapshot",
		`{"command": "restore", "snapshot": "{\"options\": [\"a\", \"b\"]}"}`:      "snapshot must be the text of a snapshot",
		`{"command": "ask", "arms": []}`:                                           `unknown field "arms"`,
		`{"command": "answer"}`:                                                    "command must be start, restore, ask",
		`["ask"]`:                                                                  "a request must be a JSON object",
	} {
		var reply failure
		if err := json.Unmarshal(e.Reply([]byte(request)), &reply); err != nil || reply.Error == "" ||
			!strings.Contains(reply.Error, want) {
			t.Errorf("%s: %q, want %q", request, reply.Error, want)
		}
	}
	if after := call(t, e, snapshot); !reflect.DeepEqual(before, after) {
		t.Errorf("the race was\n%v\nand is\n%v", before, after)
	}
}

// TestServe: empty lines are skipped, every other line has a reply, and a last line needs no end.
func TestServe(t *testing.T) {
	var out strings.Builder
	testsupport.NoError(t, Serve(strings.NewReader("\n{}\r\n  \n{\"command\":\"ask\"}"), &out))
	if lines := strings.Split(out.String(), "\n"); len(lines) != 3 || !strings.Contains(lines[1], "ask needs a race") {
		t.Errorf("%q", lines)
	}
}

// FuzzReply: any sequence of lines has one reply each, in one line of JSON, and what follows from a snapshot
// does not depend on restoring it.
func FuzzReply(f *testing.F) {
	begin := `{"command": "start", "options": ["a", "b", "c"], "settings": {"k": 2}}` + "\n"
	f.Add([]byte(begin + `{"command": "ask"}` + "\n" + `{"command": "tell", "arms": [0, 1], "picks": [1]}`))
	f.Add([]byte(begin + `{"command": "deal", "respondent": "a", "questions": 3}` + "\n" + `{"command": "end", "respondent": "a"}`))
	f.Add([]byte(begin + `{"command": "lose", "arms": [0, 1]}` + "\n" + `{"command": "leaderboard"}`))
	f.Add([]byte(`{"command": "start", "options": [{"id": "a", "x": 1}, {"id": "b", "x": 2.5}, {"id": "c", "x": -1}], ` +
		`"kinds": {"x": "number"}, "settings": {"assume": "majority"}}`))
	f.Add([]byte(`{"command": "restore", "snapshot": "{\"options\": [\"a\", \"b\"], \"state\": \"{}\"}"}`))
	f.Fuzz(func(t *testing.T, lines []byte) {
		var e Engine
		for line := range strings.Lines(string(lines)) {
			reply := e.Reply([]byte(line))
			if !json.Valid(reply) || strings.Count(string(reply), "\n") != 1 {
				t.Fatalf("%q: %q", line, reply)
			}
		}
		if e.race == nil {
			return
		}
		var other Engine
		snapshot := call(t, &e, map[string]any{"command": "snapshot"})
		call(t, &other, map[string]any{"command": "restore", "snapshot": snapshot["snapshot"]})
		if want, got := call(t, &e, map[string]any{"command": "ask"}),
			call(t, &other, map[string]any{"command": "ask"}); !reflect.DeepEqual(want, got) {
			t.Fatalf("restored %v, want %v", got, want)
		}
	})
}
